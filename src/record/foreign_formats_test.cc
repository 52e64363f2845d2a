// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "record/foreign.h"

namespace tidegauge::record {
namespace {

constexpr double kMebibyte = 1048576;

struct Read {
  std::vector<double> seconds{};
  std::map<std::string, std::vector<double>> series{};
  std::vector<double> steps{};
  std::vector<std::uint64_t> limits{};
  Clock clock = Clock::Seconds;
};

Read read(const std::string& text) {
  Read out;
  const auto foreign = parse_series(text, {});
  EXPECT_TRUE(foreign) << (foreign ? "" : foreign.error().what);
  if (!foreign) return out;
  out.clock = foreign->recording.header.clock;
  for (const auto& entry : foreign->recording.entries) {
    if (const auto* event = std::get_if<Event>(&entry); event && event->kind == EventKind::Step) {
      out.steps.push_back(event->value.value_or(-1));
    }
    const auto* sample = std::get_if<Sample>(&entry);
    if (sample == nullptr) continue;
    out.seconds.push_back(static_cast<double>(sample->at_ns) / 1e9);
    for (const auto& one : sample->others) out.series[one.name].push_back(one.bytes);
    for (const auto& cgroup : sample->cgroups) {
      if (cgroup.limit) out.limits.push_back(*cgroup.limit);
    }
  }
  return out;
}

std::string error_of(const std::string& text) {
  const auto foreign = parse_series(text, {});
  EXPECT_FALSE(foreign);
  return foreign ? "" : foreign.error().what;
}

TEST(Foreign, MprofHasMebibytesAndTimesSince1970) {
  const auto got = read(
      "CMDLINE /usr/bin/python3 train.py\n"
      "MEM 1.269531 1691158001.8405\n"
      "FUNC __main__.load 12.1 1691158001.9 30.2 1691158002.4\n"
      "MEM 60.500000 1691158001.9408\n"
      "CHLD 0 7.5 1691158001.9408\n"
      "MEM 61.0 16911");  // cut: still being written
  ASSERT_EQ(got.series.at("rss").size(), 2u);
  EXPECT_DOUBLE_EQ(got.series.at("rss")[1], 60.5 * kMebibyte);
  EXPECT_DOUBLE_EQ(got.series.at("child 0").at(0), 7.5 * kMebibyte);
  EXPECT_NE(error_of("MEM 1.0 100.0\nMEM x 100.1\nMEM 2.0 100.2\n").find("line 2"),
            std::string::npos);
}

TEST(Foreign, PsrecordIsATableOfBlanksWhoseVirtualMemoryDoesNotCount) {
  const auto got = read(
      "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
      "       0.000        0.000        6.234       32.875\n"
      "       1.003       12.500       80.500      310.000\n");
  EXPECT_EQ(got.series.size(), 1u);
  ASSERT_EQ(got.series.at("rss").size(), 2u);
  EXPECT_NEAR(got.series.at("rss")[1], 80.5 * kMebibyte, 1);
  EXPECT_NEAR(got.seconds[1], 1.003, 1e-6);
  EXPECT_NE(error_of("# Elapsed time   CPU (%)   Real (MB)\n1 x 3\n2 3 4\n").find("line 2"),
            std::string::npos);
}

TEST(Foreign, PrometheusSeriesAreNamedByWhatTellsThemApart) {
  const auto got = read(
      R"({"status":"success","data":{"resultType":"matrix","result":[
        {"metric":{"__name__":"container_memory_rss","pod":"a","job":"x"},
         "values":[[1700000000,"1048576"],[1700000015.5,"2097152"],[1700000030,"NaN"]]},
        {"metric":{"__name__":"container_memory_rss","pod":"b","job":"x"},
         "values":[[1700000000,"5"]]}]}})");
  ASSERT_EQ(got.series.size(), 2u);
  EXPECT_EQ(got.series.at("a"), (std::vector<double>{kMebibyte, 2 * kMebibyte}));
  EXPECT_NEAR(got.seconds[1], 15.5, 1e-3);
  const auto alone =
      read(R"({"data":{"result":[{"metric":{"__name__":"rss"},"values":[[1,"7"],[2,"8"]]}]}})");
  EXPECT_EQ(alone.series.at("rss").size(), 2u);
}

