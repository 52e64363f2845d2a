// SPDX-License-Identifier: Apache-2.0
// The course of a job's memory as a picture of its own, for a document: light or dark as its reader
// has it.
#pragma once

#include <string>

#include "view/report_json.h"

namespace tidegauge::view {

// Empty where there is no course to draw.
std::string svg_chart(const Report& report);

}  // namespace tidegauge::view
