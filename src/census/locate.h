// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "census/layout.h"
#include "census/memory.h"
#include "census/target.h"

namespace tidegauge::census {

// A CPython in a process: where its state is, and the row of facts that fits it.
struct Interpreter {
  const Layout* layout = nullptr;
  std::unique_ptr<const Layout> learned{};  // where no known row fits
  bool searched = false;                    // which was only searched for in the process itself
  std::string version{};                    // "3.11.7" where it is told, else "3.11"
  Address runtime = 0;
  std::vector<Address> interpreters{};  // the main one last, as CPython lists them
  std::vector<Region> data{};           // the writable parts of the program that holds it
  Address type_type = 0;                // `type` itself
};

// Where a process keeps the state of its CPython, and which build that is.
struct FoundRuntime {
  Address runtime = 0;
  std::string build_id{};                  // of the file that it is in
  std::optional<std::uint32_t> version{};  // PY_VERSION_HEX: 0x030b07f0; told from 3.11 on
  bool free_threaded = false;
};
std::optional<FoundRuntime> find_cpython(const Target& target, const Memory& memory);

// By checks on what is at `runtime`.
bool layout_fits(const Memory& memory, Address runtime, const Layout& layout);

// The row that fits what is at `runtime`, by checks alone; nothing if none or several do.
const Layout* fitting_layout(const Memory& memory, Address runtime, std::span<const Layout> known);

// Unsupported: no CPython there, or one of which nothing could be learned. Where no version that is
// known fits, the facts are those that were learned of this build, or from a program that a person
// named, or what a search through the process finds. Nothing of the process is ever started: its
// program is its owner's, not ours to run.
Result<Interpreter> locate(const Target& target, const Memory& memory);

}  // namespace tidegauge::census
