// SPDX-License-Identifier: Apache-2.0
#include "census/dicts.h"

#include <algorithm>

namespace tidegauge::census {

namespace {

// More entries than that do not fit into any memory we may meet.
constexpr std::uint64_t kMostEntries = 1ULL << 34;
constexpr std::uint64_t kGeneralEntry = 24;  // hash, key, value
constexpr std::uint64_t kTextEntry = 16;     // key, value

std::optional<KeyTable> read_compact(const Memory& memory, Address keys) {
  struct Head {
    std::int64_t references;
    std::uint8_t log2_size, log2_index_bytes, kind, unused;
    std::uint32_t version;
    std::int64_t usable, count;
  };
  const auto head = memory.get<Head>(keys);
  constexpr std::uint8_t kLargestLog2 = 40;
  if (!head || head->log2_size > kLargestLog2 || head->log2_index_bytes > kLargestLog2 ||
      head->kind > 2 || head->count < 0) {
    return {};
  }
  const auto indices = 1ULL << head->log2_index_bytes;
  const bool general = head->kind == 0;
  KeyTable table{.entries = keys + sizeof(Head) + indices,
                 .count = static_cast<std::uint64_t>(head->count),
                 .entry_bytes = general ? kGeneralEntry : kTextEntry,
                 .key_offset = general ? 8ULL : 0ULL,
                 .shared = head->kind == 2};
  if (table.count > (1ULL << head->log2_size)) return {};
  const auto usable = (1ULL << head->log2_size) * 2 / 3;
  table.table_bytes = sizeof(Head) + indices + usable * table.entry_bytes;
  return table;
}

std::optional<KeyTable> read_sized(const Memory& memory, Address keys) {
  struct Head {
    std::int64_t references, size;
    Address lookup;
    std::int64_t usable, count;
  };
  const auto head = memory.get<Head>(keys);
  if (!head || head->size <= 0 || head->count < 0 || head->count > head->size) return {};
  const auto size = static_cast<std::uint64_t>(head->size);
  if (size > kMostEntries || (size & (size - 1)) != 0) return {};
  const std::uint64_t index_bytes = size <= 0xff         ? 1
                                    : size <= 0xffff     ? 2
                                    : size <= 0xffffffff ? 4
                                                         : 8;
  KeyTable table{.entries = keys + sizeof(Head) + size * index_bytes,
                 .count = static_cast<std::uint64_t>(head->count),
                 .entry_bytes = kGeneralEntry,
                 .key_offset = 8};
  table.table_bytes = sizeof(Head) + size * index_bytes + size * 2 / 3 * kGeneralEntry;
  return table;
}

constexpr std::uint64_t kEntriesAtOnce = 2048;

}  // namespace

std::optional<KeyTable> read_key_table(const Memory& memory, const Layout& layout, Address keys) {
  if (keys == 0 || keys % 8 != 0) return {};
  return layout.compact_keys ? read_compact(memory, keys) : read_sized(memory, keys);
}

void for_each_value(const Memory& memory, const KeyTable& keys, Address first_value,
                    const ItemCall& call) {
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

void for_each_item(const Memory& memory, const Layout& layout, Address dict, const ItemCall& call) {
  const auto keys = read_key_table(memory, layout, memory.pointer(dict + dict::kKeys));
  if (!keys) return;
  const auto values = memory.pointer(dict + dict::kValues);
  if (values != 0) {
    return for_each_value(memory, *keys, first_value(layout, values), call);
  }
  std::vector<std::byte> entries;
  for (std::uint64_t done = 0; done < keys->count;) {
    const auto count = std::min(kEntriesAtOnce, keys->count - done);
    entries.resize(static_cast<std::size_t>(count * keys->entry_bytes));
    if (!memory.read(keys->entries + done * keys->entry_bytes, entries)) return;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i * keys->entry_bytes + keys->key_offset);
      const auto key = value_at<Address>(entries, at);
      const auto value = value_at<Address>(entries, at + 8);
      const auto key_at = keys->entries + done * keys->entry_bytes + at;
      if (key != 0 && value != 0 && !call(key_at, value)) return;
    }
    done += count;
  }
}

std::uint64_t dict_table_bytes(const Memory& memory, const Layout& layout, Address keys,
                               Address values) {
  const auto table = read_key_table(memory, layout, keys);
  if (!table) return 0;
  // Shared keys belong to the class; the dict's own are its values.
  return values != 0 ? table->count * 8 : table->table_bytes;
}

}  // namespace tidegauge::census
