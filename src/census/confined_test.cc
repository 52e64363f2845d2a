// SPDX-License-Identifier: Apache-2.0
// Each test confines a child and lets it try what somebody would who has taken it over.
#include "census/confined.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "base/beside.h"
#include "census/aside.h"
#include "census/parts.h"

namespace tidegauge::census {
namespace {

constexpr std::uint64_t kSeconds = 20;

// What `work` says in a child that has been confined.
std::string said_by_confined(const std::function<std::string()>& work,
                             std::uint64_t most_bytes = 1 << 30) {
  auto child = start_beside(LineKind::Packets, [&](UniqueFd line) {
    const int kept[] = {line.get()};
    const auto confined =
        confine_ourselves({.keep = kept, .most_bytes = most_bytes, .most_cpu_seconds = kSeconds});
    const auto text = confined ? work() : "not confined: " + confined.error().what;
    (void)::send(line.get(), text.data(), text.size(), MSG_NOSIGNAL);
  });
  if (!child) return child.error().what;
  char text[4096];
  const auto got = ::recv(child->line.get(), text, sizeof text, 0);
  int status = 0;
  ::waitpid(child->pid, &status, 0);
  if (got <= 0) return "ended with " + std::to_string(status);
  return {text, static_cast<std::size_t>(got)};
}

TEST(Confined, CanDoNothingThatReachesOutOfIt) {
  const pid_t us = ::getpid();
  int local = 0;
  using Try = std::function<long()>;
  const std::pair<const char*, Try> tries[] = {
      {"open", [] { return ::open("/etc/passwd", O_RDONLY); }},
      {"old open", [] { return ::syscall(SYS_open, "/etc/passwd", O_RDONLY); }},
      {"creat", [] { return ::creat("/tmp/tidegauge-confined", 0600); }},
      {"stat",
       [] {
         struct stat info {};
         return ::stat("/", &info);
       }},
      {"unlink", [] { return ::unlink("/tmp/tidegauge-confined"); }},
      {"execve",
       [] {
         char name[] = "/bin/true";
         char* const words[] = {name, nullptr};
         return ::execve(name, words, nullptr);
       }},
      {"fork", [] { return ::syscall(SYS_fork); }},
      {"vfork like clone", [] { return ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }},
      {"unshare", [] { return ::unshare(CLONE_NEWUSER); }},
      {"socket", [] { return ::socket(AF_INET, SOCK_STREAM, 0); }},
      {"unix socket", [] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }},
      {"kill", [us] { return ::kill(us, 0); }},
      {"kill ourselves", [] { return ::kill(::getpid(), 0); }},
      {"tgkill", [us] { return ::syscall(SYS_tgkill, us, us, 0); }},
      {"pidfd_open", [us] { return ::syscall(SYS_pidfd_open, us, 0); }},
      {"ptrace", [us] { return ::ptrace(PTRACE_SEIZE, us, nullptr, nullptr); }},
      {"process_vm_readv",
       [us, &local] {
         iovec place{&local, sizeof local};
         return ::process_vm_readv(us, &place, 1, &place, 1, 0);
       }},
      {"process_vm_writev",
       [us, &local] {
         iovec place{&local, sizeof local};
         return ::process_vm_writev(us, &place, 1, &place, 1, 0);
       }},
      {"setuid", [] { return ::setuid(0); }},
      {"chroot", [] { return ::chroot("/"); }},
      {"mount", [] { return ::syscall(SYS_mount, "", "/", "", 0, nullptr); }},
      {"a terminal's input",
       [] {
         char x = 'x';
         return ::ioctl(0, TIOCSTI, &x);
       }},
      {"code in memory",
       [] {
         void* const made = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return made == MAP_FAILED ? -1L : 0L;
       }},
      {"memory that is not counted",
       [] {
         void* const made =
             ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
         return made == MAP_FAILED ? -1L : 0L;
       }},
      {"memory made code",
       [] {
         void* const made =
             ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return static_cast<long>(::mprotect(made, 4096, PROT_READ | PROT_EXEC));
       }},
      {"bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }},
      {"io_uring", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }},
      {"memfd", [] { return ::syscall(SYS_memfd_create, "x", 0); }},
  };
  for (const auto& one : tries) {
    const auto said = said_by_confined([&] {
      errno = 0;
      const auto done = one.second();
      return std::to_string(done) + " " + std::to_string(errno);
    });
    EXPECT_EQ(said, "-1 " + std::to_string(EPERM)) << one.first;
  }
}

std::map<std::string, std::string> status_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  std::map<std::string, std::string> all;
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(":\t");
    if (colon != std::string::npos) all[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return all;
}

TEST(Confined, HasNoRightsThatTheKernelKnowsOf) {
  auto child = start_beside(LineKind::Packets, [&](UniqueFd line) {
    const int kept[] = {line.get()};
    const bool confined =
        confine_ourselves(
            {.keep = kept, .not_as = 65534, .most_bytes = 1 << 20, .most_cpu_seconds = kSeconds})
            .
            operator bool();
    (void)::send(line.get(), confined ? "y" : "n", 1, MSG_NOSIGNAL);
    char byte = 0;
    (void)::read(line.get(), &byte, 1);
  });
  ASSERT_TRUE(child);
  char byte = 0;
  ASSERT_EQ(::recv(child->line.get(), &byte, 1, 0), 1);
  ASSERT_EQ(byte, 'y');
  auto status = status_of(child->pid);
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
    EXPECT_EQ(status[set], "0000000000000000") << set;
  }
  EXPECT_EQ(status["NoNewPrivs"], "1");
  EXPECT_EQ(status["Seccomp"], "2");
  if (::geteuid() == 0) {
    EXPECT_EQ(status["CapBnd"], "0000000000000000");
    EXPECT_EQ(status["Uid"], "65533\t65533\t65533\t65533") << "not the user that was named";
    EXPECT_EQ(status["Gid"], "65533\t65533\t65533\t65533");
    EXPECT_EQ(status["Groups"], " ");
  }
  child->line = UniqueFd();
  ::waitpid(child->pid, nullptr, 0);
}

