// SPDX-License-Identifier: Apache-2.0
#include "census/arrow.h"

namespace tidegauge::census {

namespace {

constexpr std::int64_t kLongest = 1LL << 46;

// In the Python objects: two words of a shared pointer, and what it points to once more; in a
// buffer its size instead.
constexpr std::size_t kPointer = 32;
constexpr std::size_t kPointerAgain = 48;

// In C++.
namespace buffer {
constexpr Address kData = 16;
constexpr Address kSize = 24;
constexpr Address kCapacity = 32;
constexpr Address kOwn = 72;  // what kinds of buffers have of their own follows there or behind
}  // namespace buffer
namespace data {
constexpr Address kLength = 16;
constexpr Address kNulls = 24;
constexpr Address kOffset = 32;
constexpr Address kBuffers = 40;
constexpr Address kChildren = 64;
constexpr Address kDictionary = 88;
}  // namespace data
constexpr Address kDataOfArray = 8;
constexpr Address kLengthOfChunks[] = {24, 40};  // behind them, or behind their type
constexpr Address kRows = 24;                    // of tables and batches
constexpr Address kColumns = 32;

}  // namespace

std::optional<std::uint64_t> ArrowReader::bytes_of(const ObjectView& object,
                                                   NativeReader& natives) const {
  if (object.body.size() < kPointerAgain + sizeof(Address)) return {};
  const auto behind = object.field<Address>(kPointer);
  const auto again = object.field<Address>(kPointerAgain);
  if (behind == 0) return 0;  // not yet, or not any more
  const bool is_buffer = object.type->shape == Shape::ArrowBuffer;
  Walk walk;
  bool proven = false;
  if (is_buffer) {
    const auto there = buffer_at(behind);
    proven = there && there->size == again && add_buffer(behind, walk);
  } else if (again == behind) {
    switch (object.type->shape) {
      case Shape::ArrowTable:
        proven = add_table(behind, walk);
        break;
      case Shape::ArrowBatch:
        proven = add_batch(behind, walk);
        break;
      case Shape::ArrowChunks:
        proven = add_chunks(behind, walk).has_value();
        break;
      default:
        proven = add_array(behind, walk).has_value();
    }
  }
  if (!proven) return {};
  std::uint64_t bytes = 0;
  for (const auto& [data, capacity] : walk.pieces) bytes += natives.claim(data, capacity);
  return bytes;
}

std::int64_t ArrowReader::presumed_length(const ObjectView& object) const {
  const auto behind = object.field<Address>(kPointer);
  const auto at = [&](Address place) { return memory_.get<std::int64_t>(place).value_or(0); };
  switch (object.type->shape) {
    case Shape::ArrowTable:
    case Shape::ArrowBatch:
      return at(behind + kRows);
    case Shape::ArrowChunks:
      return at(behind + kLengthOfChunks[1]);
    case Shape::ArrowArray:
      return at(memory_.pointer(behind + kDataOfArray) + data::kLength);
    default:
      return at(behind + buffer::kSize);
  }
}

std::optional<ArrowReader::Buffer> ArrowReader::buffer_at(Address address) const {
  if (!has_functions(address)) return {};
  const auto size = memory_.get<std::int64_t>(address + buffer::kSize).value_or(-1);
  const auto capacity = memory_.get<std::int64_t>(address + buffer::kCapacity).value_or(-1);
  if (size < 0 || capacity < size || capacity > kLongest) return {};
  return Buffer{memory_.pointer(address + buffer::kData), static_cast<std::uint64_t>(size),
                static_cast<std::uint64_t>(capacity)};
}

// A part of another one leads to it, somewhere behind its own numbers.
Address ArrowReader::whole_of(Address part) const {
  constexpr int kDeepest = 16;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto own = buffer_at(part);
    Address whole = 0;
    for (auto at = part + buffer::kCapacity + 8; own && at < part + buffer::kOwn; at += 8) {
      const auto other = memory_.pointer(at);
      const auto there = buffer_at(other);
      if (there && there->data <= own->data && own->data - there->data <= there->size &&
          own->size <= there->size - (own->data - there->data)) {
        whole = other;
        break;
      }
    }
    if (whole == 0) return part;
    part = whole;
  }
  return part;
}

