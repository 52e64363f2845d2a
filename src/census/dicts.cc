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

}  // namespace

std::optional<KeyTable> read_key_table(const Memory& memory, const Layout& layout, Address keys) {
  if (keys == 0 || keys % 8 != 0) return {};
  return layout.compact_keys ? read_compact(memory, keys) : read_sized(memory, keys);
}

std::uint64_t dict_table_bytes(const Memory& memory, const Layout& layout, Address keys,
                               Address values) {
  const auto table = read_key_table(memory, layout, keys);
  return table ? table_bytes_of(*table, values) : 0;
}

}  // namespace tidegauge::census
