// SPDX-License-Identifier: Apache-2.0
#include "census/arrow.h"

#include <gtest/gtest.h>

#include <cstring>

#include "census/fake_memory.h"

namespace tidegauge::census {
namespace {

constexpr Address kLibrary = kFakeStart + 0x80000;
constexpr Address kFile = kFakeStart + 0xc0000;  // mapped
constexpr Address kLender = kFakeStart + 0x10;   // a Python object

// A process with Arrow's objects.
class FakeArrow {
 public:
  void put(Address at, std::uint64_t word) {
    std::memcpy(bytes_.data() + (at - kFakeStart), &word, sizeof word);
  }
  Address words(const std::vector<std::uint64_t>& all) {
    const auto at = next_;
    for (std::size_t i = 0; i < all.size(); ++i) put(at + 8 * i, all[i]);
    next_ += 8 * all.size();
    return at;
  }
  Address buffer(Address data, std::uint64_t size, std::uint64_t capacity, Address parent = 0,
                 Address lender = 0) {
    return words({kLibrary, 0x101, data, size, capacity, 1, parent, 0, 0, 0, lender, 0});
  }
  std::vector<std::uint64_t> vector_of(const std::vector<Address>& all) {
    std::vector<std::uint64_t> pairs;
    for (const auto one : all) pairs.insert(pairs.end(), {one, one});
    const auto begin = words(pairs);
    return {begin, begin + 16 * all.size(), begin + 16 * all.size()};
  }
  Address data(std::uint64_t length, const std::vector<Address>& buffers,
               const std::vector<Address>& children = {}) {
    const auto b = vector_of(buffers);
    const auto c = vector_of(children);
    return words({0, 0, length, 0, 0, b[0], b[1], b[2], c[0], c[1], c[2], 0, 0, 0});
  }
  Address array(Address data) { return words({kLibrary, data, 0, 0}); }
  Address chunks(const std::vector<Address>& arrays, std::uint64_t length) {
    const auto all = vector_of(arrays);
    return words({all[0], all[1], all[2], 0, 0, length, 0});
  }
  Address table(std::uint64_t rows, const std::vector<Address>& columns) {
    const auto all = vector_of(columns);
    return words({kLibrary, 0, 0, rows, all[0], all[1], all[2]});
  }

  // What is said of a Python object with this behind it.
  std::optional<std::uint64_t> bytes(Shape shape, Address behind, std::uint64_t again) {
    const FakeMemory memory(kFakeStart, bytes_);
    const std::vector<std::uint64_t> object = {1, 0, 0, 0, behind, 0, again, 1};
    TypeInfo type;
    type.shape = shape;
    const ObjectView view{kLender, &type, std::as_bytes(std::span(object)), 64};
    const ArrowReader reader(memory, libraries_, unnamed_,
                             [](Address at) { return at == kLender; });
    return reader.bytes_of(view, natives_);
  }
  std::optional<std::uint64_t> bytes(Shape shape, Address behind) {
    return bytes(shape, behind, behind);
  }

 private:
  StretchMap libraries_{std::vector<Stretch>{{kLibrary, kFile}}};
  StretchMap unnamed_{std::vector<Stretch>{{kFakeStart, kLibrary}}};
  NativeReader natives_{};
  Address next_ = kFakeStart + 0x100;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1 << 20);
};

constexpr Address kData = kFakeStart + 0x40000;

TEST(Arrow, ATableHasTheBuffersOfItsColumnsOnce) {
  FakeArrow arrow;
  const auto shared = arrow.buffer(kData, 800, 832);
  const auto text = arrow.buffer(kData + 4096, 50, 64);
  const auto inner = arrow.data(100, {0, shared});
  const auto first = arrow.array(arrow.data(60, {0, shared}));
  const auto second = arrow.array(arrow.data(40, {text, shared}, {inner}));
  const auto table = arrow.table(100, {arrow.chunks({first, second}, 100)});
  EXPECT_EQ(arrow.bytes(Shape::ArrowTable, table), 832U + 64U);
  EXPECT_EQ(arrow.bytes(Shape::ArrowArray, first), 0U) << "the table has it already";
}

TEST(Arrow, ASliceIsItsWholeAndWhatIsLentOrAFilesIsNobodys) {
  FakeArrow arrow;
  const auto whole = arrow.buffer(kData, 1000, 1024);
  const auto slice = arrow.buffer(kData + 64, 100, 100, whole);
  EXPECT_EQ(arrow.bytes(Shape::ArrowBuffer, slice, 100), 1024U);
  EXPECT_EQ(arrow.bytes(Shape::ArrowBuffer, whole, 1000), 0U);
  const auto lent = arrow.buffer(kData + 8192, 500, 500, 0, kLender);
  EXPECT_EQ(arrow.bytes(Shape::ArrowBuffer, lent, 500), 0U);
  const auto mapped = arrow.buffer(kFile, 500, 500);
  EXPECT_EQ(arrow.bytes(Shape::ArrowBuffer, mapped, 500), 0U);
}

TEST(Arrow, WhatDoesNotAddUpIsNotRead) {
  FakeArrow arrow;
  const auto buffer = arrow.buffer(kData, 800, 832);
  EXPECT_EQ(arrow.bytes(Shape::ArrowBuffer, buffer, 801), std::nullopt);
  const auto array = arrow.array(arrow.data(60, {buffer}));
  EXPECT_EQ(arrow.bytes(Shape::ArrowChunks, arrow.chunks({array}, 61)), std::nullopt);
  EXPECT_EQ(arrow.bytes(Shape::ArrowTable, arrow.table(59, {arrow.chunks({array}, 60)})),
            std::nullopt);
  EXPECT_EQ(arrow.bytes(Shape::ArrowArray, array, array + 8), std::nullopt);
  EXPECT_EQ(arrow.bytes(Shape::ArrowArray, arrow.array(arrow.data(1, {kData}))), std::nullopt);
  EXPECT_EQ(arrow.bytes(Shape::ArrowBuffer, arrow.buffer(kData, 9, 8), 9), std::nullopt);
  EXPECT_EQ(arrow.bytes(Shape::ArrowBuffer, arrow.buffer(kData, 1, 1 << 30), 1), std::nullopt)
      << "more than there is room for";
  EXPECT_EQ(arrow.bytes(Shape::ArrowTable, 0), 0U) << "not there yet";
}

// One that consists of itself, many times over.
TEST(Arrow, AWalkInCirclesEnds) {
  FakeArrow arrow;
  const auto data = arrow.data(1, {}, {kData, kData, kData, kData, kData, kData, kData, kData});
  for (Address i = 0; i < 14; ++i) arrow.put(kData + 8 * i, 0);
  arrow.put(kData + 16, 1);
  const auto children = arrow.vector_of(std::vector<Address>(64, kData));
  for (Address i = 0; i < 3; ++i) arrow.put(kData + 64 + 8 * i, children[i]);
  EXPECT_EQ(arrow.bytes(Shape::ArrowArray, arrow.array(data)), std::nullopt);
}

}  // namespace
}  // namespace tidegauge::census
