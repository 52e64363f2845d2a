// SPDX-License-Identifier: Apache-2.0
// What a guard leaves behind all of whose processes were killed at once while the job stood still.
#pragma once

#include <string>
#include <vector>

#include "proc/roots.h"

namespace tidegauge::guard {

struct Leftover {
  std::string mount{};  // of its hierarchy
  std::string name{};   // of the group: letters, digits and dashes
  std::string file{};   // in it: `word` written there lets the job go on
  std::string word{};
};
// Groups of guards that are dead, and frozen. Anywhere in the hierarchies that we are in.
std::vector<Leftover> frozen_leftovers(const proc::Roots& roots);

}  // namespace tidegauge::guard
