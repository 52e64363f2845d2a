// SPDX-License-Identifier: Apache-2.0
#include "record/guess.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tidegauge::record {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// A tqdm bar as it is redrawn: a return before it, none after.
std::string bar(const std::string& label, int number, int total) {
  return fmt::format("\r{}{:3.0f}%|{:10}| {}/{} [00:10<01:13, 12.00it/s]",
                     label.empty() ? "" : label + ": ", 100.0 * number / total, "##", number,
                     total);
}

// Everything at one second's distance.
struct Listener {
  MarkGuesser guesser{};
  std::int64_t at_ns = 0;
  std::vector<Event> events{};

  void hear(const std::string& bytes) {
    at_ns += kSecond;
    for (auto& event : guesser.feed(bytes, at_ns)) events.push_back(std::move(event));
  }
  std::vector<double> values(EventKind kind) const {
    std::vector<double> all;
    for (const auto& event : events) {
      if (event.kind == kind) all.push_back(*event.value);
    }
    return all;
  }
  std::vector<double> steps() const { return values(EventKind::Step); }
  std::vector<double> epochs() const { return values(EventKind::Epoch); }
};

TEST(Guess, BelievesACountThatHasRisenSeveralTimes) {
  Listener listener;
  for (int step = 0; step <= 6; ++step) listener.hear(bar("", step, 100));
  EXPECT_EQ(listener.steps(), (std::vector<double>{3, 4, 5, 6}));
  const auto& event = listener.events.back();
  EXPECT_EQ(event.source, MarkSource::Output);
  EXPECT_EQ(event.process, ProcessId{});
  EXPECT_EQ(event.at_ns, 7 * kSecond) << "read as soon as it is closed";
}

TEST(Guess, CountsOnWhenEachEpochHasABarOfItsOwn) {
  Listener listener;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 0; step <= 4; ++step) {
      listener.hear(bar(fmt::format("Epoch {}", epoch), step, 4));
    }
    listener.hear("\n");
  }
  EXPECT_EQ(listener.steps(), (std::vector<double>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(listener.epochs(), (std::vector<double>{0, 1, 2}));
}

TEST(Guess, ReadsKeras) {
  Listener listener;
  for (int epoch = 1; epoch <= 2; ++epoch) {
    listener.hear(fmt::format("Epoch {}/2\n", epoch));
    for (int step = 1; step <= 10; ++step) {
      listener.hear(
          fmt::format("\r\x1b[1m{:2}/10\x1b[0m \x1b[32m━━━━\x1b[0m 5s 3ms/step - loss: 0.1", step));
    }
    // The validation's own bar, after the epoch's
    listener.hear("\n");
  }
  listener.hear("\n");
  const auto steps = listener.steps();
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back(), 20);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  EXPECT_EQ(listener.epochs(), (std::vector<double>{1, 2}));
}

TEST(Guess, KeepsToTheTrainersBarDuringEvaluations) {
  Listener listener;
  for (int step = 0; step <= 40; ++step) {
    listener.hear(bar("", step, 40));
    if (step % 10 != 0 || step == 0) continue;
    for (int batch = 0; batch <= 9; ++batch) listener.hear("\n" + bar("", batch, 9) + "\x1b[A");
    listener.hear(fmt::format("{{'eval_loss': 1.0, 'epoch': {}}}\n", step / 10.0 + 0.25));
  }
  const auto steps = listener.steps();
  ASSERT_EQ(steps.size(), 38u);
  EXPECT_EQ(steps.front(), 3);
  EXPECT_EQ(steps.back(), 40);
  EXPECT_EQ(listener.epochs(), (std::vector<double>{2, 3, 4}));
}

TEST(Guess, AnEvaluationBeforeTheFirstStepDoesNotStayInTheLead) {
  Listener listener;
  for (int step = 0; step <= 40; ++step) {
    listener.hear(bar("", step, 40));
    if (step % 10 != 0) continue;
    for (int batch = 0; batch <= 9; ++batch) listener.hear("\n" + bar("", batch, 9) + "\x1b[A");
  }
  const auto steps = listener.steps();
  EXPECT_EQ(steps.back(), 40);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
}

TEST(Guess, NestedBarsGiveTheInnerOneAsSteps) {
  Listener listener;
  for (int epoch = 0; epoch < 3; ++epoch) {
    listener.hear(bar("Epochs", epoch, 3));
    for (int step = 0; step <= 20; ++step) listener.hear("\n" + bar("train", step, 20) + "\x1b[A");
  }
  EXPECT_EQ(listener.steps().back(), 60);
  EXPECT_EQ(listener.epochs(), (std::vector<double>{0, 1, 2}));

  Listener nameless;
  for (int epoch = 0; epoch < 9; ++epoch) {
    nameless.hear(bar("", epoch, 9));
    for (int step = 0; step <= 20; ++step) nameless.hear("\n" + bar("", step, 20) + "\x1b[A");
  }
  EXPECT_EQ(nameless.steps().back(), 180);
}

