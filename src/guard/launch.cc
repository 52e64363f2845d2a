// SPDX-License-Identifier: Apache-2.0
#include "guard/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/fd.h"

namespace tidegauge::guard {

namespace {

// `additions` over what we were given, ready for exec.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [added, value] : additions) replaced = replaced || added == name;
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : additions) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

bool same_terminal(int one, int other) {
  struct stat first {};
  struct stat second {};
  return ::isatty(one) == 1 && ::isatty(other) == 1 && ::fstat(one, &first) == 0 &&
         ::fstat(other, &second) == 0 && first.st_rdev == second.st_rdev;
}

// A job that cannot be put into a group runs outside it: it is what matters.
void join(const std::vector<int>& groups) {
  for (const int group : groups) (void)!::write(group, "0", 1);
}

// Only what is async-signal-safe from here on.
[[noreturn]] void become(char* const* arguments, char* const* environment, int terminal,
                         bool also_stderr, int report_to) {
  if (terminal >= 0) ::dup2(terminal, STDOUT_FILENO);
  if (terminal >= 0 && also_stderr) ::dup2(terminal, STDERR_FILENO);
  ::execvpe(arguments[0], arguments, environment);
  const int error = errno;
  while (::write(report_to, &error, sizeof error) < 0 && errno == EINTR) {
  }
  ::_exit(127);
}

// Waits until exec has closed the pipe, or said why it failed.
int exec_error(int report) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(report, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

// Gone: no such command. Anything else that exec refuses is there but cannot be run.
Error refusal(int error, const std::string& command) {
  if (error == ENOENT) return {Reason::Gone, command + ": command not found"};
  auto refused = from_errno(error, command);
  refused.reason = Reason::Denied;
  return refused;
}

}  // namespace

int exit_code_for(const Error& start_failure) {
  constexpr int kNotFound = 127;
  constexpr int kNotExecutable = 126;
  constexpr int kOurOwnFailure = 125;
  if (start_failure.reason == Reason::Gone) return kNotFound;
  return start_failure.reason == Reason::Denied ? kNotExecutable : kOurOwnFailure;
}

Result<pid_t> launch(const Launch& what, const SignalWatch& watch, int terminal) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{Reason::Failed, "no pipe to start the job with"};
  const UniqueFd report(ends[0]);
  UniqueFd report_to(ends[1]);
  auto words = what.arguments;
  auto settings = environment_with(what.environment);
  const auto arguments = pointers_to(words);
  const auto environment = pointers_to(settings);
  const bool also_stderr = terminal >= 0 && same_terminal(STDOUT_FILENO, STDERR_FILENO);

  const pid_t pid = ::fork();
  if (pid < 0) return Error{Reason::Failed, from_errno(errno, "fork").what};
  if (pid == 0) {
    join(what.groups);
    watch.restore();
    become(arguments.data(), environment.data(), terminal, also_stderr, report_to.get());
  }
  report_to = UniqueFd();
  if (const int error = exec_error(report.get()); error != 0) {
    ::waitpid(pid, nullptr, 0);
    return refusal(error, what.arguments.front());
  }
  return pid;
}

}  // namespace tidegauge::guard
