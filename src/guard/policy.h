// SPDX-License-Identifier: Apache-2.0
// What the guard would do: lines in bytes, from limits, from how the job's memory moves and from
// what was set. Pure functions; the actor obeys them and --dry-run prints them.
#pragma once

#include <cstdint>
#include <optional>

#include "guard/track.h"
#include "verdict/verdict.h"

namespace tidegauge::guard {

// What the user may set; the values here are what `--guard` alone means.
struct Settings {
  bool ask = true;       // for checkpoints
  bool stop = true;      // a job whose growth is a leak, once it has saved
  bool kill = true;      // as the last resort, before the kernel does
  bool evidence = true;  // a look into what stands still, before it is told to end or killed
  bool lend = true;      // memory beyond the job's own limit, for the rest of a step and a save
  std::optional<double> lend_bytes{};     // at most; otherwise kLendShare of the limit
  std::optional<double> reserve_bytes{};  // below the limit; otherwise reckoned
  double ask_every_seconds = 60;
  double save_seconds = 300;              // how long a checkpoint may take
  double evidence_seconds = 2;            // how long it may stand still to be looked into
  double grace_seconds = 30;              // after the save, and again after SIGTERM
  std::optional<double> chunk_seconds{};  // how long a life may last before it is told to end
};

// The limit that binds: that of a group, or what the machine has.
struct Limits {
  double bytes = 0;      // what the job may come to, if our own processes held nothing of it
  double lendable = 0;   // how much more there could be for a while
  double ours = 0;       // what they hold of it now
  bool with_us = false;  // they may hold some of it
};

// What the gauge knows of the job; zero and empty where it does not.
struct Outlook {
  double step_seconds = 0;
  double bytes_per_step = 0;
  double save_bytes = 0;    // anonymous memory that a save needs besides what is there
  double save_seconds = 0;  // that the last one took
  bool disk_full = false;   // no place for another checkpoint
  // What the verdict says about growth, where it is decided.
  enum class Word : std::uint8_t { None, Grows, Ends } word = Word::None;
};
Outlook::Word word_of(const verdict::Verdict& verdict);

struct Lines {
  double freeze = 0;  // from here on the job is looked at while it stands still
  double limit = 0;
  double last = 0;  // inside what was lent: no more than a step and a save is left
  double top = 0;   // the kernel's killer is next
};
Lines lines_of(const Limits& limits, const Shape& shape, const Outlook& outlook,
               const Settings& settings);

// How much may be lent at all: by what was set, and what the machine can spare.
double lendable_of(double limit, double machine_total, double machine_available,
                   const Settings& settings);

// What a save needs beyond what could be lent.
double uncovered_save(const Limits& limits, const Outlook& outlook);

// Whether growth will pass `line` before anybody could do something about it, a horizon that is
// never longer than a twentieth of what was seen.
bool reaches(double line, const Shape& shape, const Outlook& outlook);
bool is_leak(const Shape& shape, const Outlook& outlook);

// How long to wait before the next look: no known load fills memory faster than this allows for.
std::int64_t wait_ns(double used, const Lines& lines);

// What can be done at all, on this machine and to this job.
struct Means {
  bool freeze = false;  // a group that can be frozen
  bool halt = false;    // no group, but processes that can be stopped one by one
  bool limit = false;   // a memory limit of its own, which can be lent to
  bool kill = false;    // the whole tree at once
  bool asked = false;   // somebody in the job listens for requests
};

}  // namespace tidegauge::guard
