// SPDX-License-Identifier: Apache-2.0
#include "view/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "view/kills.h"
#include "view/phrases.h"
#include "view/summary_text.h"
#include "view/words.h"

namespace tidegauge::view {

namespace {

using verdict::Class;
using verdict::Comparison;
using verdict::Verdict;

constexpr std::size_t kNameColumns = 48;
constexpr std::size_t kCauseColumns = 160;
// Less than this is no difference that one would tell others of.
constexpr double kShareOfMemory = 0.02;
constexpr double kLeastBytes = 1 << 20;
constexpr double kShareOfTime = 0.03;
constexpr double kMilliseconds = 0.1;  // a step shorter than this is told in milliseconds
// Beyond this a multiple says more than a percentage.
constexpr double kMostPercent = 10;

std::string percent(double before, double after) {
  if (after / before >= kMostPercent) return fmt::format("{:.0f} times", after / before);
  const double change = 100 * (after - before) / before;
  return fmt::format("{}{:.0f} %", change < 0 ? "−" : "+", std::fabs(change));
}

bool alike(double before, double after) {
  const double most = std::max(std::fabs(before), std::fabs(after));
  return std::fabs(after - before) < std::max(kLeastBytes, kShareOfMemory * most);
}

std::string more_or_less(double before, double after) {
  return fmt::format("{} {}", size_or_dash(std::fabs(after - before)),
                     after > before ? "more" : "less");
}

// "17.1 GiB less (−90 %)"
std::string change_of(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || !std::isfinite(*before) || !std::isfinite(*after)) return "";
  if (alike(*before, *after)) return "the same";
  auto out = more_or_less(*before, *after);
  if (*before > 0 && *after >= 0) out += fmt::format(" ({})", percent(*before, *after));
  return out;
}

std::string pace_phrase(double seconds) {
  if (seconds < kMilliseconds) return fmt::format("{:.3g}\u00A0ms", 1000 * seconds);
  return seconds < 10 ? fmt::format("{:.2f}\u00A0s", seconds)
                      : fmt::format("{:.1f}\u00A0s", seconds);
}

bool same_pace(double before, double after) {
  return std::fabs(after - before) < kShareOfTime * before;
}

std::string pace_change(double before, double after) {
  if (same_pace(before, after)) return "the same";
  if (after > kMostPercent * before) return fmt::format("{:.0f} times as long", after / before);
  return fmt::format("{:.0f} % {}", 100 * std::fabs(after - before) / before,
                     after > before ? "longer" : "shorter");
}

// Whether what it holds now is what it keeps.
bool stays(const Verdict& verdict) {
  return verdict.klass != Class::Leak && verdict.klass != Class::Undecided &&
         (verdict.klass != Class::WarmUp || verdict.settled);
}

std::string cause_of(const Verdict& verdict) {
  const auto all = words(verdict).facts;
  const auto found =
      std::find_if(all.begin(), all.end(), [](const Fact& fact) { return fact.id == "cause"; });
  if (found == all.end()) return "";
  return shown(found->detail.empty() ? found->value : found->value + ", " + found->detail,
               kCauseColumns);
}

std::string rate_of(const Verdict& verdict) {
  for (const auto& fact : words(verdict).facts) {
    if (fact.id == "rate") return fact.value;
  }
  return "";
}

std::string ended_of(const Verdict& verdict) {
  if (!verdict.settled) return "";
  if (const auto step = step_phrase(verdict.settled->at_step)) return *step;
  const auto at = verdict.settled->at_seconds;
  return at ? duration_phrase(*at).value_or("") : "";
}

// Rows of a table, left out where no side has anything to say.
class Rows {
 public:
  explicit Rows(std::span<const Side> sides) : sides_(sides) {}

  template <class Text>  // side -> text
  SideBySide::Row* add(const char* id, const char* label, Text text) {
    SideBySide::Row row{.id = id, .label = label};
    for (const auto& side : sides_) row.values.push_back(text(side));
    const bool any = std::any_of(row.values.begin(), row.values.end(),
                                 [](const std::string& value) { return !value.empty(); });
    if (!any) return nullptr;
    rows_.push_back(std::move(row));
    return &rows_.back();
  }
  template <class Text>
  SideBySide::Row* of_verdict(const char* id, const char* label, Text text) {
    return add(id, label, [&text](const Side& side) {
      return side.verdict ? text(*side.verdict) : std::string();
    });
  }
  void of_bytes(const char* id, const char* label, double Verdict::*bytes) {
    auto* row = of_verdict(id, label, [bytes](const Verdict& v) { return size_or_dash(v.*bytes); });
    if (!row || sides_.size() != 2 || !sides_[0].verdict || !sides_[1].verdict) return;
    row->change = change_of(sides_[0].verdict->*bytes, sides_[1].verdict->*bytes);
  }
  std::vector<SideBySide::Row> take() { return std::move(rows_); }

