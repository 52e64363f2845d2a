// SPDX-License-Identifier: Apache-2.0
#include "census/wire.h"

#include <gtest/gtest.h>

#include <limits>

namespace tidegauge::census {
namespace {

record::Census a_census() {
  record::Census census{.python = "3.12.1", .streaming = true, .objects = 7, .bytes = 1 << 20};
  census.garbage_count = 3;
  census.garbage_bytes = 99;
  census.incomplete = "something is missing";
  census.types = {{.name = "dict", .count = 2, .bytes = 500, .retained_bytes = 1000},
                  {.name = "na\xc3\xafve.Row", .count = 1, .bytes = 64, .native_bytes = 4096}};
  census.tensors = {{.device = "cuda:0",
                     .dtype = "float32",
                     .shape = {3, -1, 224},
                     .requires_grad = true,
                     .has_grad_fn = true,
                     .count = 2,
                     .bytes = 4096}};
  census.images = {{.dtype = "RGB", .shape = {640, 480}, .count = 1, .bytes = 921600}};
  census.retainers = {{"train.cache[*]", "module", "dict", 2, 1000}};
  return census;
}

Snapshot::Wishes some_wishes() {
  return {.collecting = {0x7f0000001000},
          .spared = {{0x20000, 0x40000}, {0x10000, 0x18000}},
          .saved = {{0x10010, 0x10020}, {0x10020, 0x10021}}};
}

TEST(Wire, ACensusIsHeardAsItWasSaid) {
  const auto said = wire::to_bytes(a_census());
  const auto heard = wire::census_in(said);
  ASSERT_TRUE(heard);
  EXPECT_EQ(wire::to_bytes(*heard), said);
  EXPECT_EQ(heard->types[1].name, "na\xc3\xafve.Row");
  EXPECT_FALSE(heard->types[1].retained_bytes);
  EXPECT_EQ(heard->tensors[0].shape, (std::vector<std::int64_t>{3, -1, 224}));
  EXPECT_TRUE(heard->tensors[0].has_grad_fn);
  EXPECT_EQ(heard->images[0].dtype, "RGB");
  EXPECT_EQ(heard->retainers[0].path, "train.cache[*]");
  EXPECT_EQ(heard->incomplete, "something is missing");
}

TEST(Wire, NoBeginningAndNoContinuationIsACensus) {
  const auto said = wire::to_bytes(a_census());
  for (std::size_t size = 0; size < said.size(); ++size) {
    ASSERT_FALSE(wire::census_in(std::string_view(said).substr(0, size))) << size;
  }
  EXPECT_FALSE(wire::census_in(said + '\0'));
}

TEST(Wire, WhatIsSaidCannotReachATerminal) {
  record::Census census;
  census.types = {{.name = "a\x1b[31m\nb\xe2\x80\xae"}};
  census.retainers = {{"x\x1b]0;title\x07", "module\r", "\xff", 1, 1}};
  const auto heard = wire::census_in(wire::to_bytes(census));
  ASSERT_TRUE(heard);
  for (const auto& text : {heard->types[0].name, heard->retainers[0].path, heard->retainers[0].root,
                           heard->retainers[0].type}) {
    for (const char c : text) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << text;
  }
  const auto error = wire::error_in(wire::to_bytes(Error{Reason::Denied, "\x1b[2Jno"}));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, Reason::Denied);
  EXPECT_EQ(error->what.find('\x1b'), std::string::npos);
}

TEST(Wire, MoreEntriesThanThereAreBytesCostNothing) {
  auto said = wire::to_bytes(record::Census{});
  // The count of types: behind a text, a truth, four numbers and a text.
  const std::size_t at = 4 + 1 + 4 * 8 + 4;
  for (std::size_t i = 0; i < 4; ++i) said[at + i] = '\xff';
  EXPECT_FALSE(wire::census_in(said));
  said[at + 3] = said[at + 2] = '\0';  // 65535 of them, which is allowed
  EXPECT_FALSE(wire::census_in(said));
}

TEST(Wire, WishesAreHeardAsTheyWereSaid) {
  const auto said = wire::to_bytes(some_wishes());
  const auto heard = wire::wishes_in(said);
  ASSERT_TRUE(heard);
  EXPECT_EQ(wire::to_bytes(*heard), said);
  EXPECT_EQ(heard->spared, some_wishes().spared) << "in their own order: the largest first";
}

TEST(Wire, WishesThatNoHandMayBeGivenAreRefused) {
  const auto refused = [](auto change) {
    auto wishes = some_wishes();
    change(wishes);
    return !wire::wishes_in(wire::to_bytes(wishes));
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& w) { w.spared[0].begin += 8; })) << "not on a page";
  EXPECT_TRUE(refused([](auto& w) { w.spared[1].end = 0x21000; })) << "overlap";
  EXPECT_TRUE(refused([](auto& w) { w.spared[0] = {0x40000, 0x20000}; })) << "backwards";
  EXPECT_TRUE(refused([](auto& w) { w.spared[0].end = ~0ULL << 12; })) << "the kernel's";
  EXPECT_TRUE(refused([](auto& w) { std::swap(w.saved[0], w.saved[1]); })) << "out of order";
  EXPECT_TRUE(refused([](auto& w) { w.saved[0].end = 0x10030; })) << "overlap";
}

TEST(Wire, WhereTooMuchWouldBeSavedNothingIsSpared) {
  auto wishes = some_wishes();
  wishes.saved = {{0x10000, 0x10000 + (33ULL << 20)}};
  const auto heard = wire::wishes_in(wire::to_bytes(wishes));
  ASSERT_TRUE(heard);
  EXPECT_TRUE(heard->spared.empty() && heard->saved.empty());
}

TEST(Wire, ATrainingHasNumbersThatCanBe) {
  const Training training{.step = 5, .steps = 100, .passes = 0.5, .phase = "eval"};
  EXPECT_EQ(wire::training_in(wire::to_bytes(training)), training);
  for (const double bad :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto other = training;
    other.steps = bad;
    EXPECT_FALSE(wire::training_in(wire::to_bytes(other)));
  }
  auto said = wire::to_bytes(training);
  said.back() = 4;
  EXPECT_FALSE(wire::training_in(said)) << "no such phase";
}

TEST(Wire, PlacesForAScriptAreInTheProcess) {
  const RemoteSupport good{
      .breaker = 0x7f0000001000, .pending = 0x7f0000002000, .path = 8, .path_bytes = 512};
  ASSERT_TRUE(wire::remote_in(wire::to_bytes(good)));
  auto bad = good;
  bad.path_bytes = 1 << 20;
  EXPECT_FALSE(wire::remote_in(wire::to_bytes(bad)));
  bad = good;
  bad.breaker = ~0ULL;
  EXPECT_FALSE(wire::remote_in(wire::to_bytes(bad)));
}

}  // namespace
}  // namespace tidegauge::census
