// SPDX-License-Identifier: Apache-2.0
// Hears again and again how far a process has come with its training. A Python that just begins
// cannot be read yet, and one that ran another program since (exec) not any more: so one that says
// nothing is opened anew, less and less often.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "census/training.h"

namespace tidegauge::cli {

class TrainingListener {
 public:
  using Open = std::function<std::unique_ptr<census::TrainingReader>(pid_t)>;
  explicit TrainingListener(Open open = census::TrainingReader::open) : open_(std::move(open)) {}

  // Nothing where no trainer is at work just now, or where it cannot be read.
  std::optional<census::Training> hear(pid_t pid);

 private:
  Open open_;
  pid_t pid_ = 0;
  std::unique_ptr<census::TrainingReader> reader_{};
  std::uint64_t in_vain_ = 0;  // times in a row, this one included
};

}  // namespace tidegauge::cli
