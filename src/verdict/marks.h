// SPDX-License-Identifier: Apache-2.0
// What the job told us about its work, in bounded memory: steps, passes over the data, phases.
// Growth that stops with a first pass, or climbs with each evaluation, is seen on these clocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/recording.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {

// Time against a count that never falls. Thinned when it gets long, so the shape stays.
class CountTrack {
 public:
  static constexpr std::size_t kMostMarks = 1024;
  explicit CountTrack(std::size_t most = kMostMarks) : most_(most) {}
  void add(double at, double count);
  bool empty() const { return marks_.empty(); }
  std::size_t size() const { return marks_.size(); }
  std::uint64_t seen() const { return seen_; }
  double first_at() const { return marks_.front().at; }
  double last_at() const { return marks_.back().at; }
  double last_count() const { return marks_.back().count; }
  double first_count() const { return marks_.front().count; }
  double count_at(double at) const;  // between marks by a straight line, held beyond the ends
  // Of the last mark before then and the first one since; beyond the ends both are the same.
  std::pair<double, double> counts_around(double at) const;
  std::vector<double> times() const;   // of the marks that are kept
  double time_of(double count) const;  // the other way round, extrapolated beyond the end

 private:
  void forget_a_start_long_before();

  struct Mark {
    double at = 0;
    double count = 0;
  };
  std::size_t most_;
  std::vector<Mark> marks_{};
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

// Examples that were read for the first time, and how many there are to read.
struct Reads {
  CountTrack distinct{};
  double all = 0;
};

struct Stretch {
  double begin = 0;
  double end = 0;  // not over yet: as late as is known
  bool open = false;
};

// All occurrences of one kind of event.
struct EventTrack {
  Tie tie = Tie::Phase;
  std::string name{};
  std::uint64_t seen = 0;
  std::vector<Stretch> stretches{};  // the latest ones
};

class Marks {
 public:
  static constexpr std::size_t kMostStretches = 256;
  static constexpr std::size_t kMostEventKinds = 16;
  // Loader workers that are started anew in each epoch are many; the first ones saw the first pass.
  static constexpr std::size_t kMostReaders = 64;

  void add(const record::Event& event, double at);
  // The job was seen at that time.
  void seen_at(double at) { seen_at_ = std::max(seen_at_, at); }

  // The steps of the most trustworthy source; nothing where there are none, or where the last one
  // is long past.
  const CountTrack* steps() const;
  // When the last one was, where it is long past.
  std::optional<double> steps_ended() const;
  const std::vector<EventTrack>& events() const { return events_; }
  // When the work began anew without the process ending (exec, or a mark called "restart").
  const std::vector<double>& restarts() const { return restarts_; }
  std::optional<double> first_epoch_began() const { return first_epoch_began_; }
  const CountTrack& epochs() const { return epochs_; }  // epoch number that begins
  // As its trainer has it, where that is known.
  std::optional<double> steps_per_epoch() const { return steps_per_epoch_; }
  // Of each process that reads the data, what it read for the first time itself.
  const std::map<record::ProcessId, Reads>& readers() const { return readers_; }

 private:
  void add_step(const record::Event& event, double at);
  void add_phase(const record::Event& event, double at);
  void add_epoch(const record::Event& event, double at);
  void add_distinct(const record::Event& event, double at);
  EventTrack* track(Tie tie, const std::string& name);
  const CountTrack* most_trusted_steps() const;
  bool is_long_past(const CountTrack& steps) const;

  std::map<std::pair<record::MarkSource, record::ProcessId>, CountTrack> steps_{};
  std::vector<EventTrack> events_{};
  std::vector<double> restarts_{};
  CountTrack epochs_{};
  std::optional<double> steps_per_epoch_{};
  std::map<record::ProcessId, Reads> readers_{};
  std::optional<double> first_epoch_began_{};
  double seen_at_ = 0;
};

}  // namespace tidegauge::verdict
