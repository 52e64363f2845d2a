// SPDX-License-Identifier: Apache-2.0
// Objects as they lie in memory: which block holds one, and how large it is.
#pragma once

#include <algorithm>
#include <span>

#include "census/mimalloc.h"
#include "census/types.h"

namespace tidegauge::census {

// What is counted where there is no global lock: by the thread that made an object, and by others.
// One that never goes has the largest own count. Some functions and types are not counted by all;
// these have a large count of the others'.
inline std::int64_t references_without_lock(std::uint64_t local_word, std::uint64_t shared_word) {
  return static_cast<std::int64_t>(local_word >> 32) +
         (static_cast<std::int64_t>(shared_word) >> 2);
}

// One that another thread has let go of for the last time waits, counted, for the thread that made
// it: nobody holds it.
inline bool waits_for_its_thread(std::uint64_t shared_word) {
  constexpr std::uint64_t kQueued = 2;
  return (shared_word & 3) == kQueued;
}

// An object's header that a live one can have. A freed block has a pointer, or 0, for a count.
inline bool is_live(std::span<const std::byte> header, const Layout& layout) {
  if (layout.free_threaded) {
    const auto local = value_at<std::uint64_t>(header, 8);
    constexpr std::uint64_t kMostLock = 3;
    const bool plausible = ((local >> 16) & 0xff) <= kMostLock && (local & 0xff00) == 0;
    return plausible && references_without_lock(local, value_at<std::uint64_t>(header, 16)) > 0;
  }
  const auto word = value_at<std::uint64_t>(header, 0);
  if (layout.flagged_refcount) {
    return (word & 0xffffffffU) != 0 && ((word >> 32) & 0xffffU) == 0;
  }
  return word != 0 && word < (1ULL << 34);
}

// The type of what looks like a live object; 0: it does not.
inline Address type_of_live(const Memory& memory, const Layout& layout, Address object) {
  std::array<std::byte, object::kHeader + object::kFreeThreaded> bytes;
  const auto header = std::span(bytes).first(static_cast<std::size_t>(layout.header()));
  if (!memory.read(object, header) || !is_live(header, layout)) return 0;
  return value_at<Address>(header, layout.shift() + object::kType);
}

// An object that the collector knows has neighbours that point back to it; one that it does not
// follow has none.
inline bool collector_agrees(const Memory& memory, const Layout& layout, Address object) {
  if (layout.free_threaded) return true;  // it keeps no lists
  const auto head = object - object::kGcHead;
  const auto next = memory.get<Address>(head);
  if (!next) return false;
  const auto neighbour = *next & ~Address(3);
  return neighbour == 0 || (memory.pointer(neighbour + 8) & ~Address(3)) == head;
}

// An object whose bytes we have: from its start to the end of its block or of what was read.
struct ObjectView {
  Address address = 0;
  const TypeInfo* type = nullptr;
  std::span<const std::byte> body{};
  std::uint32_t block_bytes = 0;  // of its block in a pool; 0: it is in none

