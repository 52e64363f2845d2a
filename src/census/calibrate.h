// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "census/layout.h"
#include "census/model.h"

namespace tidegauge::census {

// How the build of CPython that a model runs lays out its objects: each fact is found where the
// model's known objects are. `before` is the version that is nearest to it, for what is not looked
// for. Nothing where something known is not where it can be found.
std::optional<Layout> calibrate(const ModelFacts& facts, const Memory& memory, Address runtime,
                                const Layout& before,
                                const std::function<bool()>& go_on_to_a_collection);

}  // namespace tidegauge::census
