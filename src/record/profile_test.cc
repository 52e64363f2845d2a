// SPDX-License-Identifier: Apache-2.0
#include "record/profile.h"

#include <gtest/gtest.h>

namespace tidegauge::record {
namespace {

TEST(Profile, APlaceIsCalledByItsFunctionAndLine) {
  EXPECT_EQ(label_of({.function = "load", .file = "/home/me/data.py", .line = 12}),
            "load (data.py:12)");
  EXPECT_EQ(label_of({.function = "malloc", .file = "/lib/libc.so.6", .kind = CodeKind::Native}),
            "malloc (libc.so.6)");
  EXPECT_EQ(label_of({.file = "data.py", .line = 3}), "data.py:3");
  EXPECT_EQ(label_of({.function = "f"}), "f");
  EXPECT_EQ(label_of({}), "?");
}

TEST(Profile, ASiteIsWherePythonCodeOfOnesOwnAllocates) {
  const Profile profile{
      .places = {{.function = "main", .file = "/home/me/train.py", .line = 40},
                 {.function = "ones", .file = "/x/site-packages/numpy/numeric.py", .line = 7},
                 {.function = "malloc", .file = "libc.so.6", .kind = CodeKind::Native},
                 {.function = "dumps", .file = "/usr/lib/python3.11/json/__init__.py", .line = 1},
                 {.function = "_load", .file = "<frozen importlib._bootstrap>", .line = 1}}};
  const auto told = [&](std::vector<std::uint32_t> stack) {
    const auto telling = telling_of(profile, {.stack = std::move(stack)});
    return std::pair(telling.place, telling.own);
  };
  EXPECT_EQ(told({0, 1, 2}), std::pair(1U, 0U));
  EXPECT_EQ(told({0, 2}), std::pair(0U, 0U));
  EXPECT_EQ(told({2}), std::pair(2U, 2U));
  EXPECT_EQ(told({4, 3}), std::pair(3U, 3U));
  EXPECT_EQ(told({0, 4, 3, 2}), std::pair(3U, 0U));
}

}  // namespace
}  // namespace tidegauge::record
