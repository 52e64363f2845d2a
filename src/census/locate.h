// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "census/layout.h"
#include "census/memory.h"
#include "census/regions.h"

namespace tidegauge::census {

// A CPython in a process: where its state is, and the row of facts that fits it.
struct Interpreter {
  const Layout* layout = nullptr;
  std::unique_ptr<const Layout> searched{};  // where no known row fits
  std::string version{};                     // "3.11.7" where it is told, else "3.11"
  Address runtime = 0;
  std::vector<Address> interpreters{};  // the main one last, as CPython lists them
  std::vector<Region> data{};           // the writable parts of the program that holds it
  Address type_type = 0;                // `type` itself
};

// By checks on what is at `runtime`.
bool layout_fits(const Memory& memory, Address runtime, const Layout& layout);

// The row that fits what is at `runtime`, by checks alone; nothing if none or several do.
const Layout* fitting_layout(const Memory& memory, Address runtime);

// Unsupported: no CPython there, or one of which we know nothing.
Result<Interpreter> locate(pid_t pid, const Memory& memory, const std::vector<Region>& regions);

}  // namespace tidegauge::census
