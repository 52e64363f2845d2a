// SPDX-License-Identifier: Apache-2.0
#include "guard/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace tidegauge::guard {

namespace {

using Kind = Step::Kind;

std::string words_of(std::string_view limit_kind) {
  if (limit_kind == "cgroup") return "the limit of its group";
  if (limit_kind == "ram") return "what the machine has";
  if (limit_kind == "dev_shm") return "what /dev/shm may hold";
  return "the limit that was given";
}

class Rungs {
 public:
  Rungs(const Situation& situation, const Settings& settings)
      : now_(situation),
        settings_(settings),
        lines_(lines_of(situation.limits, situation.shape, situation.outlook, settings)) {}

  std::vector<Step> take() {
    add(Kind::Notify, lines_.freeze, true, "say that it is near its limit");
    add(Kind::Freeze, lines_.freeze, now_.means.freeze,
        now_.means.freeze ? "stop it for a moment, while room is made and it is asked"
                          : "no group that could be frozen: it is looked at while it runs");
    add_lend();
    add_look();
    add_ask();
    add(Kind::Stop, std::min(lines_.limit, lines_.last), settings_.stop && now_.means.asked,
        settings_.stop ? "if its growth does not end: let it save and end"
                       : "switched off: it is never told to end");
    add(Kind::Terminate, 0, settings_.stop,
        fmt::format("if it has not ended {} later: SIGTERM to the process that trains",
                    format_duration(settings_.grace_seconds)));
    add_kill();
    add(Kind::Clean, 0, now_.means.kill, "remove what only it held in /dev/shm");
    return std::move(steps_);
  }

 private:
  void add(Kind kind, double at, bool possible, std::string words) {
    Step step{.kind = kind, .at_bytes = at, .possible = possible, .words = std::move(words)};
    const double rate = now_.shape.bytes_per_second;
    const double left = at - now_.shape.floor - now_.shape.spike;
    if (at > 0 && rate > 0) step.in_seconds = std::max(left, 0.0) / rate;
    steps_.push_back(std::move(step));
  }

  void add_lend() {
    const double bytes = now_.limits.lendable;
    const bool possible = now_.means.limit && bytes > 0;
    add(Kind::Lend, lines_.freeze, possible,
        possible ? fmt::format("let it have up to {} more for the rest of a step and a save",
                               format_bytes(bytes))
        : !settings_.lend   ? "switched off: nothing is lent"
        : !now_.means.limit ? "nothing can be lent: the limit is not ours to raise"
                            : "nothing can be lent: the machine has no more");
  }

  void add_look() {
    add(Kind::Look, lines_.freeze, settings_.evidence && now_.means.freeze,
        !settings_.evidence  ? "switched off: nobody looks into it"
        : !now_.means.freeze ? "no group that could be frozen: nobody looks into it while it runs"
                             : fmt::format("while it stands still, {} at most: what piles up in it",
                                           format_duration(settings_.evidence_seconds)));
  }

  void add_ask() {
    add(Kind::Ask, lines_.freeze, settings_.ask && now_.means.asked,
        !settings_.ask           ? "switched off: no checkpoint is asked for"
        : !now_.means.asked      ? "nobody in the job listens for requests (docs/asking.md)"
        : now_.outlook.disk_full ? "no place on the disk for another checkpoint"
                                 : fmt::format("ask for a checkpoint, at most every {}",
                                               format_duration(settings_.ask_every_seconds)));
  }

  void add_kill() {
    const bool possible = settings_.kill && now_.means.kill;
    add(Kind::Kill, lines_.top, possible,
        possible && now_.means.halt
            ? "stop its processes one by one and kill them, before the kernel kills one of them"
        : possible        ? "freeze and kill the whole tree before the kernel kills a part of it"
        : !settings_.kill ? "switched off: the kernel may kill"
                          : "no group to kill it by: the kernel may kill");
  }

  const Situation& now_;
  const Settings& settings_;
  Lines lines_;
  std::vector<Step> steps_;
};

}  // namespace

const char* id_of(Kind kind) {
  switch (kind) {
    case Kind::Watch:
      return "watch";
    case Kind::Notify:
      return "notify";
    case Kind::Freeze:
      return "freeze";
    case Kind::Lend:
      return "lend";
    case Kind::Look:
      return "look";
    case Kind::Ask:
      return "ask";
    case Kind::Stop:
      return "stop";
    case Kind::Terminate:
      return "terminate";
    case Kind::Kill:
      return "kill";
    case Kind::Clean:
      break;
  }
  return "clean";
}

Situation situation_of(const record::Sample& sample, const verdict::Verdict& verdict,
                       const Means& means, const Settings& settings) {
  Situation now;
  now.means = means;
  now.limit_kind = verdict.limit_kind;
  now.limits.bytes = verdict.limit_bytes.value_or(0);
  now.used = verdict.last_bytes;
  now.shape.floor = verdict.floor_bytes;
  now.shape.top = verdict.peak_bytes;
  now.shape.lately = verdict.peak_bytes;
  now.shape.spike = verdict.spikes.height_bytes;
  now.shape.seen_seconds = verdict.duration_seconds;
  if (verdict.bytes_per_minute) {
    now.shape.bytes_per_second = std::max(verdict.bytes_per_minute->value / 60, 0.0);
  }
  now.shape.rising = verdict.klass == verdict::Class::Leak;
  now.outlook.word = word_of(verdict);
  if (verdict.bytes_per_step) {
    now.outlook.bytes_per_step = verdict.bytes_per_step->value;
    if (now.shape.bytes_per_second > 0) {
      now.outlook.step_seconds = now.outlook.bytes_per_step / now.shape.bytes_per_second;
    }
  }
  if (means.limit && sample.machine && sample.machine->total && sample.machine->available) {
    now.limits.lendable = lendable_of(now.limits.bytes, static_cast<double>(*sample.machine->total),
                                      static_cast<double>(*sample.machine->available), settings);
  }
  return now;
}

std::vector<Step> plan(const Situation& situation, const Settings& settings) {
  if (situation.limits.bytes <= 0) return {};
  return Rungs(situation, settings).take();
}

std::string to_text(const Situation& situation, const std::vector<Step>& steps) {
  if (steps.empty()) return "No limit is known, so there is nothing to guard against.\n";
  auto out = fmt::format("{} of {}, {}.\n", format_bytes(situation.used),
                         format_bytes(situation.limits.bytes), words_of(situation.limit_kind));
  for (const auto& step : steps) {
    const auto at = step.at_bytes > 0 ? "at " + format_bytes(step.at_bytes) : std::string("then");
    const auto when = step.in_seconds ? ", in " + format_duration(*step.in_seconds) : "";
    out += fmt::format("  {} {:<10} {}{}: {}\n", step.possible ? '+' : '-', id_of(step.kind), at,
                       when, step.words);
  }
  return out;
}

}  // namespace tidegauge::guard
