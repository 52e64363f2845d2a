// SPDX-License-Identifier: Apache-2.0
#include "proc/cmdline.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tidegauge::proc {
namespace {

using namespace std::string_literals;
using Arguments = std::vector<std::string>;

TEST(ParseCmdline, SplitsAtNuls) {
  EXPECT_EQ(parse_cmdline("python3\0train.py\0--lr\0001e-4\0"s),
            (Arguments{"python3", "train.py", "--lr", "1e-4"}));
  EXPECT_EQ(parse_cmdline("sh\0-c\0\0x y\n\0"s), (Arguments{"sh", "-c", "", "x y\n"}));
}

TEST(ParseCmdline, ATitleWrittenOverItMayLackItsEnd) {
  EXPECT_EQ(parse_cmdline("nginx: worker process"s), (Arguments{"nginx: worker process"}));
  EXPECT_EQ(parse_cmdline("ray::work\0\0\0\0\0\0"s), (Arguments{"ray::work"}));
}

TEST(ParseCmdline, KernelThreadsHaveNone) {
  EXPECT_EQ(parse_cmdline(""), Arguments{});
}

TEST(ParseCmdline, ArgumentsComeBack) {
  EXPECT_TRUE(rc::check([] {
    const auto arguments = *rc::gen::container<Arguments>(
        rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127))));
    std::string text;
    for (const auto& argument : arguments) text += argument + '\0';
    RC_ASSERT(parse_cmdline(text) == arguments);
  }));
}

}  // namespace
}  // namespace tidegauge::proc
