// SPDX-License-Identifier: Apache-2.0
#include "record/census_growth.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "record/census_reader.h"

namespace tidegauge::record {
namespace {

constexpr const char* kDocument = R"({
  "schema": "tidegauge/census/1", "pid": 7, "python": "3.12.1", "mode": "snapshot", "objects": 12, "bytes": 5000,
  "types": [{"type": "torch.Tensor", "count": 2, "bytes": 160, "native_bytes": 4096, "retained_bytes": null}],
  "tensors": [{"device": "cuda:0", "dtype": "float32", "shape": [32, 32], "count": 1, "bytes": 4096}],
  "images": [{"dtype": "32-bit", "size": [640, 480], "count": 3, "bytes": 9}],
  "retainers": [{"path": "__main__.kept[*]", "root": "module", "type": "torch.Tensor", "count": 2, "retained_bytes": 4256}]
})";

TEST(CensusReader, ReadsWhatADocumentSays) {
  const auto census = parse_census(kDocument);
  ASSERT_TRUE(census) << census.error().what;
  EXPECT_EQ(census->pid, 7);
  EXPECT_EQ(census->objects, 12U);
  ASSERT_EQ(census->types.size(), 1U);
  EXPECT_EQ(census->types[0].native_bytes, 4096U);
  ASSERT_EQ(census->tensors.size(), 1U);
  EXPECT_EQ(census->tensors[0].shape, (std::vector<std::int64_t>{32, 32}));
  EXPECT_EQ(census->images[0].shape, (std::vector<std::int64_t>{640, 480}));
  EXPECT_EQ(census->retainers[0].path, "__main__.kept[*]");
}

TEST(CensusReader, SaysWhatIsNone) {
  for (const auto* text : {"", "[]", "{", "{}", R"({"schema": "tidegauge/verdict/1"})"}) {
    const auto census = parse_census(text);
    ASSERT_FALSE(census) << text;
    EXPECT_EQ(census.error().reason, Reason::Malformed);
  }
}

TEST(CensusGrowth, IsWhatBecameMoreOrLess) {
  const auto before = *parse_census(kDocument);
  auto after = before;
  after.objects += 5;
  after.types[0].count = 7;
  after.types[0].native_bytes += 1000;
  after.tensors[0].shape = {64, 64};  // another kind: the one is gone, the other new
  after.retainers[0].retained_bytes += 77;
  const auto growth = growth_between(before, after);
  EXPECT_EQ(growth.objects, 5);
  ASSERT_EQ(growth.types.size(), 1U);
  EXPECT_EQ(growth.types[0].count, 5);
  EXPECT_EQ(growth.types[0].bytes, 1000);
  ASSERT_EQ(growth.tensors.size(), 2U);
  EXPECT_EQ(growth.tensors[0].bytes, 4096);
  EXPECT_EQ(growth.tensors[1].bytes, -4096);
  ASSERT_EQ(growth.retainers.size(), 1U);
  EXPECT_EQ(growth.retainers[0].bytes, 77);
  EXPECT_TRUE(growth.images.empty());
}

TEST(CensusGrowth, OfWhatSawNoHoldersNamesNone) {
  const auto before = *parse_census(kDocument);
  Census after;
  after.streaming = true;
  const auto growth = growth_between(before, after);
  EXPECT_EQ(growth.types.size(), 1U);
  EXPECT_TRUE(growth.tensors.empty());
  EXPECT_TRUE(growth.retainers.empty());
}

TEST(CensusGrowthLaws, ThereAndBackIsNothing) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::string, std::uint16_t>>& some,
                           const std::vector<std::pair<std::string, std::uint16_t>>& others) {
    const auto census_of = [](const auto& pairs) {
      Census census;
      for (const auto& [name, bytes] : pairs) {
        census.types.push_back({.name = name, .count = 1, .bytes = bytes});
      }
      return census;
    };
    const auto there = growth_between(census_of(some), census_of(others));
    const auto back = growth_between(census_of(others), census_of(some));
    RC_ASSERT(there.types.size() == back.types.size());
    std::int64_t sum = 0;
    for (const auto& type : there.types) sum += type.bytes;
    for (const auto& type : back.types) sum += type.bytes;
    RC_ASSERT(sum == 0);
    RC_ASSERT(growth_between(census_of(some), census_of(some)).types.empty());
  }));
}

}  // namespace
}  // namespace tidegauge::record
