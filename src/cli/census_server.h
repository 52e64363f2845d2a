// SPDX-License-Identifier: Apache-2.0
// A process beside us that takes censuses while we go on looking and carrying the job's output. It
// is started before anything is watched, so that it is never taken for a part of the job.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "census/training.h"
#include "cli/paragraphs.h"
#include "record/census.h"
#include "secrets/shown.h"

namespace tidegauge::cli {

class CensusServer {
 public:
  // Fails if there is no process to be had: then there are no censuses.
  static Result<CensusServer> start(secrets::Keys keys);

  bool busy() const { return busy_; }
  void ask(pid_t pid);  // not while it is busy
  // How far the training has come that the process is at. Answered at once, censuses or not.
  void ask_training(pid_t pid);
  bool is_asked_for_training() const { return asked_for_training_; }

  struct Answer {
    enum class To { Census, Training };
    To to = To::Census;
    bool taken = false;   // false: it runs no Python that we know, may not be read, or has ended
    bool denied = false;  // it may not be read
    double cpu_seconds = 0;
    double pause_ms = 0;
    std::vector<record::Census::Holder> holders{};
    std::optional<census::Training> training{};  // nothing: it is at none
  };
  // The next of what it has said since it was asked. Waits that long at most.
  std::optional<Answer> take(double wait_seconds);

 private:
  explicit CensusServer(UniqueFd line) : line_(std::move(line)) {}

  bool send(pid_t request);

  UniqueFd line_;
  Paragraphs heard_{};
  bool busy_ = false;
  bool asked_for_training_ = false;
};

}  // namespace tidegauge::cli
