// SPDX-License-Identifier: Apache-2.0
#include "record/ask_page.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "record/temp_folder.h"

namespace tidegauge::record {
namespace {

struct CloseJob {
  void operator()(tidegauge_ask_header* page) const { tidegauge_ask_close(page); }
};
using Job = std::unique_ptr<tidegauge_ask_header, CloseJob>;

std::string name_of(const AskPage& page) {
  return "/dev/fd/" + std::to_string(page.fd());
}

Job job_of(const AskPage& page) {
  return Job(tidegauge_ask_open(name_of(page).c_str()));
}

tidegauge_answer answer(tidegauge_answer_state state, std::uint64_t number, const char* text) {
  return {.state = state,
          .answered = number,
          .step = 8,
          .bytes = 1000,
          .error = 0,
          .text = text,
          .t_ns = 5};
}

TEST(AskPage, AJobIsAskedAndSaysWhereItSaved) {
  auto page = AskPage::create();
  ASSERT_TRUE(page);
  const auto job = job_of(*page);
  ASSERT_TRUE(job);
  EXPECT_EQ(tidegauge_ask_request(job.get()), 0U);
  EXPECT_TRUE(page->listeners().empty());
  auto* const mine = tidegauge_ask_listen(job.get(), 77, 1);
  ASSERT_NE(mine, nullptr);
  ASSERT_EQ(page->listeners().size(), 1U);
  EXPECT_EQ(page->listeners()[0].who, (ProcessId{::getpid(), 77}));
  EXPECT_EQ(page->listeners()[0].answer, Answer::Listens);

  EXPECT_EQ(page->ask(TIDEGAUGE_SAVE_AND_STOP), 1U);
  const auto request = tidegauge_ask_request(job.get());
  EXPECT_EQ(tidegauge_ask_number(request), 1U);
  EXPECT_EQ(tidegauge_ask_want(request), std::uint32_t{TIDEGAUGE_SAVE_AND_STOP});
  const auto saved = answer(TIDEGAUGE_SAVED, 1, "/somewhere/checkpoint-8");
  tidegauge_ask_answer(mine, &saved);
  const auto said = page->listeners().at(0);
  EXPECT_EQ(said.answer, Answer::Saved);
  EXPECT_EQ(said.answered, 1U);
  EXPECT_EQ(said.step, 8);
  EXPECT_EQ(said.bytes, 1000U);
  EXPECT_EQ(said.text, "/somewhere/checkpoint-8");
}

TEST(AskPage, OneThatComesLaterDoesNotAnswerOldRequests) {
  auto page = AskPage::create();
  ASSERT_TRUE(page);
  page->ask(TIDEGAUGE_SAVE);
  page->ask(TIDEGAUGE_SAVE);
  const auto job = job_of(*page);
  ASSERT_NE(tidegauge_ask_listen(job.get(), 1, 1), nullptr);
  EXPECT_EQ(page->listeners().at(0).answered, 2U);
}

TEST(AskPage, AnOpenedPageAsksTheSameJob) {
  auto made = AskPage::create();
  ASSERT_TRUE(made);
  auto opened = AskPage::open(name_of(*made));
  ASSERT_TRUE(opened);
  EXPECT_EQ(made->ask(TIDEGAUGE_SAVE), 1U);
  EXPECT_EQ(opened->ask(TIDEGAUGE_SAVE), 2U);
  EXPECT_EQ(tidegauge_ask_number(tidegauge_ask_request(job_of(*made).get())), 2U);
}

TEST(AskPage, TwoWhoAskAtOnceGetTwoNumbers) {
  auto page = AskPage::create();
  ASSERT_TRUE(page);
  auto other = AskPage::open(name_of(*page));
  ASSERT_TRUE(other);
  constexpr int kTimes = 2000;
  const auto ask_often = [](AskPage& it) {
    for (int i = 0; i < kTimes; ++i) it.ask(TIDEGAUGE_SAVE);
  };
  std::thread one(ask_often, std::ref(*page));
  ask_often(*other);
  one.join();
  EXPECT_EQ(page->ask(TIDEGAUGE_SAVE), 2U * kTimes + 1);
}

TEST(AskPage, AnAnswerIsReadWholeOrNotAtAll) {
  auto page = AskPage::create();
  ASSERT_TRUE(page);
  const auto job = job_of(*page);
  auto* const mine = tidegauge_ask_listen(job.get(), 1, 1);
  ASSERT_NE(mine, nullptr);
  std::atomic<bool> over = false;
  std::thread writer([mine, &over] {
    for (std::uint64_t i = 1; i < 20000; ++i) {
      const std::string text(i % 500, static_cast<char>('a' + i % 26));
      auto said = answer(TIDEGAUGE_SAVED, i, text.c_str());
      tidegauge_ask_answer(mine, &said);
    }
    over = true;
  });
  int read = 0;
  while (!over || read == 0) {  // the last answer stays: ctest's limit ends a wait in vain
    for (const auto& one : page->listeners()) {
      if (one.answer != Answer::Saved) continue;
      ++read;
      EXPECT_EQ(one.text,
                std::string(one.answered % 500, static_cast<char>('a' + one.answered % 26)));
    }
  }
  writer.join();
}

TEST(AskPage, ThePlaceOfADeadProcessIsTaken) {
  auto page = AskPage::create();
  ASSERT_TRUE(page);
  const auto job = job_of(*page);
  for (int i = 0; i < TIDEGAUGE_ASK_LISTENERS; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(tidegauge_ask_listen(job.get(), 1, 1) != nullptr ? 0 : 1);
    int status = -1;
    // Not waited for yet: a zombie still has its pid, and its place.
    siginfo_t info;
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(info.si_status, 0);
    if (i == TIDEGAUGE_ASK_LISTENERS - 1) {
      EXPECT_EQ(tidegauge_ask_listen(job.get(), 1, 1), nullptr) << "all places are taken";
      EXPECT_EQ(page->listeners().size(), std::size_t{TIDEGAUGE_ASK_LISTENERS});
      ASSERT_EQ(::waitpid(child, &status, 0), child);
    }
  }
  EXPECT_NE(tidegauge_ask_listen(job.get(), 1, 1), nullptr);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
}

TEST(AskPage, WhatIsNoPageIsLeftAlone) {
  const TempFolder folder;
  const auto path = folder.path() + "/file";
  std::ofstream(path) << std::string(TIDEGAUGE_ASK_SIZE_BYTES, 'x');
  EXPECT_FALSE(AskPage::open(path));
  EXPECT_FALSE(AskPage::open("/dev/zero"));
  EXPECT_FALSE(AskPage::open("/nowhere"));
  EXPECT_EQ(tidegauge_ask_open(nullptr), nullptr);
}

TEST(AskPage, LongTextsAreCut) {
  auto page = AskPage::create();
  ASSERT_TRUE(page);
  const auto job = job_of(*page);
  auto* const mine = tidegauge_ask_listen(job.get(), 1, 1);
  const std::string text(10000, 'p');
  const auto said = answer(TIDEGAUGE_SAVED, 1, text.c_str());
  tidegauge_ask_answer(mine, &said);
  EXPECT_EQ(page->listeners().at(0).text.size(), std::size_t{TIDEGAUGE_ASK_TEXT_BYTES});
}

}  // namespace
}  // namespace tidegauge::record
