// SPDX-License-Identifier: Apache-2.0
#include "serve/link.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tidegauge::serve {
namespace {

TEST(Messages, AreReadAsTheyWereWrittenInWhateverPieces) {
  const bool good = rc::check([](const std::vector<std::string>& texts, unsigned char piece) {
    std::string all;
    std::vector<Message> sent;
    for (const auto& text : texts) {
      sent.push_back({"news", "494-12", text});
      all += encoded(sent.back());
    }
    MessageReader reader;
    std::vector<Message> got;
    for (std::size_t at = 0; at < all.size(); at += piece + 1U) {
      reader.add(std::string_view(all).substr(at, piece + 1U));
      while (auto message = reader.take()) got.push_back(*std::move(message));
    }
    RC_ASSERT(got == sent);
    RC_ASSERT(!reader.broken());
  });
  EXPECT_TRUE(good);
}

TEST(Messages, ThatAreNoneEndIt) {
  for (const std::string text : {"\n", "news\n", "news a\n", "news a -1\n", "news a 1 b\n",
                                 "news a 99999999999\n", "news a x\n"}) {
    MessageReader reader;
    reader.add(text);
    EXPECT_FALSE(reader.take()) << text;
    EXPECT_TRUE(reader.broken()) << text;
  }
  MessageReader endless;
  endless.add(std::string(1000, 'a'));
  EXPECT_FALSE(endless.take());
  EXPECT_TRUE(endless.broken());
}

TEST(Link, CarriesBothWays) {
  auto pair = Link::make();
  ASSERT_TRUE(pair);
  pair->ours.send({"news", "jobs", "{}"});
  pair->theirs.send({"followed", "channels", "jobs\n"});
  EXPECT_EQ(pair->theirs.take(), (Message{"news", "jobs", "{}"}));
  EXPECT_EQ(pair->ours.take(), (Message{"followed", "channels", "jobs\n"}));
  EXPECT_FALSE(pair->ours.take());
  EXPECT_FALSE(pair->ours.over());
}

TEST(Link, KeepsOnlyTheLatestForWhoeverDoesNotRead) {
  auto pair = Link::make();
  ASSERT_TRUE(pair);
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 200; ++i) pair->ours.send({"news", "a", large + std::to_string(i)});
  EXPECT_TRUE(pair->ours.busy());
  std::vector<Message> got;
  while (pair->ours.busy() || got.empty() || got.back().text != large + "199") {
    pair->ours.flush();
    while (auto message = pair->theirs.take()) got.push_back(*std::move(message));
  }
  EXPECT_LE(got.size(), 3U);  // what was begun, and the latest
}

TEST(Link, NoticesThatTheOtherEndIsGone) {
  auto pair = Link::make();
  ASSERT_TRUE(pair);
  pair->theirs.send({"news", "a", "last words"});
  { const auto gone = std::move(pair->theirs); }
  EXPECT_EQ(pair->ours.take(), (Message{"news", "a", "last words"}));
  EXPECT_FALSE(pair->ours.take());
  EXPECT_TRUE(pair->ours.over());
  pair->ours.send({"news", "a", "to nobody"});
}

}  // namespace
}  // namespace tidegauge::serve
