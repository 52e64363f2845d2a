// SPDX-License-Identifier: Apache-2.0
// One series, judged: what its floor does, with what probability it is a leak, and the numbers that
// the words are made of. Times are seconds since the recording's first sample; where a recording
// counts only steps, they are steps.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "verdict/block_series.h"
#include "verdict/floor.h"
#include "verdict/marks.h"
#include "verdict/pass_clock.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {

inline constexpr std::size_t kEvidenceGroups = 8;

struct Weighing {
  double log_odds = 0;
  // What each kind of evidence (features.h) added: together with the base they are the log odds.
  std::array<double, kEvidenceGroups> by_group{};
};

// What was found, before probabilities turn it into a class.
enum class Finding {
  TooShort,       // too few samples for anything
  Flat,           // no growth, nothing else
  Spiky,          // no growth; comes and goes
  Toothed,        // no growth; rises slowly and falls at once
  Shifted,        // no growth now; one jump to another level, or a restart
  Settled,        // grew, and has stopped
  Slowing,        // grows along a curve that bends towards an end
  Growing,        // grows
  Stairs,         // grows by a step with each event
  Stopping,       // seems to have stopped; too short to say
  FaintGrowth,    // perhaps grows
  FaintResidual,  // stopped growing, perhaps not quite
};

// Everything that is known about one series.
struct Material {
  const BlockSeries* series = nullptr;
  const Marks* marks = nullptr;
  const PassClock* passes = nullptr;
  const Rules* rules = nullptr;
  std::vector<Point> points{};  // the series', or what is left when others' doings are taken off
  std::vector<double> restarts{};
  bool clock_is_steps = false;
  bool job_ended = false;
};

struct Analysis {
  Finding finding = Finding::TooShort;
  Finding otherwise = Finding::Flat;  // what a faint growth is if it is none
  double p_leak = 0;                  // all evidence weighed
  double plain = 0;  // from floor, shape and survival alone: one of the things weighed
  Weighing weighing{};
  std::string rule{};          // a fact that overruled the weighing; empty: none did
  bool ended_by_pass = false;  // growth ended with the first pass, and another has gone by since
  Tie tied_to = Tie::None;
  std::string phase{};  // name of the event where tied_to is Phase

  // Per second (per step where only steps are known), now.
  std::optional<Interval> rate{};
  // The same over the shortest stretch that shows growth, where the last piece shows none.
  std::optional<Interval> leak_rate{};
  std::optional<Interval> leak_per_step{};
  double leak_began = 0;
  std::optional<Interval> per_step{};
  std::optional<Interval> per_event{};
  double not_excluded = 0;
  double t = 0;    // of the slope now
  double bar = 0;  // what it had to exceed

  double level = 0;                         // retained memory now
  double began = 0;                         // when the growth that is still going on began to count
  double age = 0;                           // for how long it has been going on
  std::optional<double> passes{};           // over the data, since it began
  double events = 0;                        // since it began, where Stairs
  std::optional<double> ended{};            // begin of the last piece, if growth came before it
  std::optional<double> settled_at{};       // since when the floor is where it is now
  double part = 0;                          // of the floor: how near each other are its points
  std::optional<double> per_step_before{};  // the same for a step, where steps are the clock
  double rate_before = 0;                   // how fast it had grown until then
  double growth_before = 0;                 // by how much
  std::optional<double> plateau{};          // where a slowing curve leads
  std::optional<double> plateau_at{};       // when

  double spike_height = 0;
  std::size_t spike_count = 0;
  Tie spikes_tied_to = Tie::None;
  std::string spike_phase{};
  std::vector<double> spike_times{};
  bool by_steps = false;            // pieces lie on the clock of steps
  bool judged_before_edge = false;  // a running event or swing at the end was left out
  std::size_t restarts = 0;
  double start_up_bytes = 0;  // what the job took before its first step: not counted as growth

  std::optional<double> look_again{};  // time at which it should be decidable
  std::string look_again_why{};
  bool may_not_suffice = false;  // by then it may still be open

  // All growth goes with examples read for the first time (first_reads.h).
  struct ByFirstReads {
    double bytes_per_example = 0;
    double read = 0;
    double all = 0;
  };
  std::optional<ByFirstReads> first_reads{};
  std::optional<Floor> floor{};
  double line_weight = 0;  // posterior of shapes that go on, and of those that end
  double bent_weight = 0;
  double survival = 1;
  double tail_length = 0;         // seconds of the last piece
  bool below_high_water = false;  // climbs, but to a level that was held before
};

Analysis analyse(const Material& material);

// p_leak at or above this is called a leak now.
double leak_bar(const Material& material);

}  // namespace tidegauge::verdict
