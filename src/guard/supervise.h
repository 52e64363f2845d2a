// SPDX-License-Identifier: Apache-2.0
// Starts a job and lets it live as if we were not there: its stdin, stdout, stderr, terminal,
// signals, job control and exit status are its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidegauge::guard {

struct Launch {
  std::vector<std::string> arguments;                              // the command, never empty
  std::vector<std::pair<std::string, std::string>> environment{};  // set in addition to ours
  // Read the job's terminal output on its way: only if stdout is a terminal; through a pty of the
  // same size, bytes passed on unchanged. Stdin and the controlling terminal stay what they are.
  bool tap_terminal = false;
  // A process beside us that tells signals for us from those for all. It goes without.
  bool companion = true;
  // Whoever stops it with SIGSTOP continues it in a moment: no reason to stop with it.
  bool stops_are_short = false;
  // cgroup.procs of the groups that the job is to begin in.
  std::vector<int> groups{};
};

struct Status {
  bool exited = false;
  int code = 0;  // as a shell says it: exit code, or 128 + signal
  int signal = 0;
};

// While a Job lives its process is the reaper of the job's orphans, so it starts no children of its
// own: all that end are reaped. It has one thread, and one Job at a time. If it dies the job lives
// on. If a Job is destroyed before its end, the job lives on too, unwatched.
class Job {
 public:
  // Gone/Denied: the command could not be started; `what` says why (command not found: 127, not
  // executable: 126 is what a shell would return, see exit_code_for()). Failed: we lack what it
  // takes to start and follow any command (a process, a descriptor); nothing was started.
  static Result<Job> start(const Launch& launch);
  Job(Job&&) noexcept;
  Job& operator=(Job&&) noexcept;
  ~Job();

  pid_t pid() const;
  // Waits up to `timeout_ns` for something to do (the job's end, a signal for us, terminal bytes, a
  // readable extra fd) and does it; returns early when there was. Negative: no limit.
  void pump(std::int64_t timeout_ns, int extra_fd = -1, int other_fd = -1);
  // Empty while it runs, and until all of what it wrote to a tapped terminal is there.
  std::optional<Status> status() const;
  // The same without waiting for what it wrote.
  std::optional<Status> ended() const;
  // SIGTERM has come to us, for the job.
  bool was_told_to_end() const;
  // Somebody pressed Ctrl-C: a shell's loop ends if its command dies of it, so should we.
  bool interrupted_by_terminal() const;
  // Terminal bytes as they pass, for guessing marks.
  void on_output(std::function<void(std::string_view)> take);

 private:
  struct State;
  explicit Job(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

int exit_code_for(const Error& start_failure);  // 127 or 126

// Where not even a process can be had for it: the command takes our place. Returns why it could
// not, as start() does. Nothing of ours may be left that is to be waited for.
Error become_job(const std::vector<std::string>& command);

}  // namespace tidegauge::guard
