// SPDX-License-Identifier: Apache-2.0
#include "census/streaming.h"

#include <algorithm>
#include <memory>

#include "census/large_objects.h"
#include "census/objects.h"
#include "census/parts.h"
#include "census/references.h"

namespace tidegauge::census {

void Tally::add(const ObjectView& object, std::uint64_t more, const Layout& layout) {
  const auto& type = *object.type;
  if (has_hidden_content(object, layout)) {
    ++hidden_objects;
    hidden_bytes += kBytesHeader + layout.shift() + object.field<std::uint64_t>(kByteArrayRoom);
  }
  if (types.size() <= type.id) types.resize(type.id + 1);
  auto& count = types[type.id];
  count.type = &type;
  ++count.count;
  count.bytes += more;
  ++objects;
  bytes += more;
}

void Tally::add(const Tally& other) {
  if (types.size() < other.types.size()) types.resize(other.types.size());
  for (std::size_t id = 0; id < other.types.size(); ++id) {
    if (other.types[id].type == nullptr) continue;
    types[id].type = other.types[id].type;
    types[id].count += other.types[id].count;
    types[id].bytes += other.types[id].bytes;
  }
  objects += other.objects;
  bytes += other.bytes;
  hidden_objects += other.hidden_objects;
  hidden_bytes += other.hidden_bytes;
}

void Tally::leave_out_hidden() {
  for (auto& count : types) {
    if (count.type == nullptr || count.type->name != "bytes") continue;
    // Of a process that runs on, one of the two may have been missed.
    const auto objects_less = std::min(hidden_objects, count.count);
    const auto bytes_less = std::min(hidden_bytes, count.bytes);
    count.count -= objects_less;
    count.bytes -= bytes_less;
    objects -= objects_less;
    bytes -= bytes_less;
  }
}

namespace {

constexpr std::size_t kReadAtOnce = 256 << 10;  // what the processor's own memory holds
constexpr std::uint64_t kLargestBlock = 512;

// Objects whose tables have not been read yet. In order of address many of them are on one page.
class Tables {
 public:
  Tables(const LiveSource& source, Tally& tally, LargeObjects& large)
      : near_(source.memory, kChunks), layout_(source.layout), tally_(tally), large_(large) {
    dicts_.reserve(kMost);
  }

  void add(const ObjectView& object) {
    switch (object.type->shape) {
      case Shape::Dict:
        dicts_.push_back({object.field<Address>(dict::kKeys), object.field<Address>(dict::kValues),
                          object.type->id});
        if (dicts_.size() == kMost) flush_dicts();
        return;
      case Shape::List:
        if (object.field<std::uint64_t>(list::kAllocated) * 8 > kLargestBlock) {
          look_at(object, object.field<Address>(list::kItems),
                  object.field<std::uint64_t>(list::kAllocated) * 8);
        }
        return;
      case Shape::Set:
        if (object.field<std::uint64_t>(set::kMask) * 16 > kLargestBlock) {
          look_at(object, object.field<Address>(set::kTable),
                  (object.field<std::uint64_t>(set::kMask) + 1) * 16);
        }
        return;
      case Shape::PackedArray:
        return add_bytes(object.type->id, packed_bytes(object, near_));
      case Shape::Deque:  // its blocks are larger than the arenas' largest
        return look_at(object, 0, 0);
      default:
        return;
    }
  }

  void flush_dicts() {
    std::sort(dicts_.begin(), dicts_.end(),
              [](const Dict& a, const Dict& b) { return a.keys < b.keys; });
    for (const auto& [keys, values, type] : dicts_) {
      const auto table = read_key_table(near_, layout_, keys);
      if (!table) continue;
      add_bytes(type, table_bytes_of(*table, values));
      if (values == 0 && table->table_bytes > kLargestBlock) note_entries(*table);
    }
    dicts_.clear();
    near_.forget();
  }

 private:
  static constexpr std::size_t kChunks = 64;
  static constexpr std::size_t kMost = 1 << 14;
  struct Dict {
    Address keys, values;
    std::uint32_t type;
  };

  void add_bytes(std::uint32_t type, std::uint64_t bytes) {
    tally_.types[type].bytes += bytes;
    tally_.bytes += bytes;
  }

