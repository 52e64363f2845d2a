// SPDX-License-Identifier: Apache-2.0
// What the JSON parts of a checkpoint say. The job wrote them, so any bytes may come.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tidegauge::guard {

// The step in a trainer_state.json. Malformed: it is cut short, or holds none.
Result<std::int64_t> parse_trainer_step(std::string_view json);

// The files that a model.safetensors.index.json names, all beside it. Malformed: it is cut short,
// or names a file elsewhere.
Result<std::set<std::string>> parse_weight_files(std::string_view json);

// Where the last tensor ends, counted from behind the header, by the header of a .safetensors file.
Result<std::uint64_t> parse_end_of_tensors(std::string_view json);

}  // namespace tidegauge::guard
