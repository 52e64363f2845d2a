// SPDX-License-Identifier: Apache-2.0
// The verdict document, "tidegauge/verdict/1": docs/verdict-format.md.
#pragma once

#include <optional>
#include <string>

#include "verdict/verdict.h"
#include "view/kills.h"

namespace tidegauge::view {

enum class Layout { Indented, OneLine };

// {"schema", "source", "killed", "verdicts": [...]}, with a newline at its end.
std::string verdict_document(const std::string& source, const verdict::Verdicts& verdicts,
                             const std::optional<Killed>& killed, Layout layout = Layout::Indented);

}  // namespace tidegauge::view
