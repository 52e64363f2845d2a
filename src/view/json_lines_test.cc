// SPDX-License-Identifier: Apache-2.0
#include "view/json_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tidegauge::view {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMiB = 1 << 20;

struct Printed {
  record::LedgerKeeper ledgers{};
  JsonLines lines{};

  std::string add(const record::Entry& entry) {
    ledgers.add(entry);
    return std::string(lines.add(entry, ledgers));
  }
  Json parsed(const record::Entry& entry) { return Json::parse(add(entry)); }
};

record::Sample sample_of(std::vector<record::ProcessSample> processes) {
  return {.at_ns = 1'500'000'000, .processes = std::move(processes)};
}

TEST(JsonLines, ASampleIsOneLineWithWhatIsKnownAndNothingElse) {
  Printed printed;
  const record::ProcessId id{7, 99};
  EXPECT_EQ(printed.add(record::Process{.id = id, .name = "train", .role = record::Role::Main}),
            "");
  const auto line = printed.add(sample_of(
      {{.id = id, .memory = {.rss = 3 * kMiB, .anon = 2 * kMiB}, .activity = {.threads = 4}}}));
  EXPECT_EQ(line,
            R"({"type":"sample","seconds":1.5,"tree":{"total_bytes":3145728,"anon_bytes":2097152},)"
            R"("processes":[{"pid":7,"start_ticks":99,"name":"train","role":"main",)"
            R"("rss_bytes":3145728,"anon_bytes":2097152,"threads":4}]})"
            "\n");
}

TEST(JsonLines, ANameOfAnyBytesBreaksNoLine) {
  Printed printed;
  const record::ProcessId id{7, 99};
  printed.add(record::Process{.id = id, .name = "a\"b\n\xff\\"});
  const auto line = printed.parsed(sample_of({{.id = id, .memory = {.rss = kMiB}}}));
  EXPECT_EQ(line["processes"][0]["name"], "a\"b\n\uFFFD\\");
}

TEST(JsonLines, NobodyIsAnEmptyList) {
  Printed printed;
  EXPECT_EQ(printed.parsed(sample_of({}))["processes"], Json::array());
}

// The ledger has to know who was forked from whom, or workers count their parent's pages again.
TEST(JsonLines, AForkedWorkerAddsNothingToTheTree) {
  Printed printed;
  const record::ProcessId main{7, 99}, worker{8, 100};
  const record::Memory memory{.rss = 500 * kMiB, .anon = 500 * kMiB};
  printed.add(record::Process{.id = main, .name = "train", .command = "train"});
  printed.add(sample_of({{.id = main, .memory = memory}}));
  printed.add(record::Process{.id = worker, .parent = main, .name = "train", .command = "train"});
  const auto line =
      printed.parsed(sample_of({{.id = main, .memory = memory}, {.id = worker, .memory = memory}}));
  EXPECT_EQ(line["tree"]["total_bytes"], 500 * kMiB);
}

TEST(JsonLines, WhatAGroupIsChargedComesWithTheRestThatNobodyExplains) {
  Printed printed;
  auto sample = sample_of({{.id = {7, 99}, .memory = {.rss = 3 * kMiB, .anon = 3 * kMiB}}});
  sample.cgroups.push_back({.path = "/job", .exclusive = true, .current = 2 * kMiB});
  const auto tree = printed.parsed(sample)["tree"];
  EXPECT_EQ(tree["charged_bytes"], 2 * kMiB);
  EXPECT_EQ(tree["unexplained_bytes"], -static_cast<std::int64_t>(kMiB));
}

TEST(JsonLines, AVerdictIsSaidWhenItsClassChangesAndAtTheEnd) {
  Printed printed;
  verdict::Verdicts verdicts;
  verdicts.all.push_back({.klass = verdict::Class::Undecided});
  EXPECT_EQ(Json::parse(printed.lines.verdict(verdicts, "x", {}))["type"], "verdict");
  EXPECT_EQ(printed.lines.verdict(verdicts, "x", {}), "");
  verdicts.all.front().klass = verdict::Class::Leak;
  EXPECT_EQ(Json::parse(printed.lines.verdict(verdicts, "x", {}))["verdicts"][0]["class"], "leak");
  EXPECT_EQ(Json::parse(printed.lines.last_verdict(verdicts, "x", {}))["verdicts"][0]["class"],
            "leak");
  const Killed killed{.words = "The kernel killed it.", .of_job = true};
  EXPECT_EQ(Json::parse(printed.lines.last_verdict(verdicts, "x", killed))["killed"]["words"],
            "The kernel killed it.");
}

}  // namespace
}  // namespace tidegauge::view
