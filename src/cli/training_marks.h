// SPDX-License-Identifier: Apache-2.0
// Marks made of what a trainer's own count says at each look: the steps of a job that tells nobody.
#pragma once

#include <vector>

#include "census/training.h"
#include "record/recording.h"

namespace tidegauge::cli {

class TrainingMarks {
 public:
  // What is new since the last time.
  std::vector<record::Event> hear(const record::ProcessId& process, std::int64_t at_ns,
                                  const census::Training& training);

 private:
  record::ProcessId process_{};
  double step_ = 0;
  double epoch_ = 0;
  double steps_per_epoch_ = 0;
  std::string phase_{};
};

}  // namespace tidegauge::cli
