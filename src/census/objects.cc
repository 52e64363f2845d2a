// SPDX-License-Identifier: Apache-2.0
#include "census/objects.h"

#include <algorithm>
#include <cstdlib>

namespace tidegauge::census {

namespace {

constexpr std::uint64_t kLargestObject = 1ULL << 46;
constexpr std::uint64_t kDequeBlock = 528;  // 64 items and two links
constexpr std::uint64_t kDequeItems = 64;

std::uint64_t text_bytes(const ObjectView& object, const Layout& layout) {
  const auto length = object.at<std::uint64_t>(16);
  const auto state = object.at<std::uint32_t>(32);
  const std::uint64_t kind = (state >> 2) & 7;
  const bool compact = ((state >> 5) & 1) != 0;
  const bool ascii = ((state >> 6) & 1) != 0;
  if (!compact) return static_cast<std::uint64_t>(object.type->basic_bytes) + (length + 1) * kind;
  return (ascii ? layout.ascii_header : layout.compact_header) + (length + 1) * kind;
}

std::uint64_t int_bytes(const ObjectView& object, const Layout& layout) {
  constexpr std::uint64_t kDigit = 4;
  const auto basic = static_cast<std::uint64_t>(object.type->basic_bytes);
  if (layout.int_tag)
    return basic + kDigit * std::max<std::uint64_t>(object.at<std::uint64_t>(16) >> 3, 1);
  const auto size = object.at<std::int64_t>(16);
  return basic + kDigit * static_cast<std::uint64_t>(size < 0 ? -size : size);
}

// A type with items but without a count of them: its frame is inside.
bool has_no_count(Shape shape) {
  return shape == Shape::Generator;
}

std::uint64_t counted_bytes(const ObjectView& object) {
  const auto basic = static_cast<std::uint64_t>(object.type->basic_bytes);
  if (object.type->item_bytes == 0 || has_no_count(object.type->shape)) return basic;
  const auto size = object.at<std::int64_t>(object::kSize);
  const auto count = static_cast<std::uint64_t>(size < 0 ? -size : size);
  if (count > kLargestObject) return kLargestObject;
  return basic + count * static_cast<std::uint64_t>(object.type->item_bytes);
}

std::uint64_t set_table_bytes(const ObjectView& object) {
  const auto mask = object.at<std::uint64_t>(set::kMask);
  const bool small = object.at<Address>(set::kTable) == object.address + set::kSmallTable;
  return small ? 0 : (mask + 1) * 16;
}

// Behind a bytearray, list, set or deque.
std::uint64_t table_bytes(const ObjectView& object, const Layout& layout) {
  switch (object.type->shape) {
    case Shape::List:
      return object.at<std::uint64_t>(list::kAllocated) * 8;
    case Shape::ByteArray:
      return object.at<std::uint64_t>(24) + (layout.bytearray_in_bytes ? 33 : 0);
    case Shape::Set:
      return set_table_bytes(object);
    case Shape::Deque:
      return (object.at<std::uint64_t>(object::kSize) / kDequeItems + 1) * kDequeBlock;
    default:
      return 0;
  }
}

std::uint64_t inline_values(const ObjectView& object, const Layout& layout) {
  if (layout.instance_kind != InstanceKind::InlineValues || !object.type->is(type::kInlineValues)) {
    return 0;
  }
  const auto capacity = object.at<std::uint8_t>(static_cast<std::size_t>(object.type->basic_bytes));
  return 8ULL + 8ULL * capacity;
}

}  // namespace

bool is_live_count(std::uint64_t word, const Layout& layout) {
  if (layout.flagged_refcount) {
    return (word & 0xffffffffU) != 0 && ((word >> 32) & 0xffffU) == 0;
  }
  return word != 0 && word < (1ULL << 34);
}

std::uint64_t inline_bytes(const ObjectView& object, const Layout& layout) {
  switch (object.type->shape) {
    case Shape::Text:
      return text_bytes(object, layout);
    case Shape::Int:
      return int_bytes(object, layout);
    default:
      return counted_bytes(object) + inline_values(object, layout);
  }
}

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

const TypeInfo* PoolScanner::type_at(Address type) {
  auto& recent = recent_[(type >> 4) % kRecent];
  if (recent.address != type) recent = {type, types_.find(type)};
  return recent.type;
}

ObjectView PoolScanner::object_at(Address block_start, std::span<const std::byte> block,
                                  std::size_t offset) {
  if (offset + object::kHeader > block.size()) return {};
  if (!is_live_count(value_at<std::uint64_t>(block, offset), layout_)) return {};
  const auto address = value_at<Address>(block, offset + object::kType);
  if (address % 8 != 0 || address < (1 << 12)) return {};
  const auto* const type = type_at(address);
  if (type == nullptr || type->bytes_before != offset) return {};
  const ObjectView object{block_start + offset, type, block.subspan(offset),
                          static_cast<std::uint32_t>(block.size())};
  if (inline_bytes(object, layout_) > object.body.size()) return {};
  return object;
}

ObjectView PoolScanner::object_in(Address block_start, std::span<const std::byte> block) {
  constexpr std::size_t kBefore[] = {0, object::kGcHead, 2 * object::kGcHead};
  for (const auto offset : kBefore) {
    const auto object = object_at(block_start, block, offset);
    if (object.type != nullptr) return object;
  }
  return {};
}

}  // namespace tidegauge::census
