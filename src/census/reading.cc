// SPDX-License-Identifier: Apache-2.0
#include "census/reading.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "census/locate.h"
#include "census/parts.h"
#include "census/retainers.h"
#include "census/saved_pieces.h"
#include "census/snapshot.h"
#include "census/spared.h"
#include "census/streaming.h"
#include "census/wire.h"

namespace tidegauge::census {

namespace {

using record::Census;

constexpr std::size_t kCacheChunks = 1024;  // 4 MiB
constexpr std::size_t kFewChunks = 256;     // for what is read once

Census::Type as_type(const TypeInfo& type, std::uint64_t count, std::uint64_t bytes) {
  return {.name = type.name, .count = count, .bytes = bytes};
}

void sort_types(std::vector<Census::Type>& types) {
  std::erase_if(types, [](const Census::Type& type) { return type.count == 0; });
  std::sort(types.begin(), types.end(), [](const Census::Type& a, const Census::Type& b) {
    const auto of_a = a.bytes + a.native_bytes;
    const auto of_b = b.bytes + b.native_bytes;
    return std::tie(of_b, a.name) < std::tie(of_a, b.name);
  });
}

// Two classes of one name (a module that was loaded twice) are one line.
void merge_types(std::vector<Census::Type>& types) {
  std::map<std::string, Census::Type> merged;
  for (auto& type : types) {
    auto& into = merged[type.name];
    into.name = type.name;
    into.count += type.count;
    into.bytes += type.bytes;
    into.native_bytes += type.native_bytes;
    if (type.retained_bytes) {
      into.retained_bytes = into.retained_bytes.value_or(0) + *type.retained_bytes;
    }
  }
  types.clear();
  for (auto& [name, type] : merged) types.push_back(std::move(type));
}

void group_natives(const std::vector<Native>& natives, Census& census) {
  using Key = std::tuple<std::string, std::string, std::vector<std::int64_t>, bool, bool>;
  std::map<Key, Census::Buffers> groups[3];
  for (const auto& native : natives) {
    auto& group = groups[static_cast<std::size_t>(native.kind)][{
        native.device, native.dtype, native.shape, native.requires_grad, native.has_grad_fn}];
    group.device = native.device;
    group.dtype = native.dtype;
    group.shape = native.shape;
    group.requires_grad = native.requires_grad;
    group.has_grad_fn = native.has_grad_fn;
    ++group.count;
    group.bytes += native.bytes;
  }
  const auto sorted = [](std::map<Key, Census::Buffers>& group) {
    std::vector<Census::Buffers> all;
    all.reserve(group.size());
    for (auto& [key, buffers] : group) all.push_back(std::move(buffers));
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return all;
  };
  census.tensors = sorted(groups[0]);
  census.arrays = sorted(groups[1]);
  census.images = sorted(groups[2]);
}

constexpr const char* kNoArenas =
    "CPython's own allocator is not in use (PYTHONMALLOC?), so only what modules and functions "
    "lead to was seen";

constexpr const char* kCollecting =
    "its garbage collector was at work, so that what is garbage cannot be told";

void stream(const Memory& memory, const Interpreter& python, const std::vector<Region>& regions,
            Census& census) {
  const auto [arenas, pages] = find_places(CachedMemory(memory, kFewChunks), python, regions);
  TypeTable types(memory, python);
  const auto tally =
      count_live({memory, *python.layout, arenas, regions, threads_to_use(), pages}, types);
  census.streaming = true;
  census.objects = tally.objects;
  census.bytes = tally.bytes;
  for (const auto& count : tally.types) {
    if (count.type != nullptr)
      census.types.push_back(as_type(*count.type, count.count, count.bytes));
  }
  census.incomplete = arenas.empty()
                          ? kNoArenas
                          : "buffers outside Python's heap (tensors, arrays, images) are not "
                            "counted without a snapshot";
}

void fill_types(const Heap& heap, const TypeTable& types, const Holding& holding, Census& census) {
  std::vector<Census::Type> all;
  for (const auto& type : types.all()) all.push_back(as_type(*type, 0, 0));
  for (Node node = 0; node < heap.nodes(); ++node) {
    if (heap.is_hidden(node)) continue;
    auto& type = all[heap.type(node).id];
    const auto native = heap.native_bytes(node);
    ++type.count;
    type.bytes += heap.bytes(node) - native;
    type.native_bytes += native;
    census.bytes += heap.bytes(node);
  }
  for (std::size_t id = 0; id < all.size(); ++id) {
    all[id].retained_bytes =
        id < holding.retained_by_type.size() ? holding.retained_by_type[id] : 0;
  }
  census.objects = heap.nodes() - heap.hidden();
  census.types = std::move(all);
}

std::vector<Address> collecting_words(const Interpreter& python) {
  std::vector<Address> words;
  for (const auto interp : python.interpreters) {
    if (python.layout->gc_collecting == 0) continue;  // not known
    words.push_back(interp + python.layout->gc_collecting);
  }
  return words;
}

// What can be said before the process is stopped.
Snapshot::Wishes wishes_of(const Target& target, const Memory& live, const Interpreter& python) {
  Snapshot::Wishes wishes;
  wishes.collecting = collecting_words(python);
  const auto& regions = target.regions;
  const CachedMemory near(live, kFewChunks);
  const auto [arenas, pages] = find_places(near, python, regions);
  TypeTable types(near, python);
  auto sparing = what_to_spare(
      target, {live, *python.layout, arenas, regions, threads_to_use(), pages}, types);
  wishes.spared = std::move(sparing.spared);
  wishes.saved = std::move(sparing.saved);
  return wishes;
}

std::vector<Region> as_regions(const std::vector<Stretch>& stretches) {
  std::vector<Region> regions;
  regions.reserve(stretches.size());
  for (const auto& [begin, end] : stretches) {
    regions.push_back({.begin = begin, .end = end, .readable = true});
  }
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return a.begin < b.begin; });
  return regions;
}

