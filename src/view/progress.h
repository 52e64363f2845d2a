// SPDX-License-Identifier: Apache-2.0
// How far the job has come, as far as it said so: step, epoch, phases. Bounded.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "record/recording.h"

namespace tidegauge::view {

// A stretch of time in which the job did something else than training.
struct Phase {
  double begin = 0;
  std::optional<double> end{};  // empty: it goes on
  std::string name{};
};

struct Epoch {
  double at = 0;
  double number = 0;  // of the one that begins
};

// Something worth a line in the list of events.
struct Happening {
  double at = 0;
  std::string text{};
};

class Progress {
 public:
  void add(const record::Event& event);

  std::optional<double> first_step() const { return first_step_; }
  std::optional<double> step() const { return step_; }
  record::MarkSource step_source() const { return step_source_; }
  const record::ProcessId& step_process() const { return step_process_; }
  std::optional<double> epoch() const;
  const std::deque<Phase>& phases() const { return phases_; }
  const std::deque<Epoch>& epochs() const { return epochs_; }
  const std::deque<Happening>& happenings() const { return happenings_; }
  const Phase* open_phase() const;  // the last one that goes on, or null
  std::uint64_t lost_marks() const { return lost_marks_; }
  std::uint64_t gaps() const { return gaps_; }

 private:
  void add_step(const record::Event& event);
  void begin_phase(const record::Event& event);
  void end_phase(const record::Event& event);
  void add_kill(double at);
  void tell(double at, std::string text);

  std::optional<double> first_step_{};
  std::optional<double> step_{};
  record::MarkSource step_source_ = record::MarkSource::Kernel;
  record::ProcessId step_process_{};
  std::deque<Phase> phases_{};
  std::deque<Epoch> epochs_{};
  std::deque<Happening> happenings_{};
  std::uint64_t lost_marks_ = 0;
  std::uint64_t gaps_ = 0;
  std::optional<double> last_kill_at_{};
};

// Seconds since the recording began (steps, where it counts only those).
double seconds_of(std::int64_t at_ns);

// "Evaluation" for "eval", "Saving" for "save"; others as the job calls them, made safe.
std::string phase_label(std::string_view name);

}  // namespace tidegauge::view