bool ArrowReader::is_lent_by_python(Address buffer) const {
  for (auto at = buffer + buffer::kOwn; at <= buffer + buffer::kOwn + 16; at += 8) {
    if (is_object_(memory_.pointer(at))) return true;
  }
  return false;
}

bool ArrowReader::add_buffer(Address part, Walk& walk) const {
  const auto whole = whole_of(part);
  const auto there = buffer_at(whole);
  if (!there) return false;
  if (there->capacity == 0 || is_lent_by_python(whole)) return true;
  const auto place = unnamed_.find(there->data);
  if (place == StretchMap::kNone) return true;  // a file's, or a device's
  if (there->capacity > unnamed_.all()[place].end - there->data) return false;
  walk.pieces.emplace(there->data, there->capacity);
  return true;
}

// Of shared pointers: what they point to.
std::optional<std::vector<Address>> ArrowReader::vector_at(Address place, Walk& walk) const {
  constexpr Address kSharedPointer = 16;
  const auto begin = memory_.pointer(place);
  const auto end = memory_.pointer(place + 8);
  const auto room = memory_.pointer(place + 16);
  if (end < begin || room < end || (end - begin) % kSharedPointer != 0) return {};
  const auto count = (end - begin) / kSharedPointer;
  if (count > walk.left) return {};
  walk.left -= static_cast<std::size_t>(count);
  std::vector<Address> all;
  for (auto at = begin; at < end; at += kSharedPointer) all.push_back(memory_.pointer(at));
  return all;
}

// How many items it has; so below.
std::optional<std::uint64_t> ArrowReader::add_data(Address array, Walk& walk, int depth) const {
  constexpr int kDeepest = 32;
  if (array == 0 || array % 8 != 0 || depth > kDeepest || walk.left == 0) return {};
  --walk.left;
  const auto length = memory_.get<std::int64_t>(array + data::kLength).value_or(-1);
  const auto nulls = memory_.get<std::int64_t>(array + data::kNulls).value_or(-2);
  const auto offset = memory_.get<std::int64_t>(array + data::kOffset).value_or(-1);
  if (length < 0 || length > kLongest || nulls < -1 || nulls > length || offset < 0) return {};
  const auto buffers = vector_at(array + data::kBuffers, walk);
  const auto children = vector_at(array + data::kChildren, walk);
  if (!buffers || !children) return {};
  for (const auto one : *buffers) {
    if (one != 0 && !add_buffer(one, walk)) return {};
  }
  for (const auto child : *children) {
    if (!add_data(child, walk, depth + 1)) return {};
  }
  const auto dictionary = memory_.pointer(array + data::kDictionary);
  if (dictionary != 0 && !add_data(dictionary, walk, depth + 1)) return {};
  return static_cast<std::uint64_t>(length);
}

std::optional<std::uint64_t> ArrowReader::add_array(Address array, Walk& walk) const {
  if (!has_functions(array)) return {};
  return add_data(memory_.pointer(array + kDataOfArray), walk, 0);
}

std::optional<std::uint64_t> ArrowReader::add_chunks(Address chunks, Walk& walk) const {
  if (chunks == 0 || chunks % 8 != 0) return {};
  const auto arrays = vector_at(chunks, walk);
  if (!arrays) return {};
  std::uint64_t length = 0;
  for (const auto array : *arrays) {
    const auto items = add_array(array, walk);
    if (!items) return {};
    length += *items;
  }
  for (const auto at : kLengthOfChunks) {
    if (memory_.get<std::uint64_t>(chunks + at) == length) return length;
  }
  return {};
}

bool ArrowReader::add_table(Address table, Walk& walk) const {
  const auto columns = has_functions(table) ? vector_at(table + kColumns, walk) : std::nullopt;
  if (!columns) return false;
  const auto rows = memory_.get<std::uint64_t>(table + kRows);
  for (const auto column : *columns) {
    if (add_chunks(column, walk) != rows) return false;
  }
  return true;
}

bool ArrowReader::add_batch(Address batch, Walk& walk) const {
  const auto columns = has_functions(batch) ? vector_at(batch + kColumns, walk) : std::nullopt;
  if (!columns) return false;
  const auto rows = memory_.get<std::uint64_t>(batch + kRows);
  for (const auto column : *columns) {
    if (add_data(column, walk, 0) != rows) return false;
  }
  return true;
}

}  // namespace tidegauge::census