TEST(Foreign, JsonThatIsNoSeriesIsToldWhatWasExpected) {
  EXPECT_NE(error_of(R"({"a":1})").find("Prometheus"), std::string::npos);
  EXPECT_NE(error_of(R"({"status":"error","error":"bad query"})").find("bad query"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"data":{"result":[{"metric":{},"value":[1,"2"]}]}})").find("query_range"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"data":)").find("JSON"), std::string::npos);
  EXPECT_NE(error_of("[1,2]").find("step"), std::string::npos);
}

TEST(Foreign, ATrainersLogCountsStepsAndJoinsRowsOfOneStep) {
  const auto got = read(
      R"({"epoch":2.0,"log_history":[
        {"epoch":0.1,"loss":2.5,"step":10,"rss_mb":1000},
        {"epoch":0.2,"loss":2.1,"step":20,"rss_mb":1100},
        {"epoch":0.2,"eval_loss":2.2,"step":20},
        {"train_runtime":12.0,"step":30,"rss_mb":1200}]})");
  EXPECT_EQ(got.clock, Clock::Steps);
  EXPECT_EQ(got.seconds, (std::vector<double>{10, 20, 30}));
  EXPECT_EQ(got.series.at("rss"),
            (std::vector<double>{1000 * kMebibyte, 1100 * kMebibyte, 1200 * kMebibyte}));
}

TEST(Foreign, WhatPythonWritesForNoNumberIsMissing) {
  const auto got = read(
      R"({"best_metric": Infinity,"log_history":[
        {"loss":NaN,"note":"NaN","grad_norm": -Infinity,"step":10,"rss_mb":1000},
        {"loss":2.1,"step":20,"rss_mb":NaN},
        {"loss":2.0,"step":NaN,"rss_mb":1},
        {"loss":2.0,"step":30,"rss_mb":1200}]})");
  EXPECT_EQ(got.seconds, (std::vector<double>{10, 20, 30}));
  EXPECT_EQ(got.series.at("rss"), (std::vector<double>{1000 * kMebibyte, 1200 * kMebibyte}));
  const auto prometheus =
      read(R"({"data":{"result":[{"metric":{"__name__":"rss"},"values":[[1,7],[2,NaN],[3,8]]}]}})");
  EXPECT_EQ(prometheus.series.at("rss"), (std::vector<double>{7, 8}));
  EXPECT_NE(error_of(R"({"log_history":[{"step":1,"rss_mb":NaN1}]})").find("JSON"),
            std::string::npos);
}

TEST(Foreign, WandbColumnsSayTheirUnitInTheirLastLetters) {
  const auto got = read(
      "_runtime,_timestamp,_step,system.memory,system.proc.memory.rssMB,"
      "system.gpu.0.memoryAllocatedBytes\n"
      "1.5,1700000000.5,1,12.5,800,1000\n"
      "16.5,1700000015.5,20,12.5,900,2000\n");
  EXPECT_EQ(got.series.size(), 2u);
  EXPECT_EQ(got.series.at("system.proc.memory.rss").back(), 900 * kMebibyte);
  EXPECT_EQ(got.series.at("system.gpu.0.memoryAllocated").back(), 2000);
}

TEST(Foreign, DockerAndKubectlSaySizesInTheirCells) {
  const auto docker = read(
      "time,name,cpu,mem_usage\n"
      "2024-05-01T12:00:00Z,trainer,99.1%,1.5GiB / 31.2GiB\n"
      "2024-05-01T12:00:10Z,trainer,99.1%,1536.5MiB / 31.2GiB\n");
  EXPECT_EQ(docker.series.at("trainer").front(), 1536 * kMebibyte);
  EXPECT_EQ(docker.limits.size(), 2u);
  const auto kubectl = read(
      "timestamp,pod,CPU(cores),MEMORY(bytes)\n"
      "0,a,10m,100Mi\n0,b,10m,2Gi\n30,a,10m,101Mi\n30,b,10m,<unknown>\n60,b,10m,2Gi\n");
  EXPECT_EQ(kubectl.series.at("a"), (std::vector<double>{100 * kMebibyte, 101 * kMebibyte}));
  EXPECT_EQ(kubectl.series.at("b").size(), 2u);
  EXPECT_NE(error_of("time,mem\n0,1GiB\n1,much\n2,1GiB\n").find("line 3"), std::string::npos);
}

TEST(Foreign, WhatIsCsvStaysCsv) {
  EXPECT_EQ(read("time,rss_mb\n0,1\n1,2\n").series.at("rss").size(), 2u);
  EXPECT_NE(error_of("time,mem\n0,1\n").find("unit"), std::string::npos);
}

}  // namespace
}  // namespace tidegauge::record
