// SPDX-License-Identifier: Apache-2.0
#include "census/objects.h"

#include <algorithm>
#include <cstdlib>

namespace tidegauge::census {

namespace {

constexpr std::uint64_t kDequeBlock = 528;  // 64 items and two links
constexpr std::uint64_t kDequeItems = 64;

std::uint64_t set_table_bytes(const ObjectView& object) {
  const auto mask = object.field<std::uint64_t>(set::kMask);
  const bool small =
      object.field<Address>(set::kTable) == object.address + object.type->shift + set::kSmallTable;
  return small ? 0 : (mask + 1) * 16;
}

// Behind a bytearray, list, set or deque.
std::uint64_t table_bytes(const ObjectView& object, const Layout& layout) {
  switch (object.type->shape) {
    case Shape::List:
      return object.field<std::uint64_t>(list::kAllocated) * 8;
    case Shape::ByteArray:
      return object.field<std::uint64_t>(kByteArrayRoom) +
             (has_hidden_content(object, layout) ? kBytesHeader + layout.shift() : 0);
    case Shape::Set:
      return set_table_bytes(object);
    case Shape::Deque:
      return (object.field<std::uint64_t>(object::kSize) / kDequeItems + 1) * kDequeBlock;
    default:
      return 0;
  }
}

}  // namespace

std::uint64_t own_bytes(const ObjectView& object, const Layout& layout) {
  const auto before = object.type->bytes_before;
  auto inside = inline_bytes(object, layout);
  if (has_no_count(object.type->shape) && object.block_bytes > before) {
    inside = object.block_bytes - before;
  }
  const auto tables = table_bytes(object, layout);
  // What is absurd was caught in the middle of a change, or is none.
  return before + std::min(inside, kLargestObject) + (tables < kLargestObject ? tables : 0);
}

}  // namespace tidegauge::census
