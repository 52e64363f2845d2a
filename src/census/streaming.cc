// SPDX-License-Identifier: Apache-2.0
#include "census/streaming.h"

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

Tally count_live(const Memory& memory, const Layout& layout, const std::vector<Arena>& arenas,
                 TypeTable& types) {
  constexpr std::size_t kChunks = 512;  // 2 MiB: tables that are near each other are read once
  const CachedMemory near(memory, kChunks);
  PoolScanner scanner(types, layout);
  Tally tally;
  std::vector<std::byte> bytes(layout.arena_bytes);
  const Address step = layout.pool_bytes;
  for (const auto& arena : arenas) {
    if (!memory.read(arena.begin, bytes)) continue;  // given back meanwhile
    for (auto pool = (arena.begin + step - 1) / step * step; pool + step <= arena.end;
         pool += step) {
      const auto offset = static_cast<std::size_t>(pool - arena.begin);
      scanner.scan(pool, std::span(bytes).subspan(offset, step), [&](const ObjectView& object) {
        tally.add(*object.type, own_bytes(object, near, layout));
      });
    }
  }
  return tally;
}

}  // namespace tidegauge::census
