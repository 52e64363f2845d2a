// SPDX-License-Identifier: Apache-2.0
#include "cli/output_of.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"

namespace tidegauge::cli {

namespace {

constexpr std::size_t kMostBytes = 64 << 20;

struct Pipe {
  UniqueFd in{};
  UniqueFd out{};
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return from_errno(errno, "a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<pid_t> spawn(const std::vector<std::string>& arguments, int out, int err) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, words[0], &files, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) return from_errno(error, arguments.front());
  return pid;
}

// Takes what comes on both until both are closed. False: not in time, or too much.
bool read_both(std::array<pollfd, 2> fds, std::array<std::string, 2>& texts, double most_seconds) {
  const double until = clock_seconds(CLOCK_MONOTONIC) + most_seconds;
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const double left = until - clock_seconds(CLOCK_MONOTONIC);
    if (left <= 0 || texts[0].size() > kMostBytes || texts[1].size() > kMostBytes) return false;
    ::poll(fds.data(), fds.size(), static_cast<int>(left * 1e3) + 1);
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      std::array<char, 1 << 14> piece{};
      const ssize_t got = ::read(fds[i].fd, piece.data(), piece.size());
      if (got > 0) texts[i].append(piece.data(), static_cast<std::size_t>(got));
      if (got <= 0 && errno != EINTR) fds[i].fd = -1;
    }
  }
  return true;
}

}  // namespace

Result<std::string> output_of(const std::vector<std::string>& arguments, double most_seconds) {
  auto out = make_pipe();
  auto err = make_pipe();
  if (!out || !err) return out ? err.error() : out.error();
  const auto pid = spawn(arguments, out->out.get(), err->out.get());
  if (!pid) return pid.error();
  out->out = UniqueFd();
  err->out = UniqueFd();
  std::array<std::string, 2> texts;
  const bool whole = read_both({pollfd{out->in.get(), POLLIN, 0}, pollfd{err->in.get(), POLLIN, 0}},
                               texts, most_seconds);
  if (!whole) ::kill(*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) continue;
  if (!whole) return Error{Reason::Failed, "it took too long"};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Error{Reason::Failed, printable(trimmed(texts[1]))};
  }
  return std::move(texts[0]);
}

}  // namespace tidegauge::cli
