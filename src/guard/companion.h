// SPDX-License-Identifier: Apache-2.0
// A small process beside us, in the process group that we share with the job. It does two things
// that we cannot do ourselves:
// - it is the witness of signals. One that reaches it too was sent to the whole group (Ctrl-C, the
//   shell's `kill %1`, a service manager's stop), so the job has it already; one that reaches only
//   us has to be passed on.
// - it carries the output of a tapped job to the terminal, and goes on doing so if we are killed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace tidegauge::guard {

enum class RelayNews : std::uint8_t {
  Signal,   // it got the signal `number`
  Output,   // bytes that the job wrote, already on their way to the terminal
  Drained,  // all of what the job wrote before finish() is on the terminal
  Gone,     // it has ended; there will be no more
};

struct Message {
  RelayNews news = RelayNews::Gone;
  int number = 0;
  std::string bytes{};
};

class Companion {
 public:
  // `master` is the pty's end that output comes from, or -1; stdout is the terminal it goes to.
  static Result<Companion> start(int master);

  pid_t pid() const { return pid_; }
  int fd() const { return channel_.get(); }  // readable when there is news
  std::optional<Message> next();             // nothing: no news for now
  void finish();                             // the job has ended: Drained, please

 private:
  Companion(pid_t pid, UniqueFd channel) : pid_(pid), channel_(std::move(channel)) {}
  pid_t pid_ = -1;
  UniqueFd channel_;
};

}  // namespace tidegauge::guard
