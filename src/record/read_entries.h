// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "record/file.h"
#include "record/frame_reader.h"
#include "record/read_budget.h"

namespace tidegauge::record {

// The entries of a file that is open, as far as the budget goes. Malformed if its first line is not
// ours.
Result<ReadEnd> read_entries(FrameReader& frames, ReadBudget budget,
                             const std::function<void(const Header&)>& header,
                             const std::function<void(const Entry&)>& take);

}  // namespace tidegauge::record
