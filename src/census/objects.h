// SPDX-License-Identifier: Apache-2.0
// Objects as they lie in memory: which block holds one, and how large it is.
#pragma once

#include <span>

#include "census/arenas.h"
#include "census/types.h"

namespace tidegauge::census {

// A reference count that a live object can have. A freed block holds a pointer, or 0, there.
bool is_live_count(std::uint64_t word, const Layout& layout);

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
};

// The bytes of an object as sys.getsizeof tells them, with what precedes it, plus the values that
// an instance keeps by itself. Tables of lists and sets are theirs; those of a dict are not in it,
// since they must be read: dict_table_bytes.
std::uint64_t own_bytes(const ObjectView& object, const Layout& layout);

// Bytes in the object's block itself; more than the block holds means that this is no object.
std::uint64_t inline_bytes(const ObjectView& object, const Layout& layout);

// Calls `call(ObjectView)` for each live object in a pool's bytes, which lie at `start`.
class PoolScanner {
 public:
  PoolScanner(TypeTable& types, const Layout& layout) : types_(types), layout_(layout) {}

  template <class Call>
  void scan(Address start, std::span<const std::byte> bytes, Call&& call) {
    const auto pool = read_pool(bytes);
    if (pool.block_bytes == 0) return;
    for (auto at = pool.first; at + pool.block_bytes <= pool.end; at += pool.block_bytes) {
      const auto object = object_in(start + at, bytes.subspan(at, pool.block_bytes));
      if (object.type != nullptr) call(object);
    }
  }

 private:
  ObjectView object_in(Address block_start, std::span<const std::byte> block);
  ObjectView object_at(Address block_start, std::span<const std::byte> block, std::size_t offset);
  const TypeInfo* type_at(Address type);

  static constexpr std::size_t kRecent = 4096;
  struct Recent {
    Address address = 0;
    const TypeInfo* type = nullptr;
  };
  TypeTable& types_;
  const Layout& layout_;
  std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
};

}  // namespace tidegauge::census
