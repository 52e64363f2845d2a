// SPDX-License-Identifier: Apache-2.0
#include "census/layout_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

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

class KeptLayouts : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tidegauge-layouts-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    cache_ = name;
    ::setenv("XDG_CACHE_HOME", name, 1);
    keep_layout(kBuild, known_layouts().front());
  }
  void TearDown() override {
    ::unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(cache_);
  }

  static constexpr const char* kBuild = "0123abcd";
  std::string folder() const { return cache_ + "/tidegauge/pythons"; }
  std::string file() const { return folder() + "/" + kBuild; }
  std::string cache_{};
};

TEST_F(KeptLayouts, AreThoseThatWereKept) {
  const auto kept = kept_layouts();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].build_id, kBuild);
  EXPECT_FALSE(kept[0].is_named);
  EXPECT_EQ(layout_as_text(kept[0].layout), layout_as_text(known_layouts().front()));
}

TEST_F(KeptLayouts, ThatOthersMayWriteAreNotBelieved) {
  ASSERT_EQ(::chmod(file().c_str(), 0620), 0);
  EXPECT_TRUE(kept_layouts().empty());
  ASSERT_EQ(::chmod(file().c_str(), 0602), 0);
  EXPECT_TRUE(kept_layouts().empty());
  ASSERT_EQ(::chmod(file().c_str(), 0644), 0);
  EXPECT_EQ(kept_layouts().size(), 1U);
  ASSERT_EQ(::chmod(folder().c_str(), 0777), 0);
  EXPECT_TRUE(kept_layouts().empty());
}

TEST_F(KeptLayouts, OfAnotherUserAreNotBelieved) {
  constexpr uid_t kSomebody = 12345;
  if (::chown(file().c_str(), kSomebody, kSomebody) != 0) GTEST_SKIP() << "needs root";
  EXPECT_TRUE(kept_layouts().empty());
}

TEST_F(KeptLayouts, AreFilesAndNoLinks) {
  const auto elsewhere = cache_ + "/elsewhere";
  std::filesystem::rename(file(), elsewhere);
  std::filesystem::create_symlink(elsewhere, file());
  EXPECT_TRUE(kept_layouts().empty());
}

TEST_F(KeptLayouts, AreNotKeptUnderAWayToSomewhereElse) {
  for (const char* name : {"../escaped", "", "UPPER", "a/b"}) {
    keep_layout(name, known_layouts().front());
  }
  EXPECT_EQ(kept_layouts().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(cache_ + "/tidegauge/escaped"));
}

}  // namespace
}  // namespace tidegauge::census
