// SPDX-License-Identifier: Apache-2.0
// Tests only.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/text.h"
#include "proc/root.h"
#include "proc/stat.h"

namespace tidegauge::proc {

// A real process that does as it is told: tests/programs/puppet.c, or another program that obeys
// lines on stdin and says "ready …" first. Ends with this object.
class Puppet {
 public:
  Puppet() : Puppet({TIDEGAUGE_PROGRAM_PUPPET, TIDEGAUGE_PROGRAM_PUPPET}) {}
  explicit Puppet(std::vector<std::string> command) {
    int to_it[2], from_it[2];
    if (::pipe2(to_it, O_CLOEXEC) != 0 || ::pipe2(from_it, O_CLOEXEC) != 0) {
      throw std::runtime_error("pipe");
    }
    words_ = UniqueFd(to_it[1]);
    answers_ = UniqueFd(from_it[0]);
    const UniqueFd its_in(to_it[0]), its_out(from_it[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, its_in.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, its_out.get(), STDOUT_FILENO);
    // A group of its own, so that its orphans are not taken for those of another test.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char*> arguments;
    for (auto& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int failed =
        ::posix_spawnp(&pid_, command[0].c_str(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed == 0) greeting_ = answer();
    if (!greeting_.starts_with("ready")) throw std::runtime_error("no " + command[0]);
  }
  Puppet(const Puppet&) = delete;
  Puppet& operator=(const Puppet&) = delete;
  ~Puppet() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  pid_t pid() const { return pid_; }
  const std::string& greeting() const { return greeting_; }

  // What it answers to a line; empty if it has ended.
  std::string tell(const std::string& line) {
    say(line);
    return answer();
  }
  // The pids in what it answers.
  std::vector<pid_t> pids_of(const std::string& line) {
    const auto text = tell(line);
    if (!text.starts_with("done")) throw std::runtime_error(line + ": " + text);
    return pids_in(text);
  }
  static std::vector<pid_t> pids_in(std::string_view words) {
    std::vector<pid_t> pids;
    next_word(words);
    while (const auto pid = to_number<pid_t>(next_word(words))) pids.push_back(*pid);
    return pids;
  }
  void say(const std::string& line) {
    const auto whole = line + "\n";
    if (::write(words_.get(), whole.data(), whole.size()) < 0) throw std::runtime_error("write");
  }
  // The answer to what was said.
  std::string answer() {
    std::string line;
    char byte = 0;
    while (::read(answers_.get(), &byte, 1) == 1 && byte != '\n') line += byte;
    return line;
  }

  // Waits until it has ended, and leaves it as a zombie.
  void await_end() const {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void reap() {
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  std::string greeting_;
  UniqueFd words_;
  UniqueFd answers_;
};

// Until it sleeps and has left its core: what it has used is counted then, and stays as it is. Its
// state says so a moment too early; the kernel tells its system call only when it is true.
inline void await_sleep(const Root& root, pid_t pid) {
  const auto is_on_its_way = [&] {
    return parse_stat(*root.read(pid, "stat"))->state != 'S' ||
           root.read(pid, "syscall")->starts_with("running");
  };
  while (is_on_its_way()) ::sched_yield();
}

}  // namespace tidegauge::proc
