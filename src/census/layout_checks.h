// SPDX-License-Identifier: Apache-2.0
// What tells a structure of CPython from other words in memory.
#pragma once

#include <string>
#include <vector>

#include "census/dicts.h"

namespace tidegauge::census {

inline std::string type_name_of(const Memory& memory, const Layout& layout, Address object) {
  const auto type = memory.pointer(in_object(layout, object, object::kType));
  if (type == 0) return "";
  return memory.text(memory.pointer(in_object(layout, type, type::kName)), 32);
}

inline bool is_dict(const Memory& memory, const Layout& layout, Address object) {
  return object != 0 && type_name_of(memory, layout, object) == "dict";
}

// The newest one first, the main one last.
inline std::vector<Address> all_interpreters(const Memory& memory, Address runtime,
                                             const Layout& layout) {
  constexpr std::size_t kMost = 1000;
  std::vector<Address> all;
  auto interp = memory.pointer(runtime + layout.runtime_interpreters);
  while (interp != 0 && all.size() < kMost) {
    all.push_back(interp);
    interp = memory.pointer(interp + layout.interp_next);
  }
  return all;
}

// Others may have no thread, or are just being made. 0: there is none.
inline Address main_interpreter(const Memory& memory, Address runtime, const Layout& layout) {
  const auto all = all_interpreters(memory, runtime, layout);
  return all.empty() ? 0 : all.back();
}

// A list head, or a node, of the collector: its neighbours point back.
inline bool is_gc_head(const Memory& memory, Address head) {
  constexpr Address kFlags = 3;
  const auto next = memory.pointer(head) & ~kFlags;
  const auto prev = memory.pointer(head + 8) & ~kFlags;
  return next != 0 && prev != 0 && (memory.pointer(prev) & ~kFlags) == head;
}

inline bool is_heap_type(const Memory& memory, const Layout& layout, Address object) {
  const auto flags = memory.get<std::uint64_t>(in_object(layout, object, type::kFlags)).value_or(0);
  return (flags & type::kHeapType) != 0 && type_name_of(memory, layout, object) == "type";
}

// Free-threaded builds have no lists of objects; but modules have classes.
inline Address some_class_of_a_module(const Memory& memory, const Layout& layout, Address interp) {
  Address found = 0;
  const auto modules = memory.pointer(interp + layout.interp_modules);
  for_each_item(memory, layout, modules, [&](Address, Address module) {
    const auto names = memory.pointer(in_object(layout, module, object::kHeader));
    if (!is_dict(memory, layout, names)) return true;
    for_each_item(memory, layout, names, [&](Address, Address value) {
      if (is_heap_type(memory, layout, value)) found = value;
      return found == 0;
    });
    return found == 0;
  });
  return found;
}

// Any class that was made at run time: among the oldest objects there are many. The list may change
// while it is read, so a walk has an end of its own.
inline Address some_heap_type(const Memory& memory, const Layout& layout, Address interp) {
  if (layout.free_threaded) return some_class_of_a_module(memory, layout, interp);
  constexpr int kMostSteps = 20000;
  for (int generation = 2; generation >= 0; --generation) {
    const Address head = interp + layout.gc_heads + static_cast<unsigned>(generation) * 24;
    Address node = memory.pointer(head) & ~Address(3);
    for (int step = 0; step < kMostSteps && node != 0 && node != head; ++step) {
      const auto object = node + object::kGcHead;
      if (is_heap_type(memory, layout, object)) return object;
      node = memory.pointer(node) & ~Address(3);
    }
  }
  return 0;
}

}  // namespace tidegauge::census
