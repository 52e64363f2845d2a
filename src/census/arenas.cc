// SPDX-License-Identifier: Apache-2.0
#include "census/arenas.h"

#include <algorithm>

namespace tidegauge::census {

namespace {

// An entry of the table of arenas.
struct ArenaObject {
  Address address;
  Address pool_address;
  std::uint32_t free_pools;
  std::uint32_t pools;
  Address free_pool_list, next, prev;
};
static_assert(sizeof(ArenaObject) == 48);

constexpr std::size_t kEntriesAtOnce = 64;
constexpr std::size_t kMostArenas = 1 << 20;  // 1 TiB of them
constexpr std::uint32_t kPoolHeader = 48;
constexpr std::uint32_t kBlockStep = 16;
constexpr std::uint32_t kLargestBlock = 512;
constexpr Address kPage = 4096;

bool plausible(const ArenaObject& arena, const Layout& layout) {
  const auto most = layout.arena_bytes / layout.pool_bytes;
  return arena.address % kPage == 0 && arena.address >= (1 << 16) &&
         (arena.pools == most || arena.pools == most - 1) && arena.free_pools <= arena.pools &&
         arena.pool_address >= arena.address &&
         arena.pool_address <= arena.address + layout.arena_bytes;
}

// Its first pool is there, unless the arena was just made.
bool holds_pools(const Memory& memory, const ArenaObject& arena, const Layout& layout) {
  const auto first =
      (arena.address + layout.pool_bytes - 1) / layout.pool_bytes * layout.pool_bytes;
  std::vector<std::byte> pool(kPoolHeader);
  if (!memory.read(first, pool)) return false;
  pool.resize(layout.pool_bytes);
  return read_pool(pool).block_bytes != 0;
}

std::vector<Arena> read_table(const Memory& memory, const Layout& layout, Address table) {
  std::vector<Arena> arenas;
  std::vector<ArenaObject> entries(kEntriesAtOnce);
  for (std::size_t done = 0; done < kMostArenas; ++done) {
    const auto at = done % kEntriesAtOnce;
    if (at == 0 && !memory.read(table + done * sizeof(ArenaObject),
                                std::as_writable_bytes(std::span(entries)))) {
      // The last stretch of a mapping: one by one.
      entries.assign(kEntriesAtOnce, {});
      const auto one = memory.get<ArenaObject>(table + done * sizeof(ArenaObject));
      if (!one) break;
      entries[0] = *one;
    }
    if (entries[at].address == 0) continue;  // given back; the table keeps its place
    if (!plausible(entries[at], layout)) break;
    arenas.push_back({entries[at].address, entries[at].address + layout.arena_bytes});
  }
  return arenas;
}

bool leads_to_arenas(const Memory& memory, const Layout& layout, Address table) {
  // The first entries may have been given back.
  constexpr std::size_t kLookedAt = 256;
  for (std::size_t i = 0; i < kLookedAt; ++i) {
    const auto entry = memory.get<ArenaObject>(table + i * sizeof(ArenaObject));
    if (!entry) return false;
    if (entry->address == 0) {
      // An entry without an arena is linked to another, or it is the last one.
      if (entry->pools > layout.arena_bytes / layout.pool_bytes) return false;
      if (i == 0 && entry->next == 0) return false;
      continue;
    }
    return plausible(*entry, layout) && holds_pools(memory, *entry, layout);
  }
  return false;
}

}  // namespace

Pool read_pool(std::span<const std::byte> pool) {
  if (pool.size() < kPoolHeader) return {};
  const auto size_class = value_at<std::uint32_t>(pool, 36);
  const auto next_offset = value_at<std::uint32_t>(pool, 40);
  const auto last_offset = value_at<std::uint32_t>(pool, 44);
  if (size_class >= kLargestBlock / kBlockStep) return {};
  const auto block = (size_class + 1) * kBlockStep;
  if (last_offset != pool.size() - block) return {};
  if (next_offset < kPoolHeader || next_offset > pool.size() + block ||
      (next_offset - kPoolHeader) % block != 0) {
    return {};
  }
  return {block, kPoolHeader, std::min(next_offset, static_cast<std::uint32_t>(pool.size()))};
}

std::vector<Arena> find_arenas(const Memory& memory, const Interpreter& python) {
  std::vector<Arena> arenas;
  Address before = 0;
  const auto look_at = [&](Address word) {
    if (word % 16 != 0 || word < (1 << 16) || word >= (1ULL << 47) || word == before) return;
    before = word;
    if (!leads_to_arenas(memory, *python.layout, word)) return;
    auto found = read_table(memory, *python.layout, word);
    // A pointer into the middle of the table (unused_arena_objects) gives a part of it.
    if (found.size() > arenas.size()) arenas = std::move(found);
  };
  constexpr std::size_t kWordsAtOnce = 8192;
  std::vector<Address> words;
  for (const auto& region : python.data) {
    for (auto at = region.begin; at < region.end; at += kWordsAtOnce * sizeof(Address)) {
      words.resize(std::min<std::size_t>(kWordsAtOnce, (region.end - at) / sizeof(Address)));
      if (!memory.read(at, std::as_writable_bytes(std::span(words)))) continue;
      for (const auto word : words) look_at(word);
    }
  }
  std::sort(arenas.begin(), arenas.end(),
            [](const Arena& a, const Arena& b) { return a.begin < b.begin; });
  return arenas;
}

}  // namespace tidegauge::census
