// SPDX-License-Identifier: Apache-2.0
#include "serve/token.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "serve/event_stream.h"

namespace tidegauge::serve {
namespace {

class TokenFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "tokenXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = name + "/serve-token";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_{};
  std::string path_{};
};

TEST_F(TokenFile, IsMadeOnceForItsOwnerOnly) {
  const auto first = kept_token(path_);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size(), 32U);
  struct stat about {};
  ASSERT_EQ(::stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  const auto again = kept_token(path_);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *first);
}

TEST_F(TokenFile, IsMadeAnewWhereOthersCouldReadIt) {
  const auto first = kept_token(path_);
  ASSERT_TRUE(first);
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  const auto again = kept_token(path_);
  ASSERT_TRUE(again);
  EXPECT_NE(*again, *first);
}

TEST_F(TokenFile, IsMadeAnewWhereItIsNone) {
  std::ofstream(path_) << "password\n";
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  const auto token = kept_token(path_);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->size(), 32U);
}

TEST_F(TokenFile, ThatCannotBeWrittenIsAnError) {
  EXPECT_FALSE(kept_token(folder_ + "/nowhere/serve-token"));
}

TEST(Token, IsAnotherEveryTime) {
  EXPECT_NE(*new_token(), *new_token());
}

TEST(EventId, IsReadAsItIsWritten) {
  const auto id = parse_event_id("8333-40f3-17");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->boot, "8333-40f3");
  EXPECT_EQ(id->number, 17U);
  for (const char* const none : {"", "-", "17", "-17", "a-", "a-x", "a-99999999999999999999"}) {
    EXPECT_FALSE(parse_event_id(none)) << none;
  }
  EXPECT_EQ(event_of(*id, "{}"), "id: 8333-40f3-17\ndata: {}\n\n");
}

}  // namespace
}  // namespace tidegauge::serve
