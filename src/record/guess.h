// SPDX-License-Identifier: Apache-2.0
// Marks guessed from what a job writes to its terminal, for jobs that send none. Careful rather
// than clever: only counts that have risen several times, and only one of them, become steps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/output_line.h"
#include "record/recording.h"

namespace tidegauge::record {

// Lines out of bytes that come in any pieces. Escape sequences are taken out; what moves the cursor
// ends a line, as a return does.
class LineCutter {
 public:
  static constexpr std::size_t kLongestLine = 2048;  // a longer one is nothing that we know
  // True when `byte` ended a line, or closed a bracket that may be the end of a bar: then look at
  // line(), and call next() if that was all of it.
  bool add(char byte);
  std::string_view line() const { return line_; }
  bool ended() const { return ended_; }  // false: there may be more
  void next();

 private:
  enum class State { Text, Escape, Sequence, Title, TitleEscape };
  bool add_text(char byte);
  State state_ = State::Text;
  std::string line_{};
  bool ended_ = false;
  int brackets_left_ = 0;  // that are worth a look in this line
};

class MarkGuesser {
 public:
  // Bytes as they came, at `at_ns` of the recording. Steps never fall: a bar that starts anew with
  // each epoch counts on.
  std::vector<Event> feed(std::string_view bytes, std::int64_t at_ns);

 private:
  struct Counter {
    std::string name{};
    std::optional<double> total{};
    double last = -1;
    double offset = 0;  // of the passes before
    std::uint64_t rises = 0;
    std::uint64_t falls = 0;  // that make no sense
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
    std::optional<std::int64_t> done_ns{};  // when it first reached its total
  };

  void look_at(const Told& told, std::int64_t at_ns);
  Counter* counter_of(const Told& told, std::int64_t at_ns);
  bool advance(Counter& counter, double number, bool new_epoch);
  bool leads(Counter& counter);
  bool takes_over(Counter& counter, const Counter& leader) const;
  bool note_epoch(const Tally& epoch, std::int64_t at_ns);

  LineCutter cutter_{};
  std::vector<Counter> counters_{};
  std::size_t leader_ = SIZE_MAX;  // index of the counter that is the step
  std::size_t latest_ = SIZE_MAX;  // of the one that went on last
  std::uint64_t in_a_row_ = 0;     // how often, without another in between
  double told_step_ = 0;
  std::optional<double> epoch_{};
  double told_epoch_ = -1;
  std::vector<Event> found_{};
};

}  // namespace tidegauge::record
