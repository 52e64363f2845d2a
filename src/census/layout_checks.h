// SPDX-License-Identifier: Apache-2.0
// What tells a structure of CPython from other words in memory.
#pragma once

#include <string>

#include "census/layout.h"
#include "census/memory.h"

namespace tidegauge::census {

inline std::string type_name_of(const Memory& memory, Address object) {
  const auto type = memory.pointer(object + object::kType);
  return type == 0 ? "" : memory.text(memory.pointer(type + type::kName), 32);
}

inline bool is_dict(const Memory& memory, Address object) {
  return object != 0 && type_name_of(memory, object) == "dict";
}

// A list head, or a node, of the collector: its neighbours point back.
inline bool is_gc_head(const Memory& memory, Address head) {
  constexpr Address kFlags = 3;
  const auto next = memory.pointer(head) & ~kFlags;
  const auto prev = memory.pointer(head + 8) & ~kFlags;
  return next != 0 && prev != 0 && (memory.pointer(prev) & ~kFlags) == head;
}

inline bool is_heap_type(const Memory& memory, Address object) {
  const auto flags = memory.get<std::uint64_t>(object + type::kFlags).value_or(0);
  return (flags & type::kHeapType) != 0 && type_name_of(memory, object) == "type";
}

// Any class that was made at run time: among the oldest objects there are many. The list may change
// while it is read, so a walk has an end of its own.
inline Address some_heap_type(const Memory& memory, const Layout& layout, Address interp) {
  constexpr int kMostSteps = 20000;
  for (int generation = 2; generation >= 0; --generation) {
    const Address head = interp + layout.gc_heads + static_cast<unsigned>(generation) * 24;
    Address node = memory.pointer(head) & ~Address(3);
    for (int step = 0; step < kMostSteps && node != 0 && node != head; ++step) {
      if (is_heap_type(memory, node + object::kGcHead)) return node + object::kGcHead;
      node = memory.pointer(node) & ~Address(3);
    }
  }
  return 0;
}

}  // namespace tidegauge::census
