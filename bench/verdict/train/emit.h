// SPDX-License-Identifier: Apache-2.0
// The learned weights as a source file of the engine.
#pragma once

#include <string>

#include "bench/verdict/train/boost.h"

namespace tidegauge::bench {

// `how`: one line that says how to make the file again. The forest must fit the table's bytes: at
// most 128 leaves a tree, 63 edges a feature, 255 features.
std::string to_source(const Forest& forest, const std::string& how);

}  // namespace tidegauge::bench
