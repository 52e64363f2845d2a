// SPDX-License-Identifier: Apache-2.0
#include "census/large_objects.h"

#include "census/references.h"

namespace tidegauge::census {

namespace {

constexpr std::size_t kNearChunks = 64;
constexpr std::size_t kMostBody = 1 << 12;  // of which words may be references

// An object that says so itself: a live count, a type, and a size that fits where it lies.
std::optional<ObjectView> object_there(Address object, Address end, const Memory& memory,
                                       const Layout& layout, TypeTable& types,
                                       std::vector<std::byte>& bytes) {
  const auto type_at = type_of_live(memory, layout, object);
  const auto* const type = type_at == 0 ? nullptr : types.find(type_at);
  if (type == nullptr || end - object < static_cast<std::uint64_t>(type->basic_bytes)) return {};
  constexpr Address kMallocAlignment = 16;
  const bool is_static = type->shape == Shape::Type || type->bytes_before == 0;
  if (!is_static && (object - type->bytes_before) % kMallocAlignment != 0) return {};
  bytes.resize(static_cast<std::size_t>(std::min<Address>(end - object, kMostBody)));
  if (!memory.read(object, bytes)) return {};
  const ObjectView view{object, type, bytes, 0};
  if (inline_bytes(view, layout) > end - object) return {};
  return view;
}

}  // namespace

std::vector<Stretch> beside_arenas(const std::vector<Region>& regions,
                                   const std::vector<Arena>& arenas) {
  std::vector<Stretch> beside;
  auto arena = arenas.begin();
  for (const auto& region : regions) {
    if (!region.readable || !region.writable || region.shared) continue;
    auto begin = region.begin;
    while (arena != arenas.end() && arena->end <= begin) ++arena;
    for (; arena != arenas.end() && arena->begin < region.end; ++arena) {
      if (arena->begin > begin) beside.push_back({begin, arena->begin});
      begin = arena->end;
    }
    if (begin < region.end) beside.push_back({begin, region.end});
  }
  return beside;
}

std::vector<Stretch> LargeObjects::places(const LiveSource& source, TypeTable& types,
                                          const PieceMap& pieces) const {
  constexpr Address kBefore = 4096;      // what precedes an object
  constexpr Address kBehind = 64 << 10;  // small tables, and structures of libraries
  constexpr int kMostLooks = 100'000;    // a few tenths of a second
  const CachedMemory memory(source.memory, kNearChunks);
  std::vector<std::byte> bytes;
  int looks = 0;
  const auto is_in_large_piece = [&](Address address, const Stretch& mapping) {
    if (pieces.large.find(address) != StretchMap::kNone) return true;
    if (pieces.small.find(address) != StretchMap::kNone || ++looks > kMostLooks) return false;
    return begins_large_piece(memory, mapping, address, pieces.large_bytes);
  };
  const auto is_only_data = [&](Address address) {
    const auto& mapping = places_.all()[places_.find(address)];
    return is_in_large_piece(address, mapping) &&
           !object_there(address, mapping.end, memory, source.layout, types, bytes);
  };
  auto all = tables_;
  for (const auto& [address, certain] : book_.all()) {
    if (certain || !is_only_data(address)) all.push_back({address - kBefore, address + kBehind});
  }
  return all;
}

void LargeObjects::count(const LiveSource& source, TypeTable& types, Tally& tally) {
  const CachedMemory memory(source.memory, kNearChunks);
  std::vector<std::byte> bytes;
  // The book grows while it is read.
  for (std::size_t i = 0; i < book_.all().size(); ++i) {
    const auto address = book_.all()[i].address;
    const auto end = places_.all()[places_.find(address)].end;
    const auto object = object_there(address, end, memory, source.layout, types, bytes);
    if (!object) continue;
    auto size = own_bytes(*object, source.layout);
    if (object->type->shape == Shape::Dict) {
      size += dict_table_bytes(memory, source.layout, object->field<Address>(dict::kKeys),
                               object->field<Address>(dict::kValues));
    }
    tally.add(*object, size, source.layout);
    for_each_reference(*object, memory, source.layout, [&](const Reference& reference) {
      note(reference.target, reference.certain());
    });
  }
}

}  // namespace tidegauge::census
