// SPDX-License-Identifier: Apache-2.0
#include "verdict/holders.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tidegauge::verdict {
namespace {

constexpr record::ProcessId kJob{100, 5};
constexpr double kMiB = 1 << 20;

void add(Holders& holders, double at, const std::string& name, double bytes, double count) {
  holders.add({.kind = record::EventKind::Held,
               .process = kJob,
               .name = name,
               .value = bytes,
               .total = count},
              at);
}

TEST(Holders, NameWhatIsThereAfterOneCensus) {
  Holders holders;
  add(holders, 1, "PIL.JpegImageFile main() local 'ds'.rows[*]", 900 * kMiB, 663);
  add(holders, 1, "dict __main__.cache", 50 * kMiB, 1);
  const auto causes = holders.causes(kJob, {1000 * kMiB, 0});
  ASSERT_EQ(causes.size(), 1U) << "a twentieth of the growth is no cause";
  EXPECT_EQ(causes[0].kind, "663 PIL.JpegImageFile");
  EXPECT_EQ(causes[0].retained_by, "main() local 'ds'.rows[*]");
  EXPECT_EQ(causes[0].bytes, std::uint64_t(900) << 20);
  EXPECT_NE(causes[0].remedy.find("LazyImages"), std::string::npos);
}

TEST(Holders, RankByWhatHasGrownBetweenTwoCensuses) {
  Holders holders;
  add(holders, 1, "list __main__.constant", 800 * kMiB, 1);
  add(holders, 1, "torch.Tensor __main__.kept[*]", 10 * kMiB, 10);
  add(holders, 2, "list __main__.constant", 800 * kMiB, 1);
  add(holders, 2, "torch.Tensor __main__.kept[*]", 400 * kMiB, 400);
  const auto causes = holders.causes(kJob, {500 * kMiB, 0});
  ASSERT_EQ(causes.size(), 1U) << "what has not grown is no cause";
  EXPECT_EQ(causes[0].kind, "400 torch.Tensor");
}

TEST(Holders, SayNothingOfOthersOrWithoutGrowth) {
  Holders holders;
  EXPECT_TRUE(holders.causes({100 * kMiB, 0}).empty());
  add(holders, 1, "list __main__.rows", 800 * kMiB, 1);
  EXPECT_TRUE(holders.causes({7, 7}, {500 * kMiB, 0}).empty());
  EXPECT_TRUE(holders.causes(kJob, {0, 0}).empty());
  EXPECT_EQ(holders.causes({500 * kMiB, 0}).size(), 1U);
}

TEST(Holders, ALeakUnderAWarmUpIsWhatGrewSinceTheWarmUpEnded) {
  Holders holders;
  for (int census = 0; census < 40; ++census) {
    const double images = std::min(census, 10) * 170 * kMiB;  // until 100 s
    add(holders, 10 * census, "PIL.JpegImageFile main() local 'ds'.rows[*]", images, 663);
    add(holders, 10 * census, "torch.Tensor __main__.kept[*]", 20 * census * kMiB, census);
  }
  const auto leak = holders.causes(kJob, {500 * kMiB, 140});
  ASSERT_EQ(leak.size(), 1U) << "the images had stopped by then";
  EXPECT_EQ(leak[0].type, "torch.Tensor");
  EXPECT_GT(*leak[0].share, 0.9);
  const auto all = holders.causes(kJob, {2500 * kMiB, 0});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].type, "PIL.JpegImageFile");
}

// The warm-up ended between the two censuses that there are: which of them the leak is made of
// shows by their number only.
TEST(Holders, AWarmUpThatMayHaveEndedBeforeALeakIsNotItsCause) {
  Holders holders;
  add(holders, 100, "PIL.JpegImageFile main() local 'ds'.rows[*]", 800 * kMiB, 663);
  add(holders, 100, "torch.Tensor __main__.kept[*]", 40 * kMiB, 100);
  add(holders, 220, "PIL.JpegImageFile main() local 'ds'.rows[*]", 1800 * kMiB, 664);
  add(holders, 220, "torch.Tensor __main__.kept[*]", 160 * kMiB, 400);
  const auto leak = holders.causes(kJob, {500 * kMiB, 150, true});
  ASSERT_EQ(leak.size(), 1U);
  EXPECT_EQ(leak[0].type, "torch.Tensor");
  EXPECT_EQ(holders.causes(kJob, {500 * kMiB, 150, false}).size(), 2U) << "nobody says leak";
  EXPECT_EQ(holders.causes(kJob, {1100 * kMiB, 90, true}).size(), 2U) << "both have grown since";
}

TEST(Holders, KnowAPileAgainThatIsReachedInAnotherWay) {
  Holders holders;
  add(holders, 1, "PIL.JpegImageFile main() local 'ds'.rows[*]", 1790 * kMiB, 663);
  add(holders, 2, "PIL.JpegImageFile Data.__getitem__() local 'self'.rows[*]", 1787 * kMiB, 662);
  add(holders, 2, "dict __main__.cache", 400 * kMiB, 1);
  const auto causes = holders.causes(kJob, {500 * kMiB, 1});
  ASSERT_EQ(causes.size(), 1U) << "the images did not grow";
  EXPECT_EQ(causes[0].type, "dict");
}

}  // namespace
}  // namespace tidegauge::verdict
