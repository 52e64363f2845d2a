// SPDX-License-Identifier: Apache-2.0
// Verdicts for tests: the incident's, and random ones, sensible or not, for laws.
#pragma once

#include <rapidcheck.h>

#include <limits>
#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace tidegauge::view {

constexpr double kMiB = 1 << 20;
constexpr double kGiB = 1 << 30;

// Run 1 of the incident, at step 70.
inline verdict::Verdict incident_at_step_70() {
  verdict::Verdict v;
  v.subject = {
      .process = record::ProcessId{494, 1000}, .name = "train.py", .role = record::Role::Main};
  v.klass = verdict::Class::Undecided;
  v.confidence = 0.63;
  v.p_leak = 0.63;
  v.not_excluded = 1130 * kMiB;
  v.bytes_per_minute = verdict::Interval{1130 * kMiB, 958 * kMiB, 1302 * kMiB};
  v.bytes_per_step = verdict::Interval{171 * kMiB, 165 * kMiB, 177 * kMiB};
  v.tied_to = verdict::Tie::FirstPass;
  v.forecast = verdict::Forecast{"ram", 32 * kGiB, 780, 900, 1080, 0.6};
  v.needs =
      verdict::Needs{.seconds = 200,
                     .steps = 33,
                     .at_step = 103,
                     .why = "a first pass over the data would end at step 83",
                     .may_run_out_before = false,
                     .if_bounded = verdict::Settled{.at_step = 82.9, .level_bytes = 17.6 * kGiB}};
  v.evidence = {"Linear growth over 70 steps."};
  v.first_bytes = 5.4 * kGiB;
  v.last_bytes = v.floor_bytes = v.peak_bytes = 15.4 * kGiB;
  v.duration_seconds = 420;
  v.limit_kind = "ram";
  v.limit_bytes = 32 * kGiB;
  return v;
}

// Run 2 of the incident, at step 120.
inline verdict::Verdict incident_settled() {
  auto v = incident_at_step_70();
  v.klass = verdict::Class::WarmUp;
  v.confidence = 0.97;
  v.p_leak = 0.02;
  v.not_excluded = 6 * kMiB;
  v.bytes_per_minute = verdict::Interval{0, -2 * kMiB, 2 * kMiB};
  v.bytes_per_step = verdict::Interval{0, -1 * kMiB, 1 * kMiB};
  v.settled = verdict::Settled{.at_seconds = 500,
                               .at_step = 83.1,
                               .level_bytes = 17.2 * kGiB,
                               .bytes_per_minute_before = 1130 * kMiB,
                               .bytes_per_step_before = 171 * kMiB};
  v.spikes = {.count = 1, .height_bytes = 4 * kGiB, .tied_to = verdict::Tie::Eval};
  v.forecast.reset();
  v.needs.reset();
  v.floor_bytes = 17.3 * kGiB;
  v.peak_bytes = 22.5 * kGiB;
  v.duration_seconds = 720;
  return v;
}

// Numbers as they should be, and as they should never be.
inline rc::Gen<double> any_number() {
  using Limits = std::numeric_limits<double>;
  return rc::gen::oneOf(
      rc::gen::element(0.0, -0.0, 1.0, -1.0, 0.4, 1e-9, 1e308, -1e308, Limits::infinity(),
                       -Limits::infinity(), Limits::quiet_NaN()),
      rc::gen::map(rc::gen::inRange<long long>(-(1LL << 45), 1LL << 45),
                   [](long long n) { return static_cast<double>(n) / 7; }));
}

inline std::optional<double> maybe_number() {
  return *rc::gen::arbitrary<bool>() ? std::optional(*any_number()) : std::nullopt;
}

template <class Enum>
Enum any_of(Enum last) {
  return static_cast<Enum>(*rc::gen::inRange(0, static_cast<int>(last) + 1));
}

inline std::string any_text() {
  return *rc::gen::oneOf(
      rc::gen::element<std::string>("", " ", "train.py", "a) Z 1 (b", "\x1b[2J\x1b]0;x\a", "x\ny\r",
                                    "\xff\xfe", "表計算ソフト", "e\u0301\u0301\u0301", "\u202Eevil",
                                    "done.", "...", std::string(10000, 'w')),
      rc::gen::string<std::string>());
}

inline std::optional<verdict::Interval> any_interval() {
  if (*rc::gen::arbitrary<bool>()) return {};
  return verdict::Interval{*any_number(), *any_number(), *any_number()};
}

inline verdict::Settled any_settled() {
  return {maybe_number(), maybe_number(), *any_number(), maybe_number(), maybe_number()};
}

// Call inside rc::check.
inline verdict::Verdict any_verdict() {
  const auto flip = [] { return *rc::gen::arbitrary<bool>(); };
  verdict::Verdict v;
  if (flip()) v.subject.process = record::ProcessId{7, 8};
  v.subject.name = any_text();
  v.subject.kind = any_of(verdict::Kind::Other);
  v.klass = any_of(verdict::Class::Undecided);
  v.confidence = *any_number();
  v.p_leak = *any_number();
  v.not_excluded = maybe_number();
  v.bytes_per_minute = any_interval();
  v.bytes_per_step = any_interval();
  v.tied_to = any_of(verdict::Tie::Phase);
  if (flip()) v.settled = any_settled();
  v.spikes = {*rc::gen::inRange<std::size_t>(0, 4), *any_number(), any_of(verdict::Tie::Phase),
              any_text()};
  if (flip()) {
    v.forecast = verdict::Forecast{any_text(),    *any_number(), *any_number(),
                                   *any_number(), *any_number(), *any_number()};
  }
  if (flip())
    v.needs = verdict::Needs{maybe_number(), maybe_number(), maybe_number(), any_text(), flip()};
  if (v.needs && flip()) v.needs->if_bounded = any_settled();
  if (flip()) {
    v.causes.push_back({.kind = any_text(),
                        .type = any_text(),
                        .count = 663,
                        .bytes = 1234567,
                        .share = 0.5,
                        .site = any_text(),
                        .retained_by = any_text(),
                        .remedy = any_text()});
    v.unexplained_bytes = maybe_number();
  }
  v.evidence = {any_text()};
  v.first_bytes = *any_number();
  v.last_bytes = *any_number();
  v.floor_bytes = *any_number();
  v.peak_bytes = *any_number();
  v.duration_seconds = *any_number();
  v.limit_kind = *rc::gen::element<std::string>("", "ram", "cgroup", "dev_shm", "given", "odd");
  v.limit_bytes = maybe_number();
  v.job_ended = flip();
  return v;
}

}  // namespace tidegauge::view
