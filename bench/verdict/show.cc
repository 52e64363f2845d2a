// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tidegauge::bench {
namespace {

const char* word_of(Label label) {
  switch (label) {
    case Label::Leak:
      return "leak";
    case Label::Bounded:
      return "bounded";
    case Label::Undecidable:
      break;
  }
  return "undecidable";
}

struct Row {
  double seconds;
  std::string text;  // step,epoch,event
};

void add_rows(const Mark& mark, int& epoch, std::vector<Row>& rows) {
  const auto span = [&](const char* name) {
    rows.push_back({mark.begin_seconds, fmt::format(",,{}_start", name)});
    rows.push_back({mark.end_seconds, fmt::format(",,{}_end", name)});
  };
  switch (mark.kind) {
    case MarkKind::Eval:
      return span("eval");
    case MarkKind::Save:
      return span("save");
    case MarkKind::Compile:
      return span("compile");
    case MarkKind::Epoch:
      rows.push_back({mark.begin_seconds, fmt::format(",{},epoch", ++epoch)});
      return;
    case MarkKind::Restart:
      rows.push_back({mark.begin_seconds, ",,restart"});
      return;
  }
}

}  // namespace

std::string to_csv(const Series& series) {
  std::string text = "time,rss_bytes\n";
  for (std::size_t i = 0; i < series.seconds.size(); ++i)
    text += fmt::format("{:.3f},{:.0f}\n", series.seconds[i], series.bytes[i]);
  return text;
}

std::string markers_to_csv(const Series& series) {
  std::vector<Row> rows;
  int epoch = 0;
  for (const auto& mark : series.marks) add_rows(mark, epoch, rows);
  for (std::size_t i = 1; i < series.steps.size(); ++i)
    if (series.steps[i] != series.steps[i - 1])
      rows.push_back({series.seconds[i], fmt::format("{:.0f},,step", series.steps[i])});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.seconds < b.seconds; });
  std::string text = "time,step,epoch,event\n";
  for (const auto& row : rows) text += fmt::format("{:.3f},{}\n", row.seconds, row.text);
  return text;
}

std::string describe(const Series& series) {
  const auto& truth = series.truth;
  std::string text = fmt::format(
      "{} seed {}: {}, {:.0f} min, {} samples, {:.0f} MB first, {:.0f} MB last, limit {:.0f} MB\n",
      series.name, series.seed, word_of(truth.label), series.seconds.back() / 60,
      series.seconds.size(), series.bytes.front() / kMegabyte, series.bytes.back() / kMegabyte,
      series.limit_bytes / kMegabyte);
  if (truth.label == Label::Leak)
    text +=
        fmt::format("leak of {:.3f} MB/min from minute {:.1f} on, {:.1f} deviations at best\n",
                    truth.bytes_per_minute / kMegabyte, truth.onset_seconds / 60, ideal_z(series));
  if (truth.growth_end_seconds > 0)
    text += fmt::format("bounded growth from minute {:.1f} to {:.1f}\n",
                        truth.growth_begin_seconds / 60, truth.growth_end_seconds / 60);
  text += fmt::format(
      "{} marks, steps {}, steps per epoch {}\n", series.marks.size(),
      series.steps.empty() ? "unknown" : fmt::format("to {:.0f}", series.steps.back()),
      series.steps_per_epoch ? fmt::format("{:.1f}", *series.steps_per_epoch) : "unknown");
  return text;
}

std::string looks_csv(const std::vector<Outcome>& outcomes) {
  std::string text = "suite,class,seed,truth,onset_min,ideal_z,min,mode,said,p_leak\n";
  for (const auto& outcome : outcomes) {
    const auto line = [&](const Look& look, const char* mode) {
      text += fmt::format("{},{},{},{},{:.2f},{:.1f},{:.2f},{},{},{:.5f}\n", id_of(outcome.suite),
                          outcome.name, outcome.seed, word_of(outcome.truth.label),
                          outcome.truth.onset_seconds / 60, outcome.ideal_z, look.seconds / 60,
                          mode, verdict::id_of(look.klass), look.p_leak);
    };
    for (const auto& look : outcome.looks) line(look, "alarm");
    line(outcome.finished, "finished");
  }
  return text;
}

}  // namespace tidegauge::bench
