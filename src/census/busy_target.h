// SPDX-License-Identifier: Apache-2.0
// For tests: a child of one or two threads, all of which work all the while once it is made, and
// whose first one notices if anything is not as it has left it.
#pragma once

#include <dirent.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace tidegauge::census {

// Fills the registers that a program may use, the flags and the red zone with what nobody else has
// put there, works for a while and says whether all is as it was.
inline bool registers_stay_as_they_are() {
  std::uint64_t wrong = 0;
  asm volatile(R"(
    leaq -256(%%rsp), %%rsp
    movq $0x1111, %%rax
    movq $0x2222, %%rdx
    movq $0x3333, %%rsi
    movq $0x4444, %%rdi
    movq $0x5555, %%r8
    movq $0x6666, %%r9
    movq $0x7777, %%r10
    movq $0x8888, %%r11
    movq $0x9999, %%r12
    movq $0xaaaa, %%r13
    movq $0xbbbb, %%r14
    movq $0xcccc, %%r15
    movq $0xdddd, -8(%%rsp)
    movq $0xeeee, -120(%%rsp)
    movq $200000, %%rcx
    stc
1:  leaq -1(%%rcx), %%rcx
    jrcxz 2f
    jmp 1b
2:  jnc 3f
    cmpq $0x1111, %%rax
    jne 3f
    cmpq $0x2222, %%rdx
    jne 3f
    cmpq $0x3333, %%rsi
    jne 3f
    cmpq $0x4444, %%rdi
    jne 3f
    cmpq $0x5555, %%r8
    jne 3f
    cmpq $0x6666, %%r9
    jne 3f
    cmpq $0x7777, %%r10
    jne 3f
    cmpq $0x8888, %%r11
    jne 3f
    cmpq $0x9999, %%r12
    jne 3f
    cmpq $0xaaaa, %%r13
    jne 3f
    cmpq $0xbbbb, %%r14
    jne 3f
    cmpq $0xcccc, %%r15
    jne 3f
    cmpq $0xdddd, -8(%%rsp)
    jne 3f
    cmpq $0xeeee, -120(%%rsp)
    jne 3f
    xorl %%ebx, %%ebx
    jmp 4f
3:  movl $1, %%ebx
4:  leaq 256(%%rsp), %%rsp
  )"
               : "=b"(wrong)
               :
               : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                 "r15", "cc", "memory");
  return wrong == 0;
}

class BusyTarget {
 public:
  enum class FirstThread { Waits, Computes, TakesSignals };
  explicit BusyTarget(FirstThread does = FirstThread::Waits, std::size_t threads = kThreads) {
    void* const page =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (page) Shared{};
    pid_ = ::fork();
    if (pid_ == 0) work(does, threads);
    while (rounds() < 2 || (threads > 1 && shared_->cell < kWarm)) ::usleep(100);
  }
  BusyTarget(const BusyTarget&) = delete;
  BusyTarget& operator=(const BusyTarget&) = delete;
  ~BusyTarget() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::munmap(shared_, sizeof(Shared));
  }

  static constexpr std::size_t kThreads = 2;
  pid_t pid() const { return pid_; }
  std::uint64_t rounds() const { return shared_->rounds; }
  std::uint64_t errors() const { return shared_->errors; }
  void wait_for_rounds() const {  // the test's limit ends a wait in vain
    const auto seen = rounds();
    while (rounds() < seen + 5) ::usleep(100);
  }

  std::vector<std::string> threads() const {
    std::vector<std::string> all;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(
        ::opendir(fmt::format("/proc/{}/task", pid_).c_str()), ::closedir);
    while (const dirent* entry = ::readdir(folder.get())) {
      if (entry->d_name[0] != '.') all.emplace_back(entry->d_name);
    }
    return all;
  }
  std::string children() const {
    std::string all;
    for (const auto& tid : threads()) {
      std::ifstream in(fmt::format("/proc/{}/task/{}/children", pid_, tid));
      all += std::string(std::istreambuf_iterator<char>(in), {});
    }
    return all;
  }

 private:
  // Turns of the second thread after which it maps no more memory: a sanitizer does for what it
  // writes down of each thread, until that has its full size.
  static constexpr std::uint64_t kWarm = 300'000;
  struct Shared {
    std::atomic<std::uint64_t> rounds;
    std::atomic<std::uint64_t> errors;
    std::atomic<std::uint64_t> cell;
  };

  [[noreturn]] void work(FirstThread does, std::size_t threads) {
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR1);
    ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
    ::signal(SIGUSR1, [](int) {});
    std::thread other;
    if (threads > 1) other = std::thread([this, does, first = ::gettid()] { beside(does, first); });
    const int poll = ::epoll_create1(0);
    while (true) {
      const bool good = does == FirstThread::Waits      ? waits_well(poll)
                        : does == FirstThread::Computes ? registers_stay_as_they_are()
                                                        : takes_a_signal();
      if (!good || !blocks(blocked)) ++shared_->errors;
      ++shared_->rounds;
    }
  }

  // One signal for each round: if one is lost there are no more rounds.
  [[noreturn]] void beside(FirstThread does, pid_t first) {
    std::uint64_t sent = 0;
    while (true) {
      ++shared_->cell;
      if (does != FirstThread::TakesSignals || rounds() < sent) continue;
      ::syscall(SYS_tgkill, ::getpid(), first, SIGUSR1);
      ++sent;
    }
  }

  static bool takes_a_signal() {
    sigset_t none;
    ::sigemptyset(&none);
    return ::sigsuspend(&none) == -1 && errno == EINTR;
  }

  // Calls that begin again after a stop, each in its own way; epoll_wait does not: EINTR is its
  // right to return.
  static bool waits_well(int poll) {
    epoll_event event{};
    if (::epoll_wait(poll, &event, 1, 1) < 0 && errno != EINTR) return false;
    const timespec moment{0, 500'000};
    if (::nanosleep(&moment, nullptr) != 0) return false;
    int word = 0;
    return ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &moment, nullptr, 0) == -1 &&
           errno == ETIMEDOUT;
  }
  static bool blocks(const sigset_t& expected) {
    sigset_t now;
    ::sigprocmask(SIG_SETMASK, nullptr, &now);
    for (int signal = 1; signal < 65; ++signal) {
      if (::sigismember(&now, signal) != ::sigismember(&expected, signal)) return false;
    }
    return true;
  }

  Shared* shared_ = nullptr;
  pid_t pid_ = 0;
};

}  // namespace tidegauge::census
