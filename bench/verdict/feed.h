// SPDX-License-Identifier: Apache-2.0
// A series as the engine sees it: the entries of a recording, in order of time.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/verdict/series.h"
#include "record/recording.h"
#include "verdict/verdict.h"

namespace tidegauge::bench {

record::Header header_of(const Series& series);
verdict::Rules rules_of(const Series& series, verdict::Rules::Mode mode);

// Without processes a series is a column, as of a CSV file; with restarts or members it is a tree.
class Feed {
 public:
  explicit Feed(const Series& series);

  // Entries up to and including sample `index`, since the last call.
  std::vector<record::Entry> until(std::size_t index);

 private:
  record::Sample sample(std::size_t index) const;
  void add_marks_until(double seconds, std::vector<record::Entry>& entries);
  void add_counts(std::size_t index, std::vector<record::Entry>& entries) const;
  void add_arrivals(std::size_t index, std::vector<record::Entry>& entries) const;

  const Series& series_;
  std::vector<record::Event> events_{};  // marks, by time
  std::vector<double> restarts_{};
  std::size_t next_event_ = 0;
  std::size_t next_sample_ = 0;
};

}  // namespace tidegauge::bench
