// SPDX-License-Identifier: Apache-2.0
#include "record/thinner.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "record/fake_recording.h"
#include "record/file.h"
#include "record/temp_folder.h"

namespace tidegauge::record {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMiB = 1 << 20;

std::vector<Entry> thinned(const std::vector<Entry>& entries, const ThinRules& rules) {
  Thinner thinner(rules);
  std::vector<Entry> out;
  const auto take = [&](std::vector<Entry> more) {
    std::move(more.begin(), more.end(), std::back_inserter(out));
  };
  for (const auto& entry : entries) take(thinner.add(entry));
  take(thinner.finish());
  return out;
}

Sample sample_of(std::int64_t at, std::uint64_t main_mib, std::uint64_t worker_mib) {
  Sample sample{.at_ns = at * kSecond};
  sample.processes.push_back({.id = {10, 1}, .memory = {.rss = main_mib * kMiB}});
  sample.processes.push_back({.id = {11, 1}, .memory = {.rss = worker_mib * kMiB}});
  return sample;
}

std::uint64_t total_of(const Entry& entry) {
  std::uint64_t total = 0;
  if (const auto* sample = std::get_if<Sample>(&entry)) {
    for (const auto& process : sample->processes) total += process.memory.rss.value_or(0);
  }
  return total;
}

TEST(Thinner, KeepsTheFirstProfileOfAProcessAndEverySecondOneAfterIt) {
  std::vector<Entry> entries;
  for (int i = 0; i < 320; ++i) {
    entries.emplace_back(sample_of(i, 1000, 100));
    if (i % 10 == 5) entries.emplace_back(Profile{.at_ns = i * kSecond, .process = {10, 1}});
    if (i == 300) entries.emplace_back(Profile{.at_ns = i * kSecond, .process = {11, 1}});
  }
  std::vector<std::int64_t> kept;
  for (const auto& entry : thinned(entries, {})) {
    if (std::holds_alternative<Profile>(entry)) kept.push_back(at_of(entry) / kSecond);
  }
  EXPECT_EQ(kept, (std::vector<std::int64_t>{5, 25, 45, 65, 85, 105, 125, 145, 165, 185, 205, 225,
                                             245, 265, 285, 300, 305}));
}

TEST(Thinner, KeepsTheFloorAndThePeakOfEveryBucket) {
  std::vector<Entry> entries;
  for (int i = 0; i < 320; ++i) {
    const std::uint64_t spike = i == 77 ? 5000 : 0;
    const std::uint64_t dip = i == 200 ? 50 : 0;
    entries.emplace_back(sample_of(i, 1000 + static_cast<std::uint64_t>(i) + spike - dip, 100));
  }
  const auto kept = thinned(entries, {.samples = 32});
  EXPECT_LE(kept.size(), 320u / 4);
  for (const int at : {0, 77, 200, 319}) {
    EXPECT_NE(std::find(kept.begin(), kept.end(), entries[static_cast<std::size_t>(at)]),
              kept.end())
        << at;
  }
}

TEST(Thinner, KeepsWhereOneBigProcessWasHighestThoughTheTreeWasNot) {
  std::vector<Entry> entries;
  for (int i = 0; i < 32; ++i) {
    // What one has more the other has less: the tree is flat but for the first and last.
    const std::uint64_t shift = i == 13 ? 300 : 0;
    entries.emplace_back(
        sample_of(i, 1000 + shift + (i == 0 ? 1 : 0), 900 - shift + (i == 31 ? 2 : 0)));
  }
  const auto kept = thinned(entries, {.samples = 32});
  EXPECT_NE(std::find(kept.begin(), kept.end(), entries[13]), kept.end());
}

TEST(Thinner, KeepsMarksButFewerSteps) {
  std::vector<Entry> entries;
  for (int i = 0; i < 64; ++i) {
    for (int step = 0; step < 20; ++step) {
      entries.emplace_back(Event{.at_ns = i * kSecond,
                                 .kind = EventKind::Step,
                                 .source = MarkSource::Optimizer,
                                 .value = i * 20 + step});
    }
    if (i % 10 == 0) {
      entries.emplace_back(
          Event{.at_ns = i * kSecond, .kind = EventKind::PhaseBegin, .name = "eval"});
    }
    entries.emplace_back(sample_of(i, 100, 10));
  }
  std::vector<double> steps;
  std::size_t phases = 0;
  for (const auto& entry : thinned(entries, {.samples = 32})) {
    const auto* event = std::get_if<Event>(&entry);
    if (event == nullptr) continue;
    if (event->kind == EventKind::Step) steps.push_back(*event->value);
    phases += event->kind == EventKind::PhaseBegin ? 1 : 0;
  }
  EXPECT_EQ(steps, (std::vector<double>{0, 639, 640, 1279}));
  EXPECT_EQ(phases, 7u);
}

TEST(Thinner, ForgetsProcessesThatNoSurvivingSampleHas) {
  std::vector<Entry> entries;
  entries.emplace_back(Process{.id = {10, 1}, .name = "main"});
  entries.emplace_back(Process{.id = {11, 1}, .name = "worker"});
  for (int i = 0; i < 32; ++i) {
    auto sample = sample_of(i, static_cast<std::uint64_t>(1000 + i), 100);
    if (i == 16) {  // comes and goes in the middle, where nothing is extreme
      entries.emplace_back(Process{.id = {99, 9}, .name = "cc1plus"});
      entries.emplace_back(Event{.kind = EventKind::Started, .process = {99, 9}});
      sample.processes.push_back({.id = {99, 9}, .memory = {.rss = 0}});
    }
    entries.emplace_back(sample);
  }
  std::size_t about_it = 0;
  std::size_t processes = 0;
  for (const auto& entry : thinned(entries, {.samples = 32})) {
    const auto* event = std::get_if<Event>(&entry);
    about_it += event != nullptr && event->process == ProcessId{99, 9} ? 1 : 0;
    processes += std::holds_alternative<Process>(entry) ? 1 : 0;
  }
  EXPECT_EQ(about_it, 0u);
  EXPECT_EQ(processes, 2u);
}

TEST(ThinnerLaws, WhatSurvivesIsAsItWasAndInOrder) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    const auto recording = FakeRecording(seed).make(200);
    const auto kept = thinned(recording.entries, {.samples = 16});
    std::size_t next = 0;
    for (const auto& entry : kept) {
      while (next < recording.entries.size() && !(recording.entries[next] == entry)) ++next;
      RC_ASSERT(next < recording.entries.size());
      ++next;
    }
  }));
}

