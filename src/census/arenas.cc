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

// The largest table that words lead to.
class TableSearch {
 public:
  TableSearch(const Memory& memory, const Layout& layout) : memory_(memory), layout_(layout) {}

  void look_at(Address word) {
    if (!may_be_table(word) || word == before_) return;
    before_ = word;
    if (!leads_to_arenas(memory_, layout_, word)) return;
    auto found = read_table(memory_, layout_, word);
    // A pointer into the middle of the table (unused_arena_objects) gives a part of it.
    if (found.size() > arenas_.size()) arenas_ = std::move(found);
  }

  // Calls with each word of a stretch.
  template <class Call>
  void look_through(const Stretch& stretch, Call&& call) const {
    constexpr std::size_t kWordsAtOnce = 8192;
    std::vector<Address> words;
    for (auto at = stretch.begin; at < stretch.end; at += kWordsAtOnce * sizeof(Address)) {
      words.resize(std::min<std::size_t>(kWordsAtOnce, (stretch.end - at) / sizeof(Address)));
      if (!memory_.read(at, std::as_writable_bytes(std::span(words)))) continue;
      for (const auto word : words) call(word);
    }
  }
  std::vector<Arena> take() && { return std::move(arenas_); }

  static bool may_be_table(Address word) {
    return word % 16 == 0 && word >= (1 << 16) && word < (1ULL << 47);
  }

 private:
  const Memory& memory_;
  const Layout& layout_;
  std::vector<Arena> arenas_{};
  Address before_ = 0;
};

// Its allocator's state is a part of it (3.12), or what it points to (from 3.13 on).
std::vector<Arena> arenas_of_another(const Memory& memory, const Layout& layout, Address interp) {
  constexpr Address kTableInState = 512;
  constexpr Address kSearched = 32 << 10;  // of an interpreter: the state is within the first half
  TableSearch search(memory, layout);
  search.look_through({interp, interp + kSearched}, [&](Address word) {
    search.look_at(word);
    if (TableSearch::may_be_table(word)) search.look_at(memory.pointer(word + kTableInState));
  });
  return std::move(search).take();
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
  TableSearch main(memory, *python.layout);
  for (const auto& region : python.data) {
    main.look_through({region.begin, region.end}, [&](Address word) { main.look_at(word); });
  }
  auto arenas = std::move(main).take();
  // The main one is the last.
  for (std::size_t i = 0; i + 1 < python.interpreters.size(); ++i) {
    const auto own = arenas_of_another(memory, *python.layout, python.interpreters[i]);
    arenas.insert(arenas.end(), own.begin(), own.end());
  }
  arenas = in_order(std::move(arenas));
  arenas.erase(std::unique(arenas.begin(), arenas.end()),
               arenas.end());  // some share the main one's
  return arenas;
}

}  // namespace tidegauge::census
