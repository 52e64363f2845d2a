// SPDX-License-Identifier: Apache-2.0
#include "verdict/holders.h"

#include <gtest/gtest.h>

namespace tidegauge::verdict {
namespace {

constexpr record::ProcessId kJob{100, 5};
constexpr double kMiB = 1 << 20;

record::Event held(std::int64_t at_ns, const std::string& name, double bytes, double count) {
  return {.at_ns = at_ns,
          .kind = record::EventKind::Held,
          .process = kJob,
          .name = name,
          .value = bytes,
          .total = count};
}

TEST(Holders, NameWhatIsThereAfterOneCensus) {
  Holders holders;
  holders.add(held(1, "PIL.JpegImageFile main() local 'ds'.rows[*]", 900 * kMiB, 663));
  holders.add(held(1, "dict __main__.cache", 50 * kMiB, 1));
  const auto causes = holders.causes(kJob, 1000 * kMiB);
  ASSERT_EQ(causes.size(), 1U) << "a twentieth of the growth is no cause";
  EXPECT_EQ(causes[0].kind, "663 PIL.JpegImageFile");
  EXPECT_EQ(causes[0].retained_by, "main() local 'ds'.rows[*]");
  EXPECT_EQ(causes[0].bytes, std::uint64_t(900) << 20);
  EXPECT_NE(causes[0].remedy.find("LazyImages"), std::string::npos);
}

TEST(Holders, RankByWhatHasGrownBetweenTwoCensuses) {
  Holders holders;
  holders.add(held(1, "list __main__.constant", 800 * kMiB, 1));
  holders.add(held(1, "torch.Tensor __main__.kept[*]", 10 * kMiB, 10));
  holders.add(held(2, "list __main__.constant", 800 * kMiB, 1));
  holders.add(held(2, "torch.Tensor __main__.kept[*]", 400 * kMiB, 400));
  const auto causes = holders.causes(kJob, 500 * kMiB);
  ASSERT_EQ(causes.size(), 1U) << "what has not grown is no cause";
  EXPECT_EQ(causes[0].kind, "400 torch.Tensor");
}

TEST(Holders, SayNothingOfOthersOrWithoutGrowth) {
  Holders holders;
  EXPECT_TRUE(holders.causes(100 * kMiB).empty());
  holders.add(held(1, "list __main__.rows", 800 * kMiB, 1));
  EXPECT_TRUE(holders.causes({7, 7}, 500 * kMiB).empty());
  EXPECT_TRUE(holders.causes(kJob, 0).empty());
  EXPECT_EQ(holders.causes(500 * kMiB).size(), 1U);
}

}  // namespace
}  // namespace tidegauge::verdict
