// SPDX-License-Identifier: Apache-2.0
// On the kernel's own groups of version 2, with whatever controller they can hand on here.
#include "guard/step_down.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

#include "base/fd.h"

namespace tidegauge::guard {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool put(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  return static_cast<bool>(file << text << std::flush);
}

class StepDownInAGroup : public testing::Test {
 protected:
  void SetUp() override {
    for (const fs::path top : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"}) {
      // One of these tests at a time: what it hands on there, it takes back from all below.
      turn_ = UniqueFd(::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      ::flock(turn_.get(), LOCK_EX);
      const auto controllers = text_of(top / "cgroup.controllers");
      for (const std::string one : {"hugetlb", "memory", "pids"}) {
        if (parent_.empty() && controllers.find(one) != controllers.npos && make_below(top, one))
          return;
      }
    }
    GTEST_SKIP() << "no group of version 2 can be made here that hands a controller on";
  }

  void TearDown() override {
    if (!parent_.empty()) ::rmdir(parent_.c_str());
    if (!handed_on_here_.empty())
      put(handed_on_here_ / "cgroup.subtree_control", "-" + controller_);
  }

  // What `what` found in a process that is alone in the group.
  int alone(const std::function<int()>& what) const {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(put(parent_ / "cgroup.procs", "0") ? what() : 99);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
  }

  std::optional<StepDown> step() const {
    return StepDown::take("/proc", parent_, "below", controller_);
  }
  bool is_in(const std::string& end) const {
    return text_of("/proc/self/cgroup").find(name_ + end + "\n") != std::string::npos;
  }
  bool hands_on() const {
    return text_of(parent_ / "cgroup.subtree_control").find(controller_) != std::string::npos;
  }

  fs::path parent_;
  std::string name_ = fmt::format("tidegauge_test_{}", ::getpid());
  std::string controller_;

 private:
  bool make_below(const fs::path& top, const std::string& controller) {
    const auto control = top / "cgroup.subtree_control";
    const bool before = text_of(control).find(controller) != std::string::npos;
    if (!before && !put(control, "+" + controller)) return false;
    if (!before) handed_on_here_ = top;
    if (::mkdir((top / name_).c_str(), 0755) != 0) return false;
    parent_ = top / name_;
    controller_ = controller;
    return true;
  }
  UniqueFd turn_;
  fs::path handed_on_here_;  // by us, for the time of the test
};

TEST_F(StepDownInAGroup, LeavesItForOneBelowAndComesBack) {
  EXPECT_EQ(alone([&] {
              const auto down = step();
              if (!down || !is_in("/below") || !hands_on()) return 1;
              down->back();
              return is_in("") && !hands_on() && !fs::exists(parent_ / "below") ? 0 : 2;
            }),
            0);
}

TEST_F(StepDownInAGroup, TakesItsGrandchildrenAlong) {
  EXPECT_EQ(alone([&] {
              int ready[2];
              if (::pipe(ready) != 0) return 1;
              const pid_t child = ::fork();
              if (child == 0) {
                const pid_t grandchild = ::fork();
                if (grandchild > 0) (void)!::write(ready[1], &grandchild, sizeof grandchild);
                ::pause();
              }
              pid_t grandchild = 0;
              (void)!::read(ready[0], &grandchild, sizeof grandchild);
              const auto down = step();
              const auto place = text_of(fmt::format("/proc/{}/cgroup", grandchild));
              const bool along = place.find("/below") != std::string::npos;
              // Somebody else reaps it, so that its end has to be looked for.
              pollfd end{static_cast<int>(::syscall(SYS_pidfd_open, grandchild, 0)), POLLIN, 0};
              ::kill(grandchild, SIGKILL);
              ::kill(child, SIGKILL);
              ::waitpid(child, nullptr, 0);
              if (::poll(&end, 1, -1) != 1) return 4;
              if (!down || !along) return 2;
              down->back();
              return is_in("") ? 0 : 3;
            }),
            0);
}

TEST_F(StepDownInAGroup, LeavesAGroupThatHoldsOthersAsItIs) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    const char in = put(parent_ / "cgroup.procs", "0") ? 'y' : 'n';
    (void)!::write(ready[1], &in, 1);
    ::pause();
  }
  char in = 0;
  ASSERT_EQ(::read(ready[0], &in, 1), 1);
  EXPECT_EQ(in, 'y');
  EXPECT_EQ(alone([&] { return !step() && is_in("") && !hands_on() ? 0 : 1; }), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace tidegauge::guard