TEST(ThinnerLaws, TheWholesFloorAndPeakSurviveHoweverOftenItIsThinned) {
  EXPECT_TRUE(rc::check([](std::vector<std::uint16_t> sizes) {
    RC_PRE(!sizes.empty());
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      entries.emplace_back(sample_of(static_cast<std::int64_t>(i), sizes[i], 3));
    }
    const auto less = [](const Entry& a, const Entry& b) { return total_of(a) < total_of(b); };
    const auto [low, high] = std::minmax_element(entries.begin(), entries.end(), less);
    const auto expected = std::pair(total_of(*low), total_of(*high));
    auto kept = entries;
    for (int i = 0; i < 3; ++i) kept = thinned(kept, {.samples = 8});
    const auto [kept_low, kept_high] = std::minmax_element(kept.begin(), kept.end(), less);
    RC_ASSERT(std::pair(total_of(*kept_low), total_of(*kept_high)) == expected);
  }));
}

// A recording that is bounded while it is written.
struct Bounded {
  TempFolder folder{};
  std::vector<Entry> written{};
  std::uint64_t largest = 0;
  Recording found{};

  void record(const Bounds& bounds, int samples) {
    auto writer = Writer::create(folder / "b.tg", {}, bounds);
    ASSERT_TRUE(writer);
    std::mt19937 random(7);
    const auto add = [&](Entry entry) {
      written.push_back(std::move(entry));
      const auto done = writer->append(written.back());
      ASSERT_TRUE(done) << done.error().what;
    };
    add(Process{.id = {10, 1}, .name = "main"});
    add(Process{.id = {11, 1}, .name = "worker"});
    for (int i = 0; i < samples; ++i) {
      if (i % 500 == 0)
        add(Event{.at_ns = i * kSecond, .kind = EventKind::Epoch, .value = i / 500});
      const std::uint64_t spike = i == samples / 10 ? 90'000 : 0;
      add(sample_of(i, 1000 + random() % 1000 + spike, 1 + random() % 10));
      ASSERT_TRUE(i % 50 != 0 || writer->drain());
      largest = std::max(largest, writer->bytes_written());
    }
    ASSERT_TRUE(writer->close());
    auto read = read_all(folder / "b.tg");
    ASSERT_TRUE(read) << read.error().what;
    found = *std::move(read);
  }
};

