// SPDX-License-Identifier: Apache-2.0
#include "census/streaming.h"

#include <algorithm>

#include "census/dicts.h"
#include "census/objects.h"

namespace tidegauge::census {

void Tally::add(const TypeInfo& type, std::uint64_t more) {
  if (types.size() <= type.id) types.resize(type.id + 1);
  auto& count = types[type.id];
  count.type = &type;
  ++count.count;
  count.bytes += more;
  ++objects;
  bytes += more;
}

namespace {

// Dicts whose tables have not been read yet. In order of address many of them are on one page.
class Dicts {
 public:
  Dicts(const Memory& memory, const Layout& layout, Tally& tally)
      : near_(memory, kChunks), layout_(layout), tally_(tally) {
    waiting_.reserve(kMost);
  }

  void add(const ObjectView& dict) {
    waiting_.push_back(
        {dict.at<Address>(dict::kKeys), dict.at<Address>(dict::kValues), dict.type->id});
    if (waiting_.size() == kMost) flush();
  }

  void flush() {
    std::sort(waiting_.begin(), waiting_.end(),
              [](const Waiting& a, const Waiting& b) { return a.keys < b.keys; });
    for (const auto& [keys, values, type] : waiting_) {
      const auto bytes = dict_table_bytes(near_, layout_, keys, values);
      tally_.types[type].bytes += bytes;
      tally_.bytes += bytes;
    }
    waiting_.clear();
    near_.forget();
  }

 private:
  static constexpr std::size_t kChunks = 64;
  static constexpr std::size_t kMost = 1 << 16;
  struct Waiting {
    Address keys, values;
    std::uint32_t type;
  };
  CachedMemory near_;
  const Layout& layout_;
  Tally& tally_;
  std::vector<Waiting> waiting_;
};

}  // namespace

Tally count_live(const Memory& memory, const Layout& layout, const std::vector<Arena>& arenas,
                 TypeTable& types) {
  PoolScanner scanner(types, layout);
  Tally tally;
  Dicts dicts(memory, layout, tally);
  std::vector<std::byte> bytes(layout.arena_bytes);
  const Address step = layout.pool_bytes;
  for (const auto& arena : arenas) {
    if (!memory.read(arena.begin, bytes)) continue;  // given back meanwhile
    for (auto pool = (arena.begin + step - 1) / step * step; pool + step <= arena.end;
         pool += step) {
      const auto offset = static_cast<std::size_t>(pool - arena.begin);
      scanner.scan(pool, std::span(bytes).subspan(offset, step), [&](const ObjectView& object) {
        tally.add(*object.type, own_bytes(object, layout));
        if (object.type->shape == Shape::Dict) dicts.add(object);
      });
    }
  }
  dicts.flush();
  return tally;
}

}  // namespace tidegauge::census
