// SPDX-License-Identifier: Apache-2.0
// The tables behind a dict, as CPython lays them out.
#pragma once

#include <algorithm>

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

// Calls `call(where the key is kept, value)` for the values that an instance keeps by itself, with
// its class's keys, until it returns false.
template <class Call>
void for_each_value(const Memory& memory, const KeyTable& keys, Address first_value, Call&& call) {
  constexpr std::uint64_t kAtOnce = 32;  // CPython shares no more keys than 30
  Address values[kAtOnce];
  for (std::uint64_t done = 0; done < keys.count; done += kAtOnce) {
    const auto count = static_cast<std::size_t>(std::min(keys.count - done, kAtOnce));
    if (!memory.read(first_value + done * 8, std::as_writable_bytes(std::span(values, count))))
      return;
    for (std::size_t i = 0; i < count; ++i) {
      const auto key_at = keys.entries + (done + i) * keys.entry_bytes + keys.key_offset;
      if (values[i] != 0 && !call(key_at, values[i])) return;
    }
  }
}

// Entries that were read: from the one numbered `done` on. False: the call wants no more.
template <class Call>
bool for_each_entry(const KeyTable& keys, std::span<const std::byte> entries, std::uint64_t done,
                    Call&& call) {
  for (std::size_t at = 0; at + keys.entry_bytes <= entries.size(); at += keys.entry_bytes) {
    const auto key = value_at<Address>(entries, at + keys.key_offset);
    const auto value = value_at<Address>(entries, at + keys.key_offset + 8);
    const auto key_at = keys.entries + done * keys.entry_bytes + at + keys.key_offset;
    if (key != 0 && value != 0 && !call(key_at, value)) return false;
  }
  return true;
}

// The same for a dict. Not a dict, or one that changes while it is read: what could be read.
template <class Call>
void for_each_item(const Memory& memory, const Layout& layout, Address dict, Call&& call) {
  constexpr std::uint64_t kEntriesAtOnce = 2048;
  const auto keys =
      read_key_table(memory, layout, memory.pointer(in_object(layout, dict, dict::kKeys)));
  if (!keys) return;
  const auto values = memory.pointer(in_object(layout, dict, dict::kValues));
  if (values != 0) {
    return for_each_value(memory, *keys, first_value(layout, values), call);
  }
  if (const auto at_hand = memory.view(keys->entries, keys->count * keys->entry_bytes);
      !at_hand.empty()) {
    for_each_entry(*keys, at_hand, 0, call);
    return;
  }
  std::vector<std::byte> entries;
  for (std::uint64_t done = 0; done < keys->count;) {
    const auto count = std::min(kEntriesAtOnce, keys->count - done);
    entries.resize(static_cast<std::size_t>(count * keys->entry_bytes));
    if (!memory.read(keys->entries + done * keys->entry_bytes, entries)) return;
    if (!for_each_entry(*keys, entries, done, call)) return;
    done += count;
  }
}

// Shared keys belong to the class; a dict's own are its values.
inline std::uint64_t table_bytes_of(const KeyTable& table, Address values) {
  return values != 0 ? table.count * 8 : table.table_bytes;
}

// What a dict's tables take besides the dict object itself; from its two pointers.
std::uint64_t dict_table_bytes(const Memory& memory, const Layout& layout, Address keys,
                               Address values);

}  // namespace tidegauge::census
