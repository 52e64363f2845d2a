// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <gtest/gtest.h>

namespace tidegauge::cli {
namespace {

TEST(NoRoom, IsToldAsWhatIsOrAsWhatWas) {
  const Error full{Reason::NoRoom, "a.tg: No space left on device"};
  for (const auto recorded : {Recorded::Nothing, Recorded::SomeOfIt}) {
    const auto now = words_of_no_room(full, recorded, Telling::AtOnce);
    EXPECT_NE(now.find("watching goes on"), std::string::npos) << now;
    EXPECT_NE(now.find("recorded once there is room"), std::string::npos) << now;
    const auto later = words_of_no_room(full, recorded, Telling::OnceItIsOver);
    EXPECT_NE(later.find("watching went on"), std::string::npos) << later;
    EXPECT_EQ(later.find("once there is room"), std::string::npos) << "nobody waits any more";
  }
}

}  // namespace
}  // namespace tidegauge::cli
