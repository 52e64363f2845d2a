// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "view/jobs.h"
#include "view/phrases.h"
#include "view/short_words.h"
#include "view/summary_text.h"

namespace tidegauge::view {

namespace {

using verdict::Class;
using verdict::Verdict;

constexpr std::size_t kNameColumns = 120;
constexpr std::array kClasses = {Class::Leak,   Class::WarmUp, Class::Spikes,   Class::Sawtooth,
                                 Class::Steady, Class::Shift,  Class::Undecided};

std::string label_value(std::string_view text) {
  std::string out;
  for (const char c : shown(text, kNameColumns)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;  // `shown` leaves no newline
  }
  return out;
}

std::string labels_of(const JobNow& job) {
  const auto listed = listed_processes(job.accounts, 1);
  const auto name = listed.empty() ? job.accounts.header.command : job_name(listed.front()->known);
  return fmt::format("job_name=\"{}\",pid=\"{}\",key=\"{}\"", label_value(name), job.pid,
                     label_value(job.key));
}

class Writer {
 public:
  explicit Writer(std::span<const JobNow> jobs) : jobs_(jobs) {
    for (const auto& job : jobs) labels_.push_back(labels_of(job));
  }

  // A family: a line for each job of which `value` knows something.
  void gauge(std::string_view name, std::string_view help,
             const std::function<std::optional<double>(const JobNow&)>& value) {
    head(name, "gauge", help);
    for (std::size_t i = 0; i < jobs_.size(); ++i) line(name, labels_[i], value(jobs_[i]));
  }
  void head(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# TYPE {} {}\n", name, type);
    for (const std::string_view unit : {"bytes", "seconds"}) {
      if (name.ends_with(unit)) text_ += fmt::format("# UNIT {} {}\n", name, unit);
    }
    text_ += fmt::format("# HELP {} {}\n", name, help);
  }
  void line(std::string_view name, const std::string& labels, std::optional<double> value) {
    if (value && std::isfinite(*value)) text_ += fmt::format("{}{{{}}} {}\n", name, labels, *value);
  }

  void kinds();
  void forecasts();
  void classes();
  std::string take() { return text_ + "# EOF\n"; }

 private:
  std::span<const JobNow> jobs_;
  std::vector<std::string> labels_{};
  std::string text_{};
};

void Writer::kinds() {
  constexpr std::string_view kName = "tidegauge_memory_bytes";
  head(kName, "gauge", "Memory of the job by kind, shared pages counted once.");
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    for (const auto kind : kLines) {
      const auto& tally = jobs_[i].accounts.line(kind);
      if (tally.count() == 0) continue;
      line(kName, fmt::format("{},kind=\"{}\"", labels_[i], id_of(kind)), tally.last());
    }
  }
}

void Writer::forecasts() {
  constexpr std::string_view kName = "tidegauge_limit_reached_seconds";
  head(kName, "gauge", "When the limit is reached if growth goes on: early, likely, late.");
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const auto& all = jobs_[i].verdicts.all;
    if (all.empty() || !all.front().forecast) continue;
    const auto& forecast = *all.front().forecast;
    for (const auto& [at, seconds] : {std::pair("p5", forecast.p5), std::pair("p50", forecast.p50),
                                      std::pair("p95", forecast.p95)}) {
      line(kName, fmt::format("{},at=\"{}\"", labels_[i], at), seconds);
    }
  }
}

void Writer::classes() {
  constexpr std::string_view kName = "tidegauge_verdict";
  head(kName, "stateset", "What the growth is.");
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const auto& all = jobs_[i].verdicts.all;
    if (all.empty()) continue;
    for (const auto klass : kClasses) {
      line(kName, fmt::format("{},{}=\"{}\"", labels_[i], kName, verdict::id_of(klass)),
           all.front().klass == klass ? 1 : 0);
    }
  }
}

using Value = std::optional<double>;

// Of the tree's verdict, where there is one.
template <class Of>
std::function<Value(const JobNow&)> of_verdict(Of of) {
  return [of](const JobNow& job) -> Value {
    return job.verdicts.all.empty() ? Value() : of(job.verdicts.all.front());
  };
}

Value rate(const std::optional<verdict::Interval>& interval) {
  return interval ? Value(interval->value) : Value();
}

}  // namespace

std::string metrics_text(std::span<const JobNow> jobs, std::string_view version) {
  Writer out(jobs);
  out.head("tidegauge_build", "info", "Who measures.");
  out.line("tidegauge_build_info", fmt::format("version=\"{}\"", label_value(version)), 1);
  out.gauge("tidegauge_up", "1 while the job runs.",
            [](const JobNow& job) { return job.ended ? 0.0 : 1.0; });
  out.kinds();
  out.gauge("tidegauge_floor_bytes", "What stays: memory without spikes.",
            of_verdict([](const Verdict& verdict) -> Value { return verdict.floor_bytes; }));
  out.gauge("tidegauge_peak_bytes", "The most that it held.", [](const JobNow& job) -> Value {
    const auto& total = job.accounts.line(Line::Total);
    return total.count() > 0 ? Value(total.max()) : Value();
  });
  out.gauge("tidegauge_growth_bytes_per_minute", "How fast the floor grows now.",
            of_verdict([](const Verdict& verdict) { return rate(verdict.bytes_per_minute); }));
  out.gauge("tidegauge_growth_bytes_per_step", "The same by optimizer steps.",
            of_verdict([](const Verdict& verdict) { return rate(verdict.bytes_per_step); }));
  out.gauge("tidegauge_leak_probability", "That it grows without end, 0 to 1.",
            of_verdict([](const Verdict& verdict) -> Value { return verdict.p_leak; }));
  out.classes();
  out.gauge("tidegauge_limit_bytes", "The limit that binds.",
            of_verdict([](const Verdict& verdict) -> Value { return verdict.limit_bytes; }));
  out.forecasts();
  out.gauge("tidegauge_step", "The last step that the job told of.",
            [](const JobNow& job) -> Value { return job.accounts.progress.step(); });
  out.gauge(
      "tidegauge_watched_seconds", "How long it has been watched.",
      [](const JobNow& job) -> Value { return job.accounts.last_at - job.accounts.first_at; });
  return out.take();
}

}  // namespace tidegauge::view
