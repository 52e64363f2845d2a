// SPDX-License-Identifier: Apache-2.0
#include "view/packed.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "view/unpacked.h"

namespace tidegauge::view {
namespace {

TEST(Packed, IsAsOthersWriteIt) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("M"), "TQ==");
  EXPECT_EQ(base64("Ma"), "TWE=");
  EXPECT_EQ(base64("Man"), "TWFu");
  std::string bytes;
  append_column(bytes, std::vector<std::int64_t>{1, 0, 300});
  EXPECT_EQ(bytes, (std::string{2, 1, '\xD8', 4}));  // +1, -1, +300
}

TEST(Packed, SteadySeriesTakeNextToNothing) {
  std::string bytes;
  append_column(bytes, std::vector<std::int64_t>(100'000, 4'000'000));
  EXPECT_LT(base64(deflated(bytes)).size(), 400u);
}

TEST(Packed, UnpackedIsWhatWasPacked) {
  EXPECT_TRUE(rc::check(
      [](const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second) {
        std::string bytes;
        append_column(bytes, first);
        append_column(bytes, second);
        const auto back = inflated(from_base64(base64(deflated(bytes))));
        RC_ASSERT(back == bytes);
        std::string_view rest = back;
        RC_ASSERT(take_column(rest, first.size()) == first);
        RC_ASSERT(take_column(rest, second.size()) == second);
        RC_ASSERT(rest.empty());
      }));
}

}  // namespace
}  // namespace tidegauge::view