TEST(Bounds, OfSizeAreKeptAndSoAreFloorsPeaksAndMarks) {
  Bounded bounded;
  constexpr int kSamples = 20'000;
  bounded.record({.max_bytes = 40'000}, kSamples);
  EXPECT_LE(bounded.largest, 45'000u);
  const auto& kept = bounded.found.entries;
  EXPECT_EQ(kept.back(), bounded.written.back());
  std::size_t epochs = 0;
  std::uint64_t peak = 0;
  std::size_t next = 0;
  for (const auto& entry : kept) {
    const auto* event = std::get_if<Event>(&entry);
    epochs += event != nullptr && event->kind == EventKind::Epoch ? 1 : 0;
    peak = std::max(peak, total_of(entry));
    while (next < bounded.written.size() && !(bounded.written[next] == entry)) ++next;
    ASSERT_LT(next, bounded.written.size()) << "every entry that is there was written so";
  }
  EXPECT_EQ(epochs, 40u);
  EXPECT_GT(peak, 90'000 * kMiB);
  EXPECT_FALSE(std::filesystem::exists(bounded.folder / "b.tg.new"));
  // The newest stretch is untouched: a sample for every second.
  std::vector<std::int64_t> times;
  for (const auto& entry : kept) {
    if (std::holds_alternative<Sample>(entry)) times.push_back(at_of(entry) / kSecond);
  }
  ASSERT_GT(times.size(), 500u);
  for (std::size_t i = times.size() - 300; i + 1 < times.size(); ++i) {
    ASSERT_EQ(times[i] + 1, times[i + 1]);
  }
  EXPECT_EQ(times.front(), 0) << "and it still begins where it began";
}

TEST(Bounds, OfAgeAreKept) {
  Bounded bounded;
  bounded.record({.max_age_seconds = 2000}, 10'000);
  std::int64_t oldest = INT64_MAX;
  std::size_t processes = 0;
  for (const auto& entry : bounded.found.entries) {
    processes += std::holds_alternative<Process>(entry) ? 1 : 0;
    if (!std::holds_alternative<Process>(entry)) oldest = std::min(oldest, at_of(entry) / kSecond);
  }
  EXPECT_GE(oldest, 10'000 - 2000 * 1.2);
  EXPECT_LE(oldest, 10'000 - 2000);
  EXPECT_EQ(processes, 2u) << "they still live, so they are still known";
}

TEST(Bounds, ThatCannotBeKeptAreSaidAndNothingIsLost) {
  const TempFolder folder;
  auto writer = Writer::create(folder / "b.tg", {}, {.max_bytes = 4000});
  ASSERT_TRUE(writer);
  // What would take its place cannot be made: a folder is in the way.
  std::filesystem::create_directories(folder / "b.tg.new/x");
  std::vector<Entry> written;
  std::vector<std::string> errors;
  for (int i = 0; i < 3000; ++i) {
    written.emplace_back(sample_of(i, static_cast<std::uint64_t>(i * 37 % 1000), 5));
    if (const auto done = writer->append(written.back()); !done)
      errors.push_back(done.error().what);
    ASSERT_TRUE(i % 60 != 0 || writer->drain());
  }
  ASSERT_TRUE(writer->close());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].find("the recording grows beyond its bound"), 0u) << errors[0];
  EXPECT_EQ(read_all(folder / "b.tg")->entries, written);
}

}  // namespace
}  // namespace tidegauge::record
