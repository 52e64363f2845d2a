// SPDX-License-Identifier: Apache-2.0
#include "guard/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/beside.h"
#include "base/fd.h"
#include "base/inherited.h"

namespace tidegauge::guard {

namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

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

// Gone: no such command. Anything else that exec refuses is there but cannot be run.
Error refusal(int error, const std::string& command) {
  if (error == ENOENT) return {Reason::Gone, command + ": command not found"};
  auto refused = from_errno(error, command);
  refused.reason = Reason::Denied;
  return refused;
}

// Without a pipe to report to the job says itself what a shell would say.
struct LastWords {
  std::string not_found;
  std::string not_executable;
};

LastWords last_words_of(const std::string& command) {
  return {fmt::format("tidegauge run: {}: command not found\n", command),
          fmt::format("tidegauge run: {}: cannot be executed\n", command)};
}

struct Outputs {
  int terminal = -1;  // in the place of stdout
  bool also_stderr = false;
  int report_to = -1;  // a pipe; -1: there is none
};

// Only what is async-signal-safe from here on.
[[noreturn]] void become(char* const* arguments, char* const* environment, const Outputs& outputs,
                         const LastWords& last_words) {
  if (outputs.terminal >= 0) ::dup2(outputs.terminal, STDOUT_FILENO);
  if (outputs.terminal >= 0 && outputs.also_stderr) ::dup2(outputs.terminal, STDERR_FILENO);
  Inherited::at_start().give_back();
  ::execvpe(arguments[0], arguments, environment);
  const int error = errno;
  const auto& words = error == ENOENT ? last_words.not_found : last_words.not_executable;
  if (outputs.report_to < 0) (void)!::write(STDERR_FILENO, words.data(), words.size());
  while (outputs.report_to >= 0 && ::write(outputs.report_to, &error, sizeof error) < 0 &&
         errno == EINTR) {
  }
  ::_exit(error == ENOENT ? kNotFound : kNotExecutable);
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

}  // namespace

int exit_code_for(const Error& start_failure) {
  return start_failure.reason == Reason::Gone ? kNotFound : kNotExecutable;
}

Error become_job(const std::vector<std::string>& command) {
  auto words = command;
  const auto arguments = pointers_to(words);
  const auto& given = Inherited::at_start();
  given.give_back();
  ::execvp(arguments[0], arguments.data());
  return refusal(errno, command.front());
}

Result<pid_t> launch(const Launch& what, const SignalWatch& watch, int terminal) {
  int ends[2] = {-1, -1};
  (void)!::pipe2(ends, O_CLOEXEC);
  const UniqueFd report(ends[0]);
  UniqueFd report_to(ends[1]);
  auto words = what.arguments;
  auto settings = environment_with(what.environment);
  const auto arguments = pointers_to(words);
  const auto environment = pointers_to(settings);
  const auto last_words = last_words_of(what.arguments.front());
  const Outputs outputs{.terminal = terminal,
                        .also_stderr = terminal >= 0 && same_terminal(STDOUT_FILENO, STDERR_FILENO),
                        .report_to = report_to.get()};

  const pid_t pid = ::fork();
  if (pid < 0) return Error{Reason::Failed, from_errno(errno, kNoProcess).what};
  if (pid == 0) {
    join(what.groups);
    watch.restore();
    become(arguments.data(), environment.data(), outputs, last_words);
  }
  report_to = UniqueFd();
  if (const int error = exec_error(report.get()); error != 0) {
    ::waitpid(pid, nullptr, 0);
    return refusal(error, what.arguments.front());
  }
  return pid;
}

}  // namespace tidegauge::guard
