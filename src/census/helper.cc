// SPDX-License-Identifier: Apache-2.0
#include "census/helper.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "census/aside.h"
#include "census/timed_waits.h"

namespace tidegauge::census {

namespace {

// A stop of a system call must look like one: should we be killed meanwhile, the kernel sends what
// the stop looks like, and this is no signal.
constexpr long kOptions = PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD;
constexpr int kCallStop = SIGTRAP | 0x80;
constexpr std::uint64_t kNoSignals = ~0ULL;
constexpr auto kNotInACall = static_cast<unsigned long long>(-1);

void nap_us(long us) {
  const timespec wait{0, us * 1000};
  ::nanosleep(&wait, nullptr);
}

bool get_registers(pid_t tid, user_regs_struct& registers) {
  return ::ptrace(PTRACE_GETREGS, tid, nullptr, &registers) == 0;
}

bool set_registers(pid_t tid, const user_regs_struct& registers) {
  return ::ptrace(PTRACE_SETREGS, tid, nullptr, &registers) == 0;
}

bool set_blocked(pid_t tid, std::uint64_t signals) {
  return ::ptrace(PTRACE_SETSIGMASK, tid, sizeof signals, &signals) == 0;
}

// To the next stop; what it says.
std::optional<int> go_on(pid_t tid, decltype(PTRACE_CONT) how) {
  int status = 0;
  if (::ptrace(how, tid, nullptr, 0L) != 0 || !wait_for_stop(tid, status)) return {};
  return status;
}

// To its next stop at the border of the kernel.
bool interrupt(pid_t tid) {
  ::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
  const auto status = go_on(tid, PTRACE_CONT);
  return status && event_of(*status) == PTRACE_EVENT_STOP;
}

// A thread in a restartable sequence (rseq) is sent to its beginning by the kernel if it is where
// it was when it runs again; it must not come back to the middle of one.
bool is_in_restartable_sequence(pid_t tid, Address rip) {
  struct Where {  // struct ptrace_rseq_configuration, which older headers do not have
    std::uint64_t area = 0;
    std::uint32_t bytes = 0, signature = 0, flags = 0, unused = 0;
  } where;
  struct Sequence {
    std::uint32_t version = 0, flags = 0;
    Address begin = 0;
    std::uint64_t bytes = 0;
    Address otherwise = 0;
  };
  constexpr auto kAsk = static_cast<decltype(PTRACE_CONT)>(0x420f);
  constexpr Address kSequence = 8;
  if (::ptrace(kAsk, tid, sizeof where, &where) <= 0 || where.area == 0) return false;
  const ProcessMemory memory(tid);
  const auto at = memory.pointer(where.area + kSequence);
  if (at == 0) return false;
  const auto sequence = memory.get<Sequence>(at);
  return !sequence || rip - sequence->begin < sequence->bytes;
}

// Through its one call, to the stop behind it. The new thread's number, or 0.
pid_t make_thread(pid_t tid, const Stub& stub) {
  pid_t made = 0;
  while (const auto status = go_on(tid, PTRACE_SYSCALL)) {
    if (event_of(*status) == PTRACE_EVENT_CLONE) {
      unsigned long message = 0;
      ::ptrace(PTRACE_GETEVENTMSG, tid, nullptr, &message);
      made = static_cast<pid_t>(message);
    }
    if (WSTOPSIG(*status) != kCallStop) continue;
    user_regs_struct now{};
    if (!get_registers(tid, now)) return 0;
    const bool is_before = now.rax == static_cast<unsigned long long>(-ENOSYS);
    if (now.rip == stub.at(stub::offsets().after_clone) && !is_before) return made;
  }
  return 0;
}

struct Status {
  char state = 0;
  pid_t parent = 0;
  pid_t own_number = 0;  // in the innermost namespace
};

std::optional<Status> status_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/status", pid));
  Status status;
  for (std::string word; in >> word;) {
    if (word == "State:") in >> status.state;
    if (word == "PPid:") in >> status.parent;
    if (word != "NSpid:") continue;
    std::getline(in, word);
    const auto last = word.find_last_of(" \t");
    status.own_number = std::atoi(word.c_str() + (last == std::string::npos ? 0 : last));
    return status;
  }
  return {};
}

}  // namespace

bool Copy::settle() const {
  int status = 0;
  if (!wait_for_stop(pid, status)) return false;
  // By itself it would end when we do, too, and in its own time.
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, static_cast<long>(PTRACE_O_EXITKILL));
  return true;
}

void Copy::end() const {
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
  }
}

