// SPDX-License-Identifier: Apache-2.0
// Profile: where the memory that a process holds was allocated, as a sampler inside it knew at one
// moment. Several of them, in order, tell which places grow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/sample.h"

namespace tidegauge::record {

enum class CodeKind { Python, Native };

// A line of code that others call from, or that allocates.
struct CodePlace {
  std::string function{};  // any bytes: a stranger's name
  std::string file{};
  std::uint32_t line = 0;  // 0: not known
  CodeKind kind = CodeKind::Python;

  bool operator==(const CodePlace&) const = default;
};

// What was allocated by the same stack of calls.
struct Site {
  std::vector<std::uint32_t> stack{};  // of places in the profile, the outermost first
  std::uint64_t live = 0;              // bytes that were allocated here and are not freed
  Count live_count{};
  Bytes allocated{};  // since the sampler began, freed or not
  Count allocated_count{};

  bool operator==(const Site&) const = default;
};

struct Profile {
  std::int64_t at_ns = 0;
  ProcessId process{};
  std::string sampler{};            // who says so: "tracemalloc"
  std::uint64_t sampled_every = 0;  // bytes between two samples on average; 0: all are counted
  std::vector<CodePlace> places{};
  std::vector<Site> sites{};

  bool operator==(const Profile&) const = default;
};

// "load (data.py:12)", "malloc (libc.so.6)": any bytes, as the names themselves.
std::string label_of(const CodePlace& place);

// Where a site is for its reader, of a stack as above. Both are numbers of places; the stack must
// not be empty.
struct Telling {
  std::uint32_t place = 0;  // the innermost line of Python, or else of all
  std::uint32_t own = 0;    // the innermost one that is no library's, or else the same
};
Telling telling_of(const Profile& profile, const Site& site);

}  // namespace tidegauge::record