// A tensor or an arena that was made after the running process was looked at may lie in a stretch
// that was left out: then it was read in the process, which has gone on meanwhile. Such places are
// not left out the next time. Whether there are any.
bool keep_what_is_new(const Heap& heap, const std::vector<Arena>& arenas,
                      Snapshot::Wishes& wishes) {
  constexpr Address kBefore = 4096;
  constexpr Address kBehind = 64 << 10;  // what else belongs to it
  const StretchMap spared(wishes.spared);
  const StretchMap saved(wishes.saved);
  std::vector<Stretch> kept;
  const auto keep = [&](Address place) {
    if (spared.find(place) == StretchMap::kNone || saved.find(place) != StretchMap::kNone) return;
    kept.push_back({place - kBefore, place + kBehind});
  };
  for (const auto place : heap.unread_natives()) keep(place);
  for (const auto& native : heap.natives()) keep(native.behind);
  for (const auto& arena : arenas) {
    if (spared.find(arena.begin) != StretchMap::kNone) kept.push_back(arena);
  }
  if (kept.empty()) return false;
  wishes.spared =
      gaps_between(in_order(std::move(wishes.spared)), in_order(std::move(kept)), kSmallestSpared);
  return true;
}

enum class Attempt { One, Last };

struct AtRest {
  const Memory& memory;  // only what is mapped
  const std::vector<Region>& regions;
  const std::vector<Stretch>& spared;  // not among the regions, and there all the same
  const Interpreter& python;
};

using IsGood = std::function<bool(const Heap&, const std::vector<Arena>&)>;
struct Telling {
  secrets::Keys keys;
  std::function<void(const Census&)> on_counted{};
};

void tidy_types(Census& census) {
  merge_types(census.types);
  sort_types(census.types);
}

void fill_holders(const Holding& holding, Census& census) {
  for (const auto& retainer : holding.retainers) {
    census.retainers.push_back({retainer.path, name_of(retainer.root), retainer.type,
                                retainer.count, retainer.retained_bytes});
  }
  census.garbage_count = holding.garbage.count;
  census.garbage_bytes = holding.garbage.bytes;
}

// Everything in memory that does not move; false where what was read is not good.
bool read_all(const AtRest& from, const IsGood& is_good, const Telling& telling, Census& census) {
  const CachedMemory around(from.memory, kCacheChunks);
  const auto [arenas, pages] =
      find_places(CachedMemory(from.memory, kFewChunks), from.python, from.regions);
  const auto threads = threads_to_use();
  Image image(from.memory, arenas, threads);
  const ImageMemory memory(image, around);
  TypeTable types(memory, from.python);
  const auto roots = find_roots(memory, from.python, types);
  std::vector<Address> addresses;
  addresses.reserve(roots.size());
  for (const auto& root : roots) addresses.push_back(root.object);
  const StretchMap libraries(libraries_in(from.regions));
  auto no_files = unnamed_in(from.regions);
  no_files.insert(no_files.end(), from.spared.begin(), from.spared.end());
  const StretchMap unnamed(joined(std::move(no_files)));
  const HeapSource source{image, from.memory, memory, libraries, unnamed, threads, pages};
  const auto heap = read_heap(source, from.python, types, addresses);
  if (!is_good(heap, arenas)) return false;
  group_natives(heap.natives(), census);
  if (arenas.empty()) {
    census.incomplete = kNoArenas;
  } else if (!heap.unread_natives().empty()) {
    census.incomplete = fmt::format(
        "{} tensors, arrays or images could not be read: their bytes are missing (a version of "
        "their "
        "library that is not known here?)",
        heap.unread_natives().size());
  }
  if (telling.on_counted) {
    auto counted = census;
    fill_types(heap, types, {}, counted);
    tidy_types(counted);
    telling.on_counted(counted);
  }
  const auto holding = find_retainers(heap, roots, telling.keys);
  fill_types(heap, types, holding, census);
  fill_holders(holding, census);
  return true;
}

