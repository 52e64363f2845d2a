// SPDX-License-Identifier: Apache-2.0
#include "view/timeline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "view/fake_incident.h"

namespace tidegauge::view {
namespace {

using record::Process;
using record::Role;

Timeline timeline_of(const std::vector<record::Entry>& entries, record::Header header = {}) {
  Timeline timeline;
  record::LedgerKeeper ledgers;
  timeline.begin(header);
  for (const auto& entry : entries) {
    ledgers.add(entry);
    timeline.add(entry, ledgers);
  }
  return timeline;
}

record::Sample sample_at(double seconds, std::vector<record::ProcessId> ids) {
  record::Sample sample;
  sample.at_ns = static_cast<std::int64_t>(seconds * 1e9);
  for (const auto& id : ids) {
    record::ProcessSample seen;
    seen.id = id;
    seen.memory.rss = seen.memory.anon = 100 << 20;
    sample.processes.push_back(seen);
  }
  return sample;
}

TEST(Timeline, OfTheIncidentHasItsFamiliesAndKinds) {
  const FakeIncident incident;
  const auto timeline = timeline_of(incident.entries(420), incident.header());
  ASSERT_TRUE(timeline.has_kinds());
  ASSERT_EQ(timeline.bands().size(), 3u);
  EXPECT_EQ(label_of(timeline.bands()[0]), "uv");
  EXPECT_EQ(label_of(timeline.bands()[1]), "train.py");
  EXPECT_EQ(label_of(timeline.bands()[2]), "20 compile workers");
  ASSERT_EQ(timeline.tree().rows().size(), 421u);
  EXPECT_EQ(timeline.processes().columns(), 22u);
  EXPECT_TRUE(timeline.gaps().empty());
  // Bands add up to the total but for page tables.
  const auto last = timeline.tree().rows().size() - 1;
  float bands = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    bands += timeline.tree().cells(timeline.first_band() + i)[last].at_peak;
  }
  EXPECT_NEAR(bands / timeline.tree().cells(0)[last].high, 1, 0.01);
}

TEST(Timeline, ForksAreOneFamily) {
  const record::ProcessId parent{1, 1};
  const record::ProcessId fork{2, 2};
  const record::ProcessId grandchild{3, 3};
  const record::ProcessId program{4, 4};
  const auto timeline = timeline_of({
      Process{.id = parent, .name = "train", .command = "python train.py", .role = Role::Main},
      Process{.id = fork, .parent = parent, .name = "train", .command = "python train.py"},
      Process{.id = grandchild, .parent = fork, .name = "train", .command = "python train.py"},
      Process{.id = program, .parent = parent, .name = "git", .command = "git status"},
      sample_at(0, {parent, fork, grandchild, program}),
  });
  ASSERT_EQ(timeline.bands().size(), 2u);
  EXPECT_EQ(label_of(timeline.bands()[0]), "train.py and 2 forks");
  EXPECT_EQ(label_of(timeline.bands()[1]), "git");
}

TEST(Timeline, ManyProgramsAreBounded) {
  std::vector<record::Entry> entries;
  std::vector<record::ProcessId> ids;
  for (int i = 1; i <= 300; ++i) {
    ids.push_back({i, 1});
    entries.emplace_back(Process{.id = {i, 1}, .name = "p", .command = std::to_string(i)});
  }
  entries.emplace_back(sample_at(0, ids));
  const auto timeline = timeline_of(entries);
  EXPECT_EQ(timeline.bands().size(), Bands::kMost);
  EXPECT_EQ(label_of(timeline.bands().back()), "others");
  EXPECT_EQ(timeline.process_ids().size(), Timeline::kMostProcesses);
}

TEST(Timeline, APauseIsAGapAndASlowerPaceIsNone) {
  std::vector<record::Entry> entries;
  double at = 0;
  const auto look = [&](double after) { entries.emplace_back(sample_at(at += after, {{1, 1}})); };
  for (int i = 0; i < 50; ++i) look(1);
  look(60);
  for (int i = 0; i < 50; ++i) look(2);
  for (int i = 0; i < 50; ++i) look(4);
  const auto timeline = timeline_of(entries);
  ASSERT_EQ(timeline.gaps().size(), 1u);
  EXPECT_EQ(timeline.gaps()[0].from, 50);
  EXPECT_EQ(timeline.gaps()[0].to, 110);
}

TEST(Timeline, TheFloorDoesNotFallBeforeTheEndDoes) {
  const record::ProcessId job{1, 1};
  std::vector<record::Entry> entries = {Process{.id = job, .name = "train", .role = Role::Main}};
  for (int second = 0; second < 50; ++second) entries.push_back(sample_at(second, {job}));
  std::get<record::Sample>(entries.back()).processes[0].memory.rss = 60 << 20;
  std::get<record::Sample>(entries.back()).processes[0].memory.anon = 60 << 20;
  const auto floor_before = [&] {
    const auto columns = tree_columns(timeline_of(entries), Progress{});
    return columns[48].floor;
  };
  EXPECT_EQ(floor_before(), 60 << 20) << "it may have given back what it does not need";
  entries.push_back(sample_at(50, {}));
  EXPECT_EQ(floor_before(), 100 << 20);
  auto& spike = std::get<record::Sample>(entries[49]).processes[0].memory;
  spike.rss = spike.anon = 150 << 20;
  EXPECT_EQ(floor_before(), 100 << 20) << "a spike until the end is no floor";
}

std::vector<Column> columns_of_an_ended_job(const std::function<std::uint64_t(int)>& mib_at) {
  const record::ProcessId job{1, 1};
  std::vector<record::Entry> entries = {Process{.id = job, .name = "train", .role = Role::Main}};
  for (int second = 0; second < 64; ++second) {
    auto sample = sample_at(second, {job});
    auto& memory = sample.processes[0].memory;
    memory.rss = memory.anon = mib_at(second) << 20;
    entries.push_back(sample);
  }
  entries.push_back(sample_at(64, {}));
  return tree_columns(timeline_of(entries), Progress{});
}

TEST(Timeline, AJobThatEndsWithinASpikeKeepsItsFloor) {
  const auto columns = columns_of_an_ended_job([](int second) { return second < 61 ? 100 : 170; });
  EXPECT_EQ(columns.back().floor, 100 << 20);
  EXPECT_EQ(columns.back().high, 170 << 20);
}

TEST(Timeline, WhatGrowsUntilTheEndIsDrawnUntilTheEnd) {
  const auto columns = columns_of_an_ended_job([](int second) { return 100 + 10 * second; });
  for (const auto& column : columns) EXPECT_EQ(column.floor, column.low);
}

TEST(Timeline, SeriesOfOthersAreColumns) {
  std::vector<record::Entry> entries;
  for (int i = 0; i < 3; ++i) {
    record::Sample sample;
    sample.at_ns = i * 1'000'000'000LL;
    sample.others = {{"rss", 5.0 * i}, {"heap", 1.0}};
    entries.emplace_back(sample);
  }
  const auto timeline = timeline_of(entries);
  EXPECT_FALSE(timeline.has_kinds());
  EXPECT_EQ(timeline.named(), (std::vector<std::string>{"rss", "heap"}));
  EXPECT_EQ(timeline.tree().cells(0)[2].high, 10.0F);
}

}  // namespace
}  // namespace tidegauge::view
