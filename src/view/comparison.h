// SPDX-License-Identifier: Apache-2.0
// Several runs side by side, for people and for programs (docs/verdict-format.md).
#pragma once

#include <span>
#include <string>

#include "verdict/compare.h"

namespace tidegauge::view {

// The sentences, and a table of what each run holds at the same steps or times.
std::string comparison_text(std::span<const verdict::Outline> runs,
                            const verdict::Comparison& found, std::size_t columns);

// {"schema": "tidegauge/comparison/1", "by", "runs", "different", "rows", "evidence"}
std::string comparison_document(std::span<const verdict::Outline> runs,
                                const verdict::Comparison& found);

}  // namespace tidegauge::view
