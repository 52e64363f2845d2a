// SPDX-License-Identifier: Apache-2.0
#include "cli/paragraphs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "base/beside.h"

namespace tidegauge::cli {
namespace {

TEST(Paragraphs, OneThatIsNotWholeWaits) {
  Paragraphs heard;
  heard.add("taken 1 2\nholder");
  EXPECT_FALSE(heard.take());
  heard.add(" x\n\nnone\n");
  EXPECT_EQ(heard.take(), "taken 1 2\nholder x\n\n");
  EXPECT_FALSE(heard.take());
  heard.add("\n");
  EXPECT_EQ(heard.take(), "none\n\n");
}

RC_GTEST_PROP(ParagraphsLaws, PiecesDoNotMatter, ()) {
  const auto lines = *rc::gen::container<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::string<std::string>()));
  std::string all;
  std::vector<std::string> said;
  for (auto line : lines) {
    for (auto& c : line) {
      if (c == '\n') c = ' ';
    }
    said.push_back(line + "\n\n");
    all += said.back();
  }
  Paragraphs heard;
  std::vector<std::string> taken;
  while (!all.empty()) {
    const auto length = *rc::gen::inRange<std::size_t>(1, all.size() + 1);
    heard.add(all.substr(0, length));
    all.erase(0, length);
    while (auto text = heard.take()) taken.push_back(*std::move(text));
  }
  RC_ASSERT(taken == said);
}

TEST(ParagraphsFromASocket, WhatWasSaidBeforeTheEndIsHeardBeforeIt) {
  auto line = make_line(LineKind::Stream);
  ASSERT_TRUE(line);
  Paragraphs heard;
  EXPECT_FALSE(heard.take_from(line->ours.get(), 0).text);
  ASSERT_EQ(::send(line->theirs.get(), "a\n\nb\n\nc", 7, 0), 7);
  line->theirs = UniqueFd();
  EXPECT_EQ(heard.take_from(line->ours.get(), 0).text, "a\n\n");
  EXPECT_EQ(heard.take_from(line->ours.get(), 0).text, "b\n\n");
  const auto end = heard.take_from(line->ours.get(), 0);
  EXPECT_TRUE(end.gone && !end.text);
}

TEST(ParagraphsFromASocket, PiecesDoNotStretchTheWait) {
  constexpr int kPieces = 1000;
  const auto talker = start_beside(LineKind::Stream, [](UniqueFd line) {
    for (int i = 0; i < kPieces && ::send(line.get(), "x", 1, MSG_NOSIGNAL) == 1; ++i) {
      ::usleep(10'000);
    }
  });
  ASSERT_TRUE(talker);
  Paragraphs heard;
  const auto next = heard.take_from(talker->line.get(), 0.1);
  EXPECT_FALSE(next.text);
  EXPECT_FALSE(next.gone) << "all the pieces were waited for";
  ::kill(talker->pid, SIGKILL);
  ::waitpid(talker->pid, nullptr, 0);
}

}  // namespace
}  // namespace tidegauge::cli