// False: it has to be done again, with other wishes.
Result<bool> read_copy(const Target& target, const Memory& live, const Interpreter& python,
                       const Request& request, const Said& copied, Snapshot::Wishes& wishes,
                       Attempt attempt, Census& census) {
  constexpr std::size_t kFiles = 2;
  auto saved = SavedPieces::made_in(wishes.saved, request.room);
  if (copied.word != Word::Copied || copied.files.size() != kFiles || !saved) {
    return Error{Reason::Failed, fmt::format("there is no copy of {}", target.pid)};
  }
  const FileMemory copy(copied.files[0].get());
  // As it was when it was copied: the map from before the stop may be older.
  const auto regions = read_regions_of(copied.files[1].get());
  const MappedMemory as_copied(copy, regions);
  const MappedMemory spared(live, as_regions(wishes.spared));
  const PatchedMemory patched(spared, *saved);
  const EitherMemory mapped(as_copied, patched);
  const auto is_good = [&](const Heap& heap, const std::vector<Arena>& arenas) {
    return attempt == Attempt::Last || !keep_what_is_new(heap, arenas, wishes);
  };
  return read_all({mapped, regions, wishes.spared, python}, is_good, {request.keys, {}}, census);
}

// What is as large as a heap comes and goes several times: what is freed goes back at once. By
// itself malloc would begin to keep it.
void give_back_at_once() {
  constexpr int kLarge = 256 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
}

Result<> read_copies(const Target& target, const Memory& live, const Interpreter& python,
                     const Request& request, const ReaderLine& line, Census& census) {
  auto wishes = wishes_of(target, live, python);
  give_back_at_once();
  for (int copies = 1;; ++copies) {
    line.say(Word::Wishes, wire::to_bytes(wishes));
    const auto copied = line.hear();
    if (!copied) return Error{Reason::Gone, "whoever asked has ended"};
    const auto attempt = copies < kMostCopies ? Attempt::One : Attempt::Last;
    const auto read = read_copy(target, live, python, request, *copied, wishes, attempt, census);
    if (!read) return read.error();
    if (*read) return Ok{};
  }
}

Result<Census> census_of(const Target& target, const Request& request, const ReaderLine& line) {
  const FileMemory memory(target.memory.get(), devices_in(target.regions));
  const auto python = locate(target, memory);
  if (!python) return python.error();
  Census census{.python = python->version};
  if (request.how == Request::How::Stream) {
    stream(memory, *python, target.regions, census);
  } else if (request.how == Request::How::StandsStill) {
    give_back_at_once();
    const auto any = [](const Heap&, const std::vector<Arena>&) { return true; };
    const MappedMemory mapped(memory, target.regions);
    const auto tell = [&](const Census& counted) {
      line.say(Word::Counted, wire::to_bytes(counted));
    };
    read_all({mapped, target.regions, {}, *python}, any, {request.keys, tell}, census);
    for (const auto word : collecting_words(*python)) {
      if (memory.get<std::int32_t>(word).value_or(0) != 0) census.incomplete = kCollecting;
    }
  } else {
    const auto read = read_copies(target, memory, *python, request, line, census);
    if (!read) return read.error();
  }
  if (python->searched && !census.incomplete) {
    census.incomplete =
        "this version of CPython is not known here; where it keeps what was searched for in the "
        "process, so that sizes of some types may be off (--layout-from a Python of that version "
        "learns them)";
  }
  tidy_types(census);
  return census;
}

}  // namespace

void read_census(const Target& target, const Request& request, const ReaderLine& line) {
  const auto census = census_of(target, request, line);
  if (census) {
    line.say(Word::Done, wire::to_bytes(*census));
  } else {
    line.say(Word::Failed, wire::to_bytes(census.error()));
  }
}

}  // namespace tidegauge::census
