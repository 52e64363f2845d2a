// SPDX-License-Identifier: Apache-2.0
// How far a training has come, as its trainer keeps count itself: read out of a process that runs,
// which is neither stopped nor changed. So a job that nobody prepared has steps, too.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

namespace tidegauge::census {

struct Training {
  double step = 0;
  double steps = 0;     // in all; 0: not known
  double passes = 0;    // over the data so far: 0.84 within the first one
  std::string phase{};  // "eval", "save": what it does now; empty: it trains

  bool operator==(const Training&) const = default;
};

class TrainingReader {
 public:
  // Nothing where there is no CPython that may be read.
  static std::unique_ptr<TrainingReader> open(pid_t pid);
  virtual ~TrainingReader() = default;

  // Nothing where no trainer is at work just now.
  virtual std::optional<Training> read() = 0;
};

}  // namespace tidegauge::census
