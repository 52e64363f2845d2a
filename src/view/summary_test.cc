// SPDX-License-Identifier: Apache-2.0
#include "view/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "view/any_verdict.h"
#include "view/fake_incident.h"
#include "view/width.h"

namespace tidegauge::view {
namespace {

Summary incident_summary(int seconds) {
  const FakeIncident incident;
  Summary summary;
  summary.begin(incident.header());
  for (const auto& entry : incident.entries(seconds)) summary.add(entry);
  return summary;
}

verdict::Verdicts settled() {
  return {.all = {incident_settled()}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

std::string plain_text(const Summary& summary, int columns = 100) {
  return summary.text(settled(), {.colour = false, .unicode = false, .columns = columns});
}

TEST(Summary, BeginsWithTheVerdict) {
  const auto text = plain_text(incident_summary(400));
  EXPECT_TRUE(
      text.starts_with("NOT A LEAK: Growth ended at step 83, with the first pass over the data.\n"))
      << text;
  EXPECT_TRUE(has(text, "The peak of 22.5 GiB fits into 32.0 GiB (RAM)."));
}

TEST(Summary, ReportsTheJobFirstAndTheWrapperAsSuch) {
  const auto text = plain_text(incident_summary(400));
  const auto job = text.find("train.py  494  main");
  const auto wrapper = text.find("uv        490  wrapper");
  ASSERT_NE(job, text.npos) << text;
  ASSERT_NE(wrapper, text.npos) << text;
  EXPECT_LT(job, wrapper);
}

TEST(Summary, TellsWorkersTogether) {
  const auto text = plain_text(incident_summary(400));
  EXPECT_TRUE(has(text, "20 compile workers: 7.81 GiB together, constant.")) << text;
  EXPECT_FALSE(has(text, " 605 ")) << text;
}

TEST(Summary, CountsEachKindOfTheTree) {
  const auto text = plain_text(incident_summary(400));
  EXPECT_TRUE(has(text, "anonymous")) << text;
  EXPECT_TRUE(has(text, "page tables")) << text;
  EXPECT_FALSE(has(text, "swapped")) << text;  // nothing was
}

TEST(Summary, FitsThePaperInColumnsAndInCharacters) {
  auto summary = incident_summary(400);
  for (const int columns : {40, 72, 100, 120, 300}) {
    for (const bool unicode : {false, true}) {
      auto text =
          summary.text(settled(), {.colour = false, .unicode = unicode, .columns = columns});
      std::string_view rest = text;
      while (!rest.empty()) {
        const auto line = next_line(rest);
        EXPECT_LE(columns_of(line), static_cast<std::size_t>(columns)) << line;
      }
      if (!unicode) {
        for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f)) << text;
      }
    }
  }
}

TEST(Summary, HasColourOnlyWhereAsked) {
  const auto summary = incident_summary(60);
  EXPECT_FALSE(has(summary.text(settled(), {.colour = false}), "\x1b"));
  EXPECT_TRUE(has(summary.text(settled(), {.colour = true}), "\x1b["));
}

TEST(Summary, AHostileNameIsShownHarmless) {
  Summary summary;
  summary.begin({});
  const record::ProcessId id{7, 1};
  summary.add(record::Process{
      .id = id, .name = "a\x1b[2J|`b\n", .command = "x", .role = record::Role::Main});
  record::Sample sample;
  sample.processes.push_back({.id = id, .memory = {.rss = 1 << 30, .anon = 1 << 30}});
  summary.add(sample);
  const auto text = summary.text(settled(), {});
  EXPECT_FALSE(has(text, "\x1b"));
  EXPECT_TRUE(has(text, "a\uFFFD[2J|`b"));
  const auto markdown = summary.markdown(settled());
  EXPECT_TRUE(has(markdown, "| `a\uFFFD[2J/'b\uFFFD` | 7 |")) << markdown;
  EXPECT_TRUE(nlohmann::json::accept(summary.json()));
}

TEST(Summary, MarkdownHasTheWordsTheReasonsAndThePath) {
  const auto text = incident_summary(400).markdown(settled(), "/tmp/train.tg");
  EXPECT_TRUE(text.starts_with(
      "# Not a leak: Growth ended at step 83, with the first pass over the data.\n"))
      << text;
  for (const char* part :
       {"## Why", "Linear growth over 70 steps.", "## What would change this verdict",
        "## Processes", "| `train.py` | 494 | main |", "20 compile workers", "## Kinds of memory",
        "## How it was measured", "- Recording: `/tmp/train.tg`", "- Steps told by: framework",
        "⣿⣿⣿", "limit 32.0 GiB (RAM)"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
}

TEST(Summary, JsonHasEachProcessAndTheTree) {
  const auto document = nlohmann::json::parse(incident_summary(400).json());
  ASSERT_EQ(document["processes"].size(), 22u);
  const auto& trainer = document["processes"][1];
  EXPECT_EQ(trainer["pid"], 494);
  EXPECT_EQ(trainer["role"], "main");
  EXPECT_EQ(trainer["kinds"]["anon"]["growth"], 83 * 215ull << 20);
  EXPECT_EQ(document["tree"]["roles"]["compile_worker"]["most"], 20);
  EXPECT_EQ(document["tree"]["samples"], 401);
  EXPECT_GT(document["tree"]["kinds"]["total"]["max"], document["tree"]["kinds"]["total"]["floor"]);
}

TEST(Summary, ManyShortProcessesBecomeOneLine) {
  Summary summary;
  summary.begin({});
  for (int i = 0; i < 500; ++i) {
    const record::ProcessId id{1000 + i, 5};
    summary.add(record::Process{.id = id, .name = "sh"});
    record::Sample sample;
    sample.at_ns = i * 1'000'000'000LL;
    sample.processes.push_back({.id = id, .memory = {.rss = 1 << 20, .anon = 1 << 20}});
    summary.add(sample);
    summary.add(
        record::Event{.at_ns = sample.at_ns, .kind = record::EventKind::Exited, .process = id});
  }
  const auto text = plain_text(summary);
  EXPECT_TRUE(has(text, "468 more processes came and went; the largest held 1.00 MiB.")) << text;
  EXPECT_TRUE(has(text, "sh x32")) << "those that are kept one by one are one row, too\n" << text;
  EXPECT_LT(text.size(), 6000u);
}

TEST(Summary, ASeriesOfAForeignFileHasItsOwnLine) {
  Summary summary;
  summary.begin({});
  for (int i = 1; i <= 7; ++i) {
    record::Sample sample;
    sample.at_ns = i * 10'000'000'000LL;
    sample.others.push_back({"rss_mb", 1e9 * i});
    summary.add(sample);
  }
  const auto text = plain_text(summary);
  EXPECT_TRUE(has(text, "rss_mb")) << text;
  EXPECT_FALSE(has(text, "PROCESS")) << text;
}

// Forked, and not yet walked: what they show is what their parent has.
TEST(Summary, WorkersThatShareTheirPagesAreNotMoreThanTheTree) {
  Summary summary;
  summary.begin({});
  const record::ProcessId job{1, 1};
  summary.add(record::Process{
      .id = job, .name = "train.py", .command = "python train.py", .role = record::Role::Main});
  const auto worker = [](int i) { return record::ProcessId{10 + i, 2}; };
  const auto memory = [](std::uint64_t mib) {
    return record::Memory{.rss = mib << 20, .anon = mib << 20};
  };
  for (int second = 0; second < 20; ++second) {
    record::Sample sample{.at_ns = second * 1'000'000'000LL};
    sample.processes.push_back({.id = job, .memory = memory(60)});
    for (int i = 0; second >= 5 && i < 20; ++i) {
      if (second == 5) {
        summary.add(record::Process{.id = worker(i),
                                    .parent = job,
                                    .name = "pt_data_worker",
                                    .command = "python train.py",
                                    .role = record::Role::LoaderWorker});
      }
      sample.processes.push_back({.id = worker(i), .memory = memory(62)});
    }
    summary.add(sample);
  }
  const auto document = nlohmann::json::parse(summary.json());
  const auto together = document["tree"]["roles"]["loader_worker"]["together"]["max"];
  EXPECT_LE(together, document["tree"]["kinds"]["total"]["max"]);
  EXPECT_LT(together, 200u << 20) << "20 times 62 MiB are shared\n" << plain_text(summary);
}

TEST(Summary, MoreShareThanResidentIsNothingCountedTwice) {
  Summary summary;
  summary.begin({});
  record::Sample sample;
  sample.processes.push_back({.id = {1, 1}, .memory = {.rss = 10 << 20, .pss = 12 << 20}});
  summary.add(sample);
  const auto document = nlohmann::json::parse(summary.json());
  EXPECT_EQ(document["processes"][0]["kinds"]["total"]["max"], 10 << 20);
}

TEST(Summary, WithoutAScreenNoColumnIsLeftOutAndBlanksAreBlanks) {
  auto summary = incident_summary(400);
  const auto text = summary.text(settled(), {.columns = 60, .terminal = false, .all_kinds = true});
  for (const char* title : {"MIN", "AVERAGE", "MAX", "FLOOR", "GREW", "PEAK RSS"}) {
    EXPECT_TRUE(has(text, title)) << title << "\n" << text;
  }
  EXPECT_FALSE(has(text, "\u00A0")) << text;
  EXPECT_TRUE(has(text, "22.5 GiB")) << text;
  EXPECT_TRUE(has(summary.text(settled(), {}), "22.5\u00A0GiB"));
  const auto wrapper = text.find("uv ");
  ASSERT_NE(wrapper, text.npos) << text;
  EXPECT_NE(text.find("  anonymous", wrapper), text.npos) << "of the wrapper, too\n" << text;
  EXPECT_FALSE(has(summary.markdown(settled()), "\u00A0"));
}

TEST(Summary, WhatOthersPaidForIsNoNegativeRest) {
  Summary summary;
  summary.begin({});
  record::Sample sample;
  sample.processes.push_back({.id = {1, 1}, .memory = {.rss = 10 << 20, .anon = 10 << 20}});
  sample.cgroups.push_back({.path = "/", .exclusive = true, .current = 4 << 20});
  summary.add(sample);
  const auto text = plain_text(summary);
  EXPECT_TRUE(has(text, "paid by others")) << text;
  EXPECT_FALSE(has(text, "-6.00 MiB")) << text;
}

TEST(Summary, ALimitInAFileSaysNothingOfWhatIsCharged) {
  Summary summary;
  summary.begin({});
  record::Sample sample;
  sample.others.push_back({"rss", 10 << 20});
  sample.cgroups.push_back({.path = "", .limit = 2ull << 30});
  summary.add(sample);
  const auto text = plain_text(summary);
  EXPECT_TRUE(has(text, "limit in the file 2.00 GiB")) << text;
  EXPECT_FALSE(has(text, "charged")) << text;
}

TEST(Summary, SaysSomethingBeforeTheFirstSample) {
  Summary summary;
  summary.begin({});
  EXPECT_FALSE(summary.text({.all = {verdict::Verdict{}}}, {}).empty());
  EXPECT_FALSE(summary.markdown({}).empty());
  EXPECT_TRUE(nlohmann::json::accept(summary.json()));
}

// Samples that find all as it was are not counted one by one. Told of a process
// again, they are.
TEST(Summary, SamplesThatRepeatTheOneBeforeCountAsMuchAsOthers) {
  const record::Process job{.id = {7, 1}, .name = "train.py", .role = record::Role::Main};
  const record::Process worker{.id = {8, 2}, .name = "pt_data_worker"};
  Summary quick, thorough;
  for (auto* summary : {&quick, &thorough}) {
    for (int i = 0; i < 300; ++i) {
      if (i == 0 || summary == &thorough) summary->add(job);
      if (i == 100) summary->add(worker);
      record::Sample sample{.at_ns = i * 1'000'000'000ll};
      const auto bytes = (100ull + static_cast<unsigned>(i / 70)) << 20;
      sample.processes.push_back({.id = job.id, .memory = {.rss = bytes, .anon = bytes}});
      if (i >= 100 && i < 200) {
        sample.processes.push_back({.id = worker.id, .memory = {.rss = 50 << 20}});
      }
      summary->add(sample);
    }
  }
  EXPECT_EQ(quick.json(), thorough.json());
  EXPECT_EQ(plain_text(quick), plain_text(thorough));
}

}  // namespace
}  // namespace tidegauge::view
