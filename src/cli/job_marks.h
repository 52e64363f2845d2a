// SPDX-License-Identifier: Apache-2.0
// What a job that we started tells us about its steps: through the ring, or by what it prints.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/session.h"
#include "guard/supervise.h"
#include "record/guess.h"
#include "record/ring_reader.h"

namespace tidegauge::cli {

class JobMarks {
 public:
  struct Options {
    bool channel = true;  // give the job a ring
    bool guess = true;    // read its terminal output, where there is a terminal
  };
  explicit JobMarks(const Options& options);

  std::vector<std::pair<std::string, std::string>> environment() const;
  bool wants_terminal() const;
  void listen_to(guard::Job& job);
  // Everything that has come since the last time.
  void pass_on(Session& session);

 private:
  std::optional<record::RingReader> ring_{};
  bool guess_ = false;
  record::MarkGuesser guesser_{};
  std::string output_{};  // since the last time, bounded
};

}  // namespace tidegauge::cli
