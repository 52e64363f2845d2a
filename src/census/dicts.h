// SPDX-License-Identifier: Apache-2.0
// The tables behind a dict, as CPython lays them out.
#pragma once

#include <functional>

#include "census/layout.h"
#include "census/memory.h"

namespace tidegauge::census {

// What a keys object holds, checked for sense.
struct KeyTable {
  Address entries = 0;
  std::uint64_t count = 0;  // entries that were ever used, deleted ones among them
  std::uint64_t entry_bytes = 0;
  std::uint64_t key_offset = 0;   // in an entry
  bool shared = false;            // the values are elsewhere: with each instance
  std::uint64_t table_bytes = 0;  // of the whole keys object
};

std::optional<KeyTable> read_key_table(const Memory& memory, const Layout& layout, Address keys);

// Where the values of a shared-key dict or an instance start: behind a header in newer versions.
inline Address first_value(const Layout& layout, Address values) {
  return values + (layout.values_header ? 8 : 0);
}

// Called with where each key is kept, and with each value, until it returns false. Not a dict, or
// one that changes while it is read: what could be read.
using ItemCall = std::function<bool(Address key_at, Address value)>;
void for_each_item(const Memory& memory, const Layout& layout, Address dict, const ItemCall& call);

// The same for values that an instance keeps by itself, with its class's keys.
void for_each_value(const Memory& memory, const KeyTable& keys, Address first_value,
                    const ItemCall& call);

// What a dict's tables take besides the dict object itself; from its two pointers.
std::uint64_t dict_table_bytes(const Memory& memory, const Layout& layout, Address keys,
                               Address values);

}  // namespace tidegauge::census
