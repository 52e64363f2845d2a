// SPDX-License-Identifier: Apache-2.0
#include "guard/shm_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

#include "base/fd.h"
#include "record/temp_folder.h"

namespace tidegauge::guard {
namespace {

// A folder in the place of /dev/shm, the real processes.
class Shm : public testing::Test {
 protected:
  std::string make(const std::string& name) {
    const auto path = folder_ / name;
    const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    EXPECT_EQ(::ftruncate(fd.get(), 4096), 0);
    return path;
  }
  // A process that holds `path`, by a mapping alone where `maps`.
  pid_t holder(const std::string& path, bool maps, uid_t user = ::geteuid()) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (user != ::geteuid() && ::setuid(user) != 0) ::_exit(1);
      const int fd = ::open(path.c_str(), O_RDONLY);
      if (fd < 0) ::_exit(1);
      if (maps) {
        ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
        ::close(fd);
      }
      (void)!::write(ready[1], "x", 1);
      while (true) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return pid;
  }
  static void end(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  static bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }
  ShmFiles files(timespec began = {}) const {
    proc::Roots roots;
    roots.dev_shm = folder_.path();
    return {roots, began};
  }
  // Where the kernel names one device for a file and for its mappings; overlayfs does not.
  record::TempFolder folder_{"/dev/shm"};
};

TEST_F(Shm, WhatAKilledJobHeldIsRemoved) {
  for (const bool maps : {true, false}) {
    const auto path = make(maps ? "psm_1" : "torch_1_2_3");
    const auto other = make(maps ? "other_1" : "other_2");
    const auto pid = holder(path, maps);
    auto shm = files();
    shm.note(pid);
    EXPECT_EQ(shm.noted(), 1u);
    end(pid);
    EXPECT_EQ(shm.clean(), std::vector{path});
    EXPECT_FALSE(exists(path));
    EXPECT_TRUE(exists(other));
  }
}

TEST_F(Shm, WhatSomebodyElseHasIsLeft) {
  for (const bool maps : {true, false}) {
    const auto path = make(maps ? "a" : "b");
    const auto pid = holder(path, true);
    const auto neighbour = holder(path, maps);
    auto shm = files();
    shm.note(pid);
    end(pid);
    EXPECT_TRUE(shm.clean().empty());
    EXPECT_TRUE(exists(path));
    end(neighbour);
  }
}

// A job of an unprivileged user, watched by root, opens a file of root's that all may read.
TEST_F(Shm, AFileOfAnotherUserThanItsHolderIsLeft) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to start a process of another user";
  constexpr uid_t kNobody = 65534;
  EXPECT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  for (const bool maps : {true, false}) {
    const auto path = make(maps ? "a" : "b");
    EXPECT_EQ(::chmod(path.c_str(), 0644), 0);
    const auto pid = holder(path, maps, kNobody);
    auto shm = files();
    shm.note(pid);
    EXPECT_EQ(shm.noted(), 0u);
    end(pid);
    EXPECT_TRUE(shm.clean().empty());
    EXPECT_TRUE(exists(path));
  }
}

TEST_F(Shm, AnotherFileOfThatNameIsLeft) {
  const auto path = make("a");
  const auto pid = holder(path, true);
  auto shm = files();
  shm.note(pid);
  end(pid);
  const auto kept = make("b");  // so that the inode is not used again
  EXPECT_EQ(::rename(kept.c_str(), path.c_str()), 0);
  EXPECT_TRUE(shm.clean().empty());
  EXPECT_TRUE(exists(path));
}

TEST_F(Shm, WhatIsOlderThanTheJobIsLeft) {
  const auto path = make("a");
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  auto began = info.st_ctim;
  ++began.tv_sec;
  const auto pid = holder(path, true);
  auto shm = files(began);
  shm.note(pid);
  end(pid);
  EXPECT_TRUE(shm.clean().empty());
  EXPECT_TRUE(exists(path));
}

}  // namespace
}  // namespace tidegauge::guard