std::optional<Helper> Helper::make(const Stopped& first_thread, const Stub& stub) {
  constexpr unsigned long long kCode64 = 0x33;  // the segment of a 64-bit program
  const pid_t tid = first_thread.first_thread();
  user_regs_struct own{};
  std::uint64_t blocked = 0;
  if (!get_registers(tid, own) || own.cs != kCode64 || stub.holds(own.rip) ||
      is_in_restartable_sequence(tid, own.rip) ||
      ::ptrace(PTRACE_GETSIGMASK, tid, sizeof blocked, &blocked) != 0) {
    return {};
  }
  const auto [rip, rax] = where_it_goes_on(own);
  if (!stub.keep({rax, own.rcx, own.rdx, own.rsi, own.rdi, own.r10, own.r11, rip, blocked})) {
    return {};
  }
  ::ptrace(PTRACE_SETOPTIONS, tid, nullptr, kOptions);
  // In a call that has signals of its own (sigsuspend) these count as long as it lasts; it will
  // have them again when it begins again, and until then they wait.
  set_blocked(tid, blocked);
  auto entering = own;
  entering.rip = stub.at(stub::offsets().enter);
  entering.orig_rax = kNotInACall;  // or the kernel would begin it again there
  // From here on it finds back by itself.
  if (!set_registers(tid, entering)) return {};
  set_blocked(tid, kNoSignals);
  const auto made = make_thread(tid, stub);
  // We live: then it goes back at once, and to the stop that it came from. A signal that has come
  // meanwhile interrupts the call in which it was, as it would have.
  if (!interrupt(tid)) return {};
  set_blocked(tid, blocked);
  set_registers(tid, own);
  ::ptrace(PTRACE_SETOPTIONS, tid, nullptr, 0L);
  stub.keep({});
  if (made == 0) return {};
  return Helper(made, stub);
}

bool Helper::go_to(std::size_t offset, const user_regs_struct& with) const {
  auto there = with;
  there.rip = stub_->at(offset);
  there.orig_rax = kNotInACall;
  return set_registers(tid_, there);
}

bool Helper::settle() {
  int status = 0;
  if (!wait_for_stop(tid_, status) || !get_registers(tid_, registers_)) return false;
  ::ptrace(PTRACE_SETOPTIONS, tid_, nullptr, kOptions);
  registers_.rbx = registers_.r12 = registers_.r13 = registers_.r14 = registers_.r15 = 0;
  stands_ = true;
  return go_to(stub::offsets().finish, registers_);
}

bool Helper::prepare(std::span<const Stretch> spared) {
  if (spared.empty()) return true;
  std::vector<iovec> list;
  for (const auto& [begin, end] : spared) {
    list.push_back({reinterpret_cast<void*>(begin), end - begin});
  }
  const auto bytes = list.size() * sizeof(iovec);
  registers_.r15 = bytes;
  // Into the call, and to its end.
  if (!go_to(stub::offsets().map, registers_) || !go_on(tid_, PTRACE_SYSCALL) ||
      !go_on(tid_, PTRACE_SYSCALL)) {
    return false;
  }
  user_regs_struct now{};
  if (!get_registers(tid_, now) || static_cast<std::int64_t>(now.rax) <= 0) return false;
  registers_.r14 = registers_.r12 = now.rax;
  const iovec ours{list.data(), bytes};
  const iovec theirs{reinterpret_cast<void*>(now.rax), bytes};
  const bool written =
      ::process_vm_writev(tid_, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes);
  registers_.r13 = written ? now.rax + bytes : now.rax;
  return go_to(stub::offsets().finish, registers_);
}

std::optional<Copy> Helper::make_copy() {
  if (!stands_ || !go_to(stub::offsets().advise, registers_)) return {};
  stands_ = false;
  std::optional<int> status;
  do {
    status = go_on(tid_, PTRACE_CONT);
  } while (status && event_of(*status) == PTRACE_EVENT_STOP);
  if (!status || event_of(*status) != PTRACE_EVENT_CLONE) return {};  // none could be made
  unsigned long message = 0;
  ::ptrace(PTRACE_GETEVENTMSG, tid_, nullptr, &message);
  const auto made = static_cast<pid_t>(message);
  ::ptrace(PTRACE_CONT, tid_, nullptr, 0L);
  // All has been put back when the list is gone.
  constexpr long kNapUs = 20;
  const ProcessMemory memory(tid_);
  while (registers_.r15 != 0 && memory.get<std::uint64_t>(registers_.r14)) nap_us(kNapUs);
  has_copied_ = true;
  return Copy{made};
}

bool Helper::stop() {
  if (stands_) return true;
  int status = 0;
  ::ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr);
  stands_ = wait_for_stop(tid_, status);
  return stands_;
}

void Helper::let_go() {
  if (stop()) ::ptrace(PTRACE_DETACH, tid_, nullptr, 0L);
}

void Helper::let_go_waiting_for(const Copy& another) {
  const auto status = status_of(another.pid);
  if (!status) return end();  // somebody else has forgotten it meanwhile
  if (!stop()) return;
  registers_.rbx = static_cast<unsigned long long>(status->own_number);
  go_to(stub::offsets().finish, registers_);
  let_go();
}

void Helper::end() {
  if (!stop()) return;
  go_to(has_copied_ ? stub::offsets().leave : stub::offsets().finish, registers_);
  let_go();
}

void forget(pid_t target, const Copy& copy, WaitsForIt who) {
  constexpr long kNapUs = 1000;
  const double for_its_helper_ms = who == WaitsForIt::Helper ? 100 : 0;
  constexpr double kMostMs = 2000;
  const auto is_there = [&] {
    const auto status = status_of(copy.pid);
    return status && status->parent == target;
  };
  const double begin = now_ms();
  bool asked = false;
  for (; is_there() && now_ms() < begin + kMostMs; nap_us(kNapUs)) {
    if (asked || now_ms() < begin + for_its_helper_ms) continue;
    asked = true;
    const auto stub = Stub::put_into(target);
    TimedWaits(target).let_pass();
    auto first_thread = Stopped::stop_first_thread(target);
    if (!stub || !first_thread) return;
    auto helper = Helper::make(*first_thread, *stub);
    if (helper && helper->settle()) helper->let_go_waiting_for(copy);
  }
}

}  // namespace tidegauge::census
