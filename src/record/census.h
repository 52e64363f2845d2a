// SPDX-License-Identifier: Apache-2.0
// What a Python process held at a moment: docs/census-format.md.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidegauge::record {

struct Census {
  struct Type {
    std::string name{};
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;         // in Python's heap
    std::uint64_t native_bytes = 0;  // pixels, arrays, tensors
    std::optional<std::uint64_t> retained_bytes{};
  };
  // Things of one kind.
  struct Buffers {
    std::string device{};  // of tensors
    std::string dtype{};
    std::vector<std::int64_t> shape{};
    bool requires_grad = false;  // of tensors
    bool has_grad_fn = false;    // a graph for the backward pass hangs on it
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  struct Holder {
    std::string path{};
    std::string root{};  // module, frame, thread, type, native
    std::string type{};
    std::uint64_t count = 0;
    std::uint64_t retained_bytes = 0;
  };

  pid_t pid = 0;
  std::string python{};  // version
  bool streaming = false;
  double pause_ms = 0;
  double seconds = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;         // native ones included
  std::vector<Type> types{};       // largest first
  std::vector<Buffers> tensors{};  // largest first, as all of these
  std::vector<Buffers> arrays{};
  std::vector<Buffers> images{};
  std::vector<Holder> retainers{};
  std::uint64_t garbage_count = 0;
  std::uint64_t garbage_bytes = 0;
  std::optional<std::string> incomplete{};  // what could not be seen, and why
};

}  // namespace tidegauge::record
