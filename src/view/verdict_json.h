// SPDX-License-Identifier: Apache-2.0
// The verdict document, "tidegauge/verdict/1": docs/verdict-format.md.
#pragma once

#include <string>

#include "verdict/verdict.h"

namespace tidegauge::view {

enum class Layout { Indented, OneLine };

// {"schema", "source", "verdicts": [...]}, with a newline at its end.
std::string verdict_document(const std::string& source, const verdict::Verdicts& verdicts,
                             Layout layout = Layout::Indented);

}  // namespace tidegauge::view
