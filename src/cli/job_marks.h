// SPDX-License-Identifier: Apache-2.0
// What a job that we started tells us about its steps: through the ring, or by what it prints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "guard/supervise.h"
#include "proc/root.h"
#include "record/ask_page.h"
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

  std::string ring() const;      // what a job opens to send marks; empty: there is none
  std::string ask_page() const;  // what it opens to hear requests; empty: there is none
  const record::AskPage* page() const { return requests_ ? &*requests_ : nullptr; }
  bool wants_terminal() const;
  const std::string& missing() const { return missing_; }  // why there is no ring; empty: there is
  // Output from now on, as long as `session` lives or until somebody else listens.
  void listen_to(guard::Job& job, const Session& session);
  // Everything that has come since the last time, thinned.
  void pass_on(Session& session);
  void pass_on_rest(Session& session);  // the same for the last time

 private:
  record::ProcessId who_is(const Session& session, pid_t pid);
  void pass_on(Session& session, std::vector<record::Event> marks);

  std::string missing_{};
  std::optional<record::RingReader> ring_{};
  std::optional<record::AskPage> requests_{};  // only kept: whoever asks opens it himself
  std::optional<proc::Root> processes_{};
  std::map<pid_t, record::ProcessId> newcomers_{};  // of one look at the ring
  bool guess_ = false;
  record::MarkGuesser guesser_{};
  std::vector<record::Event> guesses_{};  // since the last time
};

}  // namespace tidegauge::cli
