// SPDX-License-Identifier: Apache-2.0
#include "cli/training_listener.h"

#include <bit>

namespace tidegauge::cli {

std::optional<census::Training> TrainingListener::hear(pid_t pid) {
  if (pid != pid_) {
    pid_ = pid;
    reader_.reset();
    in_vain_ = 1;
  }
  // The first time, the second, the fourth, the eighth…: opening costs milliseconds, and who has no
  // trainer now may have none for days.
  if (std::has_single_bit(in_vain_)) reader_ = open_(pid);
  auto found = reader_ ? reader_->read() : std::nullopt;
  in_vain_ = found ? 0 : in_vain_ + 1;
  return found;
}

}  // namespace tidegauge::cli