 private:
  std::span<const Side> sides_;
  std::vector<SideBySide::Row> rows_{};
};

std::vector<SideBySide::Row> rows_of(std::span<const Side> sides) {
  Rows rows(sides);
  rows.of_verdict("verdict", "Verdict", [](const Verdict& v) { return words(v).tag; });
  rows.of_bytes("stays", "What stays", &Verdict::floor_bytes);
  rows.of_bytes("peak", "Peak", &Verdict::peak_bytes);
  rows.of_verdict("rate", "How fast it grows", rate_of);
  rows.of_verdict("ended", "Growth ended", ended_of);
  auto* step = rows.add("step", "A step takes", [](const Side& side) {
    return side.seconds_a_step ? pace_phrase(side.seconds_a_step->middle) : std::string();
  });
  if (step && sides.size() == 2 && sides[0].seconds_a_step && sides[1].seconds_a_step) {
    step->change = pace_change(sides[0].seconds_a_step->middle, sides[1].seconds_a_step->middle);
  }
  if (auto* cause = rows.of_verdict("cause", "What piles up", cause_of)) {
    for (auto& value : cause->values) {
      if (value.empty()) value = "nothing that was found";
    }
  }
  rows.add("seen", "Seen", [](const Side& side) { return side.seen; });
  return rows.take();
}

std::string only_one_leaks(const Side& leaking, const Side& other) {
  if (other.verdict->klass == Class::Undecided) {
    return fmt::format("{} leaks; of {} it cannot be told yet.", leaking.name, other.name);
  }
  return fmt::format("{} leaks, {} does not.", leaking.name, other.name);
}

std::string headline_of_two(const Side& first, const Side& second, const Comparison& found) {
  const auto leaks = [](const Side& side) { return side.verdict->klass == Class::Leak; };
  if (leaks(first) != leaks(second)) {
    return leaks(first) ? only_one_leaks(first, second) : only_one_leaks(second, first);
  }
  if (stays(*first.verdict) && stays(*second.verdict)) {
    const double before = first.verdict->floor_bytes;
    const double after = second.verdict->floor_bytes;
    if (alike(before, after)) {
      return fmt::format("{} keeps as much as {}.", second.name, first.name);
    }
    return fmt::format("{} keeps {} than {}.", second.name, more_or_less(before, after),
                       first.name);
  }
  if (found.rows.empty()) return fmt::format("{} and {}", first.name, second.name);
  const auto& last = found.rows.back();
  const auto where = found.by == Comparison::By::Step ? fmt::format("At step {:.0f}", last.at)
                                                      : "After " + format_duration(last.at);
  if (alike(last.bytes[0], last.bytes[1])) {
    return fmt::format("{} {} holds as much as {}.", where, second.name, first.name);
  }
  return fmt::format("{} {} holds {} than {}.", where, second.name,
                     more_or_less(last.bytes[0], last.bytes[1]), first.name);
}

std::string lead_of_two(const Side& first, const Side& second) {
  const auto instead = [](double before, double after) {
    return fmt::format("{} instead of {}", size_or_dash(after), size_or_dash(before));
  };
  const auto& before = *first.verdict;
  const auto& after = *second.verdict;
  std::string out;
  if (!alike(before.floor_bytes, after.floor_bytes)) {
    out = fmt::format("{}: {}. ", stays(before) && stays(after) ? "What stays" : "At the end",
                      instead(before.floor_bytes, after.floor_bytes));
  }
  if (!alike(before.peak_bytes, after.peak_bytes)) {
    out += fmt::format("The peak: {}. ", instead(before.peak_bytes, after.peak_bytes));
  }
  if (first.seconds_a_step && second.seconds_a_step) {
    const double was = first.seconds_a_step->middle;
    const double is = second.seconds_a_step->middle;
    out += same_pace(was, is) ? fmt::format("A step takes {} in both.", pace_phrase(is))
                              : fmt::format("A step takes {} instead of {}, {}.", pace_phrase(is),
                                            pace_phrase(was), pace_change(was, is));
  }
  return std::string(trimmed(out));
}

}  // namespace

std::vector<std::string> short_names(std::span<const std::string> paths) {
  std::vector<std::string> out;
  for (const auto& path : paths) {
    auto name = path.substr(path.rfind('/') + 1);
    const auto dot = name.rfind('.');
    if (dot != name.npos && dot > 0) name.resize(dot);
    out.push_back(shown(name, kNameColumns));
  }
  const std::set<std::string> all(out.begin(), out.end());
  if (all.size() == out.size() && !all.contains("")) return out;
  out.clear();
  for (const auto& path : paths) out.push_back(printable(path));
  return out;
}

Side side_of(const Report& report, std::string name) {
  const auto& all = report.verdicts.all;
  const bool has_time = report.accounts.header.clock == record::Clock::Seconds;
  return {.name = std::move(name),
          .verdict = all.empty() ? nullptr : &all.front(),
          .seconds_a_step = has_time ? report.timeline.pace().seconds_per_step() : std::nullopt,
          .seen = seen_phrase(report.accounts),
          .killed = kill_sentence(report.accounts, Tense::Over)};
}

SideBySide side_by_side(std::span<const Side> sides, const Comparison& found) {
  SideBySide out;
  const bool told = std::all_of(sides.begin(), sides.end(),
                                [](const Side& side) { return side.verdict != nullptr; });
  if (sides.size() == 2 && told) {
    out.headline = headline_of_two(sides[0], sides[1], found);
    out.lead = lead_of_two(sides[0], sides[1]);
  } else {
    out.headline =
        found.sentences.empty() ? fmt::format("{} runs", sides.size()) : found.sentences.front();
  }
  out.rows = rows_of(sides);
  return out;
}

}  // namespace tidegauge::view
