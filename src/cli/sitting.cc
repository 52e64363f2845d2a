// SPDX-License-Identifier: Apache-2.0
#include "cli/sitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace tidegauge::cli {

SessionOptions session_options(std::string_view command, const SittingOptions& sitting,
                               const verdict::Rules& rules, std::string subject) {
  SessionOptions options;
  options.command = std::move(subject);
  options.interval_seconds = sitting.interval_seconds.value_or(options.interval_seconds);
  options.record = !sitting.no_record;
  if (!sitting.record_path.empty()) options.record_path = sitting.record_path;
  options.rules = rules;
  options.rules.mode = verdict::Rules::Mode::Alarm;  // it looks again and again
  options.warn = [command = std::string(command)](const std::string& message) {
    warn(command, message);
  };
  return options;
}

std::int64_t wake_ns(const Session& session, const SittingOptions& sitting) {
  if (!sitting.for_seconds) return session.due_ns();
  return std::min(session.due_ns(),
                  static_cast<std::int64_t>(std::ceil(*sitting.for_seconds * 1e9)));
}

bool decides(verdict::Class klass, double watched_seconds) {
  constexpr double kMoreThanAStart = 60;
  if (klass == verdict::Class::Undecided) return false;
  return klass == verdict::Class::Leak || watched_seconds >= kMoreThanAStart;
}

bool enough_seen(const Session& session, const SittingOptions& sitting) {
  const double seconds = static_cast<double>(session.now_ns()) / 1e9;
  const auto& all = session.verdicts().all;
  if (sitting.until_decided && !all.empty() && decides(all.front().klass, seconds)) return true;
  return sitting.for_seconds && seconds >= *sitting.for_seconds;
}

void print_ending(const Session& session, const Session::Ending& ending, std::string_view causes,
                  std::FILE* to) {
  const auto paper = paper_of(::fileno(to));
  auto text = session.summary().text(ending.verdicts, paint_of(paper));
  if (!causes.empty()) text += fmt::format("causes     {}\n", causes);
  if (!ending.recording.empty()) text += "recording  " + printable(ending.recording) + "\n";
  if (!ending.report.empty()) text += "report     " + printable(ending.report) + "\n";
  put(to, text);
  std::fflush(to);
}

}  // namespace tidegauge::cli