  template <class T>
  T at(std::size_t offset) const {
    return offset + sizeof(T) <= body.size() ? value_at<T>(body, offset) : T{};
  }
  // By an offset that does not count what free-threaded builds begin with: see in_object.
  template <class T>
  T field(std::size_t offset) const {
    return at<T>(type->shift + offset);
  }
};

// The bytes of an object as sys.getsizeof tells them, with what precedes it, plus the values that
// an instance keeps by itself. Tables of lists and sets are theirs; those of a dict are not in it,
// since they must be read: dict_table_bytes.
std::uint64_t own_bytes(const ObjectView& object, const Layout& layout);

inline constexpr std::uint64_t kLargestObject = 1ULL << 46;

// From 3.15 on a bytearray keeps its content in a bytes object, which belongs to it: sys.getsizeof
// counts it in, and Python code never sees it.
inline constexpr std::uint64_t kByteArrayRoom = 24, kByteArrayContent = 56, kBytesHeader = 33;
inline bool has_hidden_content(const ObjectView& object, const Layout& layout) {
  return layout.bytearray_in_bytes && object.type->shape == Shape::ByteArray &&
         object.field<std::uint64_t>(kByteArrayRoom) != 0;  // empty ones share one
}

inline std::uint64_t text_bytes(const ObjectView& object, const Layout& layout) {
  const auto length = object.field<std::uint64_t>(text::kLength);
  const TextState how(object.field<std::uint32_t>(text::kState), layout);
  const auto characters = (length + 1) * how.kind;
  if (!how.compact) return static_cast<std::uint64_t>(object.type->basic_bytes) + characters;
  return (how.ascii ? layout.ascii_header : layout.compact_header) + characters;
}

inline std::uint64_t int_bytes(const ObjectView& object, const Layout& layout) {
  constexpr std::uint64_t kDigit = 4;
  const auto basic = static_cast<std::uint64_t>(object.type->basic_bytes);
  if (layout.int_tag)
    return basic +
           kDigit * std::max<std::uint64_t>(object.field<std::uint64_t>(object::kSize) >> 3, 1);
  const auto size = object.field<std::int64_t>(object::kSize);
  return basic + kDigit * static_cast<std::uint64_t>(size < 0 ? -size : size);
}

// The items of an array.array, which are outside it.
inline std::uint64_t packed_bytes(const ObjectView& object, const Memory& memory) {
  constexpr std::size_t kAllocated = 32;
  constexpr std::size_t kDescription = 40;
  constexpr Address kItemBytes = 4;
  constexpr std::int32_t kLargestItem = 16;
  const auto count = object.field<std::uint64_t>(kAllocated);
  const auto item =
      memory.get<std::int32_t>(object.field<Address>(kDescription) + kItemBytes).value_or(0);
  if (item <= 0 || item > kLargestItem || count > kLargestObject / kLargestItem) return 0;
  return count * static_cast<std::uint64_t>(item);
}

// A type with items but without a count of them: its frame is inside.
inline bool has_no_count(Shape shape) {
  return shape == Shape::Generator;
}

inline std::uint64_t counted_bytes(const ObjectView& object) {
  const auto basic = static_cast<std::uint64_t>(object.type->basic_bytes);
  if (object.type->item_bytes == 0 || has_no_count(object.type->shape)) return basic;
  const auto size = object.field<std::int64_t>(object::kSize);
  const auto count = static_cast<std::uint64_t>(size < 0 ? -size : size);
  if (count > kLargestObject) return kLargestObject;
  return basic + count * static_cast<std::uint64_t>(object.type->item_bytes);
}

inline std::uint64_t inline_values(const ObjectView& object, const Layout& layout) {
  if (layout.instance_kind != InstanceKind::InlineValues || !object.type->is(type::kInlineValues)) {
    return 0;
  }
  const auto capacity = object.at<std::uint8_t>(static_cast<std::size_t>(object.type->basic_bytes));
  return 8ULL + 8ULL * capacity;
}

// Bytes in the object's block itself; more than the block holds means that this is no object.
inline std::uint64_t inline_bytes(const ObjectView& object, const Layout& layout) {
  switch (object.type->shape) {
    case Shape::Text:
      return text_bytes(object, layout);
    case Shape::Int:
      return int_bytes(object, layout);
    default:
      return counted_bytes(object) + inline_values(object, layout);
  }
}

// What CPython puts before a block with PYTHONMALLOC=debug, and so with -X dev: its size, who asked
// for it, and a pattern.
inline constexpr std::size_t kDebugPrefix = 16;
inline bool has_debug_prefix(std::span<const std::byte> block) {
  constexpr std::uint64_t kPattern = 0xfdfdfdfdfdfdfd;
  return value_at<std::uint64_t>(block, 8) >> 8 == kPattern;
}

// Calls `call(ObjectView)` for each live object in a pool's bytes, which lie at `start`.
class PoolScanner {
 public:
  PoolScanner(TypeTable& types, const Layout& layout) : types_(types), layout_(layout) {}

  template <class Call>
  void scan(Address start, std::span<const std::byte> bytes, Call&& call) {
    scan_blocks(start, bytes, read_pool(bytes), call);
  }

  // The same for a page, by what is said of it.
  template <class Call>
  void scan_page(Address start, std::span<const std::byte> bytes, const PageState& state,
                 Call&& call) {
    if (!state.holds_objects) return;
    free_.find(state, start, bytes);
    scan_blocks(start, bytes, state.pool, call);
    free_.forget();
  }

 private:
  template <class Call>
  void scan_blocks(Address start, std::span<const std::byte> bytes, const Pool& pool, Call& call) {
    if (pool.block_bytes == 0) return;
    std::size_t before = 0;  // as of the last one: a pool's blocks are mostly used alike
    for (auto at = pool.first; at + pool.block_bytes <= pool.end; at += pool.block_bytes) {
      if (free_.has(at)) continue;
      const auto block = bytes.subspan(at, pool.block_bytes);
      auto object = object_in(start + at, block, before);
      if (object.type == nullptr && block.size() > kDebugPrefix && has_debug_prefix(block)) {
        object = object_in(start + at + kDebugPrefix, block.subspan(kDebugPrefix), before);
      }
      if (object.type == nullptr) continue;
      before = object.type->bytes_before;
      call(object);
    }
  }

  static constexpr std::size_t kBefore[] = {0, object::kGcHead, 2 * object::kGcHead};

  ObjectView object_in(Address block_start, std::span<const std::byte> block, std::size_t before) {
    auto object = object_at(block_start, block, before);
    for (const auto other : kBefore) {
      if (object.type != nullptr) break;
      if (other != before) object = object_at(block_start, block, other);
    }
    return object;
  }

  ObjectView object_at(Address block_start, std::span<const std::byte> block, std::size_t offset) {
    if (offset + layout_.header() > block.size()) return {};
    if (!is_live(block.subspan(offset), layout_)) return {};
    const auto address = value_at<Address>(block, offset + layout_.shift() + object::kType);
    if (address % 8 != 0 || address < (1 << 12)) return {};
    const auto* const type = type_at(address);
    if (type == nullptr || type->bytes_before != offset) return {};
    const ObjectView object{block_start + offset, type, block.subspan(offset),
                            static_cast<std::uint32_t>(block.size())};
    if (inline_bytes(object, layout_) > object.body.size()) return {};
    return object;
  }

  const TypeInfo* type_at(Address type) {
    auto& recent = recent_[(type >> 4) % kRecent];
    if (recent.address != type) recent = {type, types_.find(type)};
    return recent.type;
  }

  static constexpr std::size_t kRecent = 4096;
  struct Recent {
    Address address = 0;
    const TypeInfo* type = nullptr;
  };
  TypeTable& types_;
  const Layout& layout_;
  FreeBlocks free_{};
  std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
};

}  // namespace tidegauge::census