  // What is in a table outside the arenas may be outside them, too.
  void look_at(const ObjectView& object, Address table, std::uint64_t bytes) {
    large_.note_table(table, bytes);
    for_each_reference(object, near_, layout_, [&](const Reference& reference) {
      large_.note(reference.target, reference.certain());
    });
  }
  void note_entries(const KeyTable& table) {
    large_.note_table(table.entries, table.count * table.entry_bytes);
    for_each_word(near_, table.entries, table.count * table.entry_bytes / 8,
                  [&](Address word, std::uint64_t) { large_.note(word, false); });
  }

  CachedMemory near_;
  const Layout& layout_;
  Tally& tally_;
  LargeObjects& large_;
  std::vector<Dict> dicts_;
};

class Counter {
 public:
  Counter(const LiveSource& source, TypeTable& types, const StretchMap& places)
      : source_(source),
        scanner_(types, source.layout),
        large_(places),
        tables_(source, tally_, large_),
        bytes_(kReadAtOnce) {}

  void count(const Arena& arena) {
    const Address step = source_.layout.pool_bytes;
    const auto first = (arena.begin + step - 1) / step * step;
    for (auto from = first; from + step <= arena.end; from += kReadAtOnce) {
      const auto pools = std::min<Address>(kReadAtOnce, arena.end - from) / step;
      const auto bytes = std::span(bytes_).first(static_cast<std::size_t>(pools * step));
      if (!source_.memory.read(from, bytes)) return;  // given back meanwhile
      for (Address at = 0; at < bytes.size(); at += step)
        count_pool(from + at, bytes.subspan(at, step));
    }
  }
  void count(const MimallocPage& page) {
    const auto bytes = std::span(bytes_).first(MimallocPage::kBytes);
    if (!source_.memory.read(page.begin, bytes)) return;
    const auto state = read_page(source_.memory, page);
    const auto& pool = state.pool;
    if (pool.block_bytes == 0) return;
    large_.note_words(bytes.subspan(pool.first, pool.end - pool.first));
    scanner_.scan_page(page.begin, bytes, state, [&](const ObjectView& object) { take(object); });
  }
  void finish() { tables_.flush_dicts(); }
  const Tally& tally() const { return tally_; }
  const LargeObjects& large() const { return large_; }

 private:
  void count_pool(Address start, std::span<const std::byte> bytes) {
    const auto pool = read_pool(bytes);
    if (pool.block_bytes == 0) return;
    large_.note_words(bytes.subspan(pool.first, pool.end - pool.first));
    scanner_.scan(start, bytes, [&](const ObjectView& object) { take(object); });
  }
  void take(const ObjectView& object) {
    tally_.add(object, own_bytes(object, source_.layout), source_.layout);
    tables_.add(object);
  }

  const LiveSource& source_;
  PoolScanner scanner_;
  Tally tally_{};
  LargeObjects large_;
  Tables tables_;
  std::vector<std::byte> bytes_;
};

// Each counter has looked at its part of the arenas.
std::vector<std::unique_ptr<Counter>> look_at_arenas(const LiveSource& source, TypeTable& types,
                                                     const StretchMap& places) {
  std::vector<std::unique_ptr<Counter>> counters(parts_of(source.arenas.size(), source.threads));
  for (auto& counter : counters) counter = std::make_unique<Counter>(source, types, places);
  in_parts(source.arenas.size(), source.threads,
           [&](std::size_t part, std::size_t first, std::size_t end) {
             for (auto i = first; i < end; ++i) {
               if (source.pages.empty()) {
                 counters[part]->count(source.arenas[i]);
               } else {
                 counters[part]->count(source.pages[i]);
               }
             }
             counters[part]->finish();
           });
  return counters;
}

}  // namespace

Tally count_live(const LiveSource& source, TypeTable& types) {
  const StretchMap places(beside_arenas(source.regions, source.arenas));
  Tally tally;
  LargeObjects large(places);
  for (const auto& counter : look_at_arenas(source, types, places)) {
    tally.add(counter->tally());
    large.take(counter->large());
  }
  large.count(source, types, tally);
  tally.leave_out_hidden();
  return tally;
}

std::vector<Stretch> places_pointed_to(const LiveSource& source, TypeTable& types,
                                       const PieceMap& pieces) {
  const StretchMap places(beside_arenas(source.regions, source.arenas));
  std::vector<Stretch> all;
  for (const auto& counter : look_at_arenas(source, types, places)) {
    const auto part = counter->large().places(source, types, pieces);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  return all;
}

}  // namespace tidegauge::census
