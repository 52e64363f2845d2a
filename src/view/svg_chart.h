// SPDX-License-Identifier: Apache-2.0
// The course of a job's memory as a picture of its own, for a document: light or dark as its reader
// has it.
#pragma once

#include <span>
#include <string>

#include "view/report_json.h"

namespace tidegauge::view {

// Empty where there is no course to draw.
std::string svg_chart(const Report& report);

// What stays in several runs, in one picture: along steps where `by_step`, else along time. `names`
// are theirs. Empty where there is no course to draw.
std::string svg_side_by_side(std::span<const Report> reports, std::span<const std::string> names,
                             bool by_step);

}  // namespace tidegauge::view
