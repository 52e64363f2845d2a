// SPDX-License-Identifier: Apache-2.0
// A memory series with its truth: what a judge is shown, and what it is then measured against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/sample.h"
#include "verdict/verdict.h"

namespace tidegauge::bench {

inline constexpr double kMegabyte = 1024.0 * 1024.0;  // generators think in these
inline constexpr double kPageBytes = 4096;            // resident memory comes in pages

enum class Label {
  Leak,         // something grows and will not stop by itself
  Bounded,      // whatever it does, it stays below a ceiling
  Undecidable,  // a ramp that may be either, and nothing in the data can tell: abstain
};

enum class MarkKind { Eval, Epoch, Save, Compile, Restart };

// Something the job did. Epoch: begin is where the next epoch begins.
struct Mark {
  MarkKind kind = MarkKind::Eval;
  double begin_seconds = 0;
  double end_seconds = 0;
};

// One process of a tree. `bytes` goes along with Series::seconds; negative while it does not live.
struct Member {
  std::string name{};
  record::Role role = record::Role::Other;
  pid_t pid = 0;
  std::vector<double> bytes{};
};

struct Truth {
  Label label = Label::Bounded;
  verdict::Tie tie = verdict::Tie::Time;  // what a leak goes along with
  double onset_seconds = 0;               // a leak is active, and can be seen, from here on
  double bytes_per_minute = 0;            // mean rate of a leak; 0: none, or not constant
  double bytes_per_step = 0;
  double growth_begin_seconds = 0;  // bounded growth, 0..0: there is none
  double growth_end_seconds = 0;
  double spike_bytes = 0;
  double floor_end_bytes = 0;  // without noise and spikes
  // Long-run noise power (byte² s): what one second of averaging leaves. The slope of a line over
  // T seconds is known to sqrt(12 noise_power / T³), whatever the method.
  double noise_power = 0;
  std::string leaking_member{};  // of a tree
};

struct Series {
  std::string name{};  // its class
  std::uint64_t seed = 0;
  std::vector<double> seconds{};   // rising
  std::vector<double> bytes{};     // of the tree where there are members
  std::vector<double> steps{};     // optimizer steps done; empty: not known
  std::vector<double> distinct{};  // distinct examples read so far; empty: not known
  double data_set_size = 0;
  std::vector<Mark> marks{};  // those that the judge is shown, by begin
  std::vector<Member> members{};
  std::optional<double> steps_per_epoch{};
  double limit_bytes = 0;
  Truth truth{};
};

// How far a leak of `series` stands out of its noise, in deviations, for the best method that knows
// noise and onset. Below 3 nothing decides, below 5 nothing decides reliably.
double ideal_z(const Series& series);

}  // namespace tidegauge::bench