TEST(Guess, APreparationGivesWayToWhatTakesLonger) {
  Listener listener;
  for (int item = 0; item <= 10; ++item) listener.hear(bar("", item, 10));
  for (int step = 0; step <= 40; ++step) listener.hear(bar("", step, 40));
  const auto steps = listener.steps();
  EXPECT_EQ(steps.back(), 50) << "it counts on";
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
}

TEST(Guess, AFinalEvaluationIsNotTakenForSteps) {
  Listener listener;
  for (int step = 0; step <= 40; ++step) listener.hear(bar("", step, 40));
  for (int batch = 0; batch <= 9; ++batch) listener.hear(bar("", batch, 9));
  EXPECT_EQ(listener.steps().back(), 40);
}

TEST(Guess, RanksThatShareATerminalAreOneCount) {
  Listener listener;
  for (int step = 1; step <= 50; ++step) {
    for (int rank = 0; rank < 4; ++rank) {
      listener.hear(fmt::format("[rank{}] step {}/50\n", rank, std::max(1, step - rank)));
    }
  }
  EXPECT_EQ(listener.steps().back(), 50);
  EXPECT_EQ(listener.steps().size(), 47u);
}

TEST(Guess, NumbersThatJumpAboutAreNoSteps) {
  Listener listener;
  for (int i = 0; i < 300; ++i) {
    listener.hear(fmt::format("step {}\n", (i * 7919) % 1000));
  }
  // A few before it was clear.
  EXPECT_LT(listener.steps().size(), 10u);
  Listener configuration;
  for (int i = 0; i < 10; ++i) configuration.hear("save every step: 500\n");
  EXPECT_TRUE(configuration.events.empty());
}

TEST(Guess, LongLinesAndPrintedArraysAreNothing) {
  Listener listener;
  std::string array = "%|";
  for (int i = 0; i < 100'000; ++i) array += "[1, 2], ";
  listener.hear(array + "\n");
  for (int step = 0; step <= 4; ++step) listener.hear(bar("", step, 100));
  EXPECT_EQ(listener.steps(), (std::vector<double>{3, 4}));
}

// What tqdm 4.70 wrote to a terminal of 80 columns.
TEST(Guess, ReadsRealBars) {
  const auto hear = [](const std::string& name) {
    const auto path = std::string(TIDEGAUGE_SOURCE_DIR "/tests/corpora/record_guess_fuzz/") + name;
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    Listener listener;
    listener.hear(bytes.str());
    return listener;
  };
  const auto plain = hear("real_tqdm_plain");
  ASSERT_FALSE(plain.steps().empty());
  EXPECT_EQ(plain.steps().back(), 60);
  EXPECT_EQ(hear("real_tqdm_endless").steps().back(), 60);
  const auto trainer = hear("real_tqdm_hf");  // with evaluations in between, and loss lines
  EXPECT_EQ(trainer.steps().back(), 60);
  EXPECT_EQ(trainer.epochs(), (std::vector<double>{1, 2}));
  const auto nested = hear("real_tqdm_nested");  // 3 times 40, the last of each never drawn
  EXPECT_GT(nested.steps().back(), 110);
  EXPECT_LE(nested.steps().back(), 120);
  EXPECT_EQ(nested.epochs(), (std::vector<double>{0, 1, 2}));
}

std::vector<Event> all_of(const std::string& text, const std::vector<std::size_t>& cuts) {
  MarkGuesser guesser;
  std::vector<Event> events;
  std::size_t from = 0;
  for (const auto cut : cuts) {
    const auto to = std::min(from + cut % 50, text.size());
    for (auto& event : guesser.feed(std::string_view(text).substr(from, to - from), 0)) {
      events.push_back(std::move(event));
    }
    from = to;
  }
  for (auto& event : guesser.feed(std::string_view(text).substr(from), 0)) {
    events.push_back(std::move(event));
  }
  return events;
}

TEST(Guess, DoesNotCareInWhichPiecesTheBytesCome) {
  std::string text = "\x1b]0;title\x07";
  for (int step = 0; step < 20; ++step) {
    text += "\x1b[32m" + bar("Epoch 1", step, 20) + "\x1b[0m";
    text += fmt::format("\n{{'loss': 0.1, 'epoch': {}}}\r\n", step / 7.0);
  }
  const auto whole = all_of(text, {});
  ASSERT_GT(whole.size(), 15u);
  EXPECT_TRUE(rc::check(
      [&](const std::vector<std::size_t>& cuts) { RC_ASSERT(all_of(text, cuts) == whole); }));
}

TEST(Guess, StepsNeverFallWhateverIsWritten) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned>& numbers) {
    Listener listener;
    for (const auto number : numbers) {
      const int total = static_cast<int>(number % 4) * 10 + 10;
      listener.hear(
          bar(number % 3 == 0 ? "train" : "", static_cast<int>(number) % (total + 1), total));
      listener.hear(fmt::format("\nepoch {} step {}\n", number % 5, number % 17));
    }
    const auto steps = listener.steps();
    RC_ASSERT(std::is_sorted(steps.begin(), steps.end()));
    RC_ASSERT(std::adjacent_find(steps.begin(), steps.end()) == steps.end());
  }));
}

}  // namespace
}  // namespace tidegauge::record