TEST(Confined, HasNoDescriptorsButThoseItKeeps) {
  const UniqueFd secret(::open("/proc/self/status", O_RDONLY));
  ASSERT_TRUE(secret);
  char text[8];
  EXPECT_EQ(said_by_confined([&] {
              const auto got = ::pread(secret.get(), text, sizeof text, 0);
              return std::to_string(got) + " " + std::to_string(errno);
            }),
            "-1 " + std::to_string(EBADF));
}

TEST(Confined, CanStillComputeInThreads) {
  EXPECT_EQ(said_by_confined([] {
              std::string words;
              std::thread([&] { words = std::string(1 << 20, 'x') + "done"; }).join();
              return words.substr(1 << 20);
            }),
            "done");
}

// Where the user it becomes has too many already, it goes on with the one it has.
TEST(Confined, ComputesAloneWhereThereAreNoThreads) {
  const auto child = start_beside(LineKind::Packets, [](const UniqueFd& line) {
    lower_limit(RLIMIT_NPROC, 0);
    const int kept[] = {line.get()};
    (void)confine_ourselves({.keep = kept, .most_bytes = 1 << 30, .most_cpu_seconds = kSeconds});
    std::atomic<std::uint64_t> sum = 0;
    in_parts(1000, 4, [&](std::size_t, std::size_t first, std::size_t end) {
      for (; first < end; ++first) sum += first;
    });
    const auto text = std::to_string(sum);
    (void)::send(line.get(), text.data(), text.size(), MSG_NOSIGNAL);
  });
  ASSERT_TRUE(child);
  char text[64] = {};
  (void)::recv(child->line.get(), text, sizeof text - 1, 0);
  ::waitpid(child->pid, nullptr, 0);
  EXPECT_STREQ(text, "499500");
}

TEST(Confined, MayAllocateNoMoreThanItWasAllowed) {
  const auto tries_to_take = [](std::size_t bytes) {
    return [bytes] {
      void* const made =
          ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return std::string(made == MAP_FAILED ? "refused" : "there");
    };
  };
  constexpr std::uint64_t kMost = 64 << 20;
  EXPECT_EQ(said_by_confined(tries_to_take(32 << 20), kMost), "there");
  EXPECT_EQ(said_by_confined(tries_to_take(256 << 20), kMost), "refused");
}

TEST(Confined, EndsWithWhoeverHasMadeIt) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd heard(ends[0]);
  UniqueFd held(ends[1]);
  const pid_t parent = ::fork();
  if (parent == 0) {
    (void)start_beside(LineKind::Packets, [&](UniqueFd line) {
      const int kept[] = {line.get(), held.get()};
      (void)confine_ourselves({.keep = kept, .most_cpu_seconds = kSeconds});
      (void)::write(held.get(), "x", 1);
      while (true) ::usleep(1000);
    });
    char byte = 0;
    (void)::read(heard.get(), &byte, 1);
    ::_exit(0);
  }
  held = UniqueFd();
  int status = 0;
  ::waitpid(parent, &status, 0);
  char byte = 0;
  EXPECT_EQ(::read(heard.get(), &byte, 1), 0) << "nobody holds the other end any more";
}

}  // namespace
}  // namespace tidegauge::census
