// SPDX-License-Identifier: Apache-2.0
#include "census/layout_cache.h"

#include <gtest/gtest.h>

namespace tidegauge::census {
namespace {

TEST(LayoutCache, WhatIsWrittenIsReadAgain) {
  for (const auto& row : known_layouts()) {
    const auto text = layout_as_text(row);
    const auto read = parse_layout(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(layout_as_text(*read), text);
  }
}

TEST(LayoutCache, WhatMakesNoSenseIsNotTaken) {
  const auto good = layout_as_text(known_layouts().front());
  EXPECT_FALSE(parse_layout(""));
  EXPECT_FALSE(parse_layout("tidegauge layout 2\n"));
  EXPECT_FALSE(parse_layout(good.substr(0, good.size() / 2)));
  const auto with = [&](const std::string& line) {
    const auto name = line.substr(0, line.find(' '));
    const auto at = good.find("\n" + name + " ") + 1;
    return good.substr(0, at) + line + good.substr(good.find('\n', at));
  };
  EXPECT_TRUE(parse_layout(with("gc_heads 640")));
  EXPECT_FALSE(parse_layout(with("gc_heads 70000")));
  EXPECT_FALSE(parse_layout(with("gc_heads x")));
  EXPECT_FALSE(parse_layout(with("frame_kind 3")));
  EXPECT_FALSE(parse_layout(with("pool_bytes 0")));
}

}  // namespace
}  // namespace tidegauge::census
