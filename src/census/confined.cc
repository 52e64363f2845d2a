// SPDX-License-Identifier: Apache-2.0
#include "census/confined.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/pagemap_scan.h"
#include "base/terminal.h"
#include "census/aside.h"

namespace tidegauge::census {

namespace {

constexpr uid_t kNobodyElse = 65533;  // whom nobody uses either

// What memory, threads and the clock need, and what reads and writes descriptors that are open.
constexpr std::uint32_t kAllowed[] = {SYS_read,          SYS_pread64,
                                      SYS_write,         SYS_recvmsg,
                                      SYS_sendto,        SYS_close,
                                      SYS_munmap,        SYS_mremap,
                                      SYS_madvise,       SYS_brk,
                                      SYS_futex,         SYS_set_robust_list,
                                      SYS_rseq,          SYS_rt_sigprocmask,
                                      SYS_rt_sigreturn,  SYS_sigaltstack,
                                      SYS_sched_yield,   SYS_sched_getaffinity,
                                      SYS_nanosleep,     SYS_clock_nanosleep,
                                      SYS_clock_gettime, SYS_gettimeofday,
                                      SYS_getrandom,     SYS_getpid,
                                      SYS_gettid,        SYS_exit,
                                      SYS_exit_group};

// A filter in the language of the kernel's packet filters, put together from front to back.
class Filter {
 public:
  Filter() {
    // Another architecture has other numbers, and so has x32.
    load(offsetof(seccomp_data, arch));
    unless_equal(AUDIT_ARCH_X86_64, {answer(SECCOMP_RET_KILL_PROCESS)});
    load(offsetof(seccomp_data, nr));
  }
  void allow(std::uint32_t call) { if_equal(call, {answer(SECCOMP_RET_ALLOW)}); }
  void refuse(std::uint32_t call, int error) { if_equal(call, {answer(refusal(error))}); }
  // Allowed where none of these bits are set in the argument, nor those in the next one.
  void allow_without(std::uint32_t call, unsigned argument, std::uint32_t bits,
                     std::uint32_t bits_of_next = 0) {
    if_equal(call, {low_half_of(argument), jump(BPF_JSET, bits, 3, 0), low_half_of(argument + 1),
                    jump(BPF_JSET, bits_of_next, 1, 0), answer(SECCOMP_RET_ALLOW),
                    answer(refusal(EPERM))});
  }
  void allow_with(std::uint32_t call, unsigned argument, std::uint32_t bits) {
    if_equal(call, {low_half_of(argument), jump(BPF_JSET, bits, 0, 1), answer(SECCOMP_RET_ALLOW),
                    answer(refusal(EPERM))});
  }
  void allow_only(std::uint32_t call, unsigned argument, std::uint32_t value) {
    if_equal(call, {low_half_of(argument), jump(BPF_JEQ, value, 0, 1), answer(SECCOMP_RET_ALLOW),
                    answer(refusal(EPERM))});
  }
  // Refuses all else, from now on and in all threads to come.
  bool install() {
    steps_.push_back(answer(refusal(EPERM)));
    const sock_fprog program{static_cast<unsigned short>(steps_.size()), steps_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  static constexpr std::uint32_t refusal(int error) {
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  }
  static sock_filter answer(std::uint32_t what) { return BPF_STMT(BPF_RET | BPF_K, what); }
  static sock_filter jump(unsigned how, std::uint32_t with, unsigned char so, unsigned char else_) {
    return {static_cast<unsigned short>(BPF_JMP | how | BPF_K), so, else_, with};
  }
  static sock_filter loading(std::size_t offset) {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  static sock_filter low_half_of(unsigned argument) {
    return loading(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
  }
  void load(std::size_t offset) { steps_.push_back(loading(offset)); }
  // `then` ends with an answer, so that what is loaded is still the call's number behind it.
  void if_equal(std::uint32_t value, std::vector<sock_filter> then) {
    steps_.push_back(jump(BPF_JEQ, value, 0, static_cast<unsigned char>(then.size())));
    steps_.insert(steps_.end(), then.begin(), then.end());
  }
  void unless_equal(std::uint32_t value, std::vector<sock_filter> then) {
    steps_.push_back(jump(BPF_JEQ, value, static_cast<unsigned char>(then.size()), 0));
    steps_.insert(steps_.end(), then.begin(), then.end());
  }

  std::vector<sock_filter> steps_{};
};

bool filter_calls() {
  Filter filter;
  for (const auto call : kAllowed) filter.allow(call);
  // What is shared is not counted as ours.
  filter.allow_without(SYS_mmap, 2, PROT_EXEC, MAP_SHARED);
  filter.allow_without(SYS_mprotect, 2, PROT_EXEC);
  filter.allow_with(SYS_clone, 0, CLONE_THREAD);
  filter.refuse(SYS_clone3, ENOSYS);  // its flags lie in memory; the C library then uses clone
  filter.allow_only(SYS_ioctl, 1, static_cast<std::uint32_t>(kPagemapScan));
  return filter.install();
}

void close_from_to(int first, int last) {
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), static_cast<unsigned>(last), 0) == 0)
    return;
  constexpr int kMost = 1 << 16;  // before Linux 5.9: one by one, as far as there may be some
  for (int fd = first; fd <= std::min(last, kMost); ++fd) ::close(fd);
}

// What a program that is started could get. It needs a capability itself.
void empty_the_bounding_set() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    ::prctl(PR_CAPBSET_DROP, capability);
  }
}

bool has_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> held{};
  if (::syscall(SYS_capget, &header, held.data()) != 0) return true;  // not known
  return std::any_of(held.begin(), held.end(), [](const auto& one) {
    return (one.effective | one.permitted | one.inheritable) != 0;
  });
}

void drop_capabilities() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  ::syscall(SYS_capset, &header, none.data());
}

}  // namespace

void close_all_but(std::span<const int> keep) {
  std::vector<int> kept(keep.begin(), keep.end());
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) kept.push_back(standard);
  std::sort(kept.begin(), kept.end());
  int from = 0;
  for (const int fd : kept) {
    if (fd > from) close_from_to(from, fd - 1);
    from = std::max(from, fd + 1);
  }
  close_from_to(from, std::numeric_limits<int>::max());
}

bool leave_rights(uid_t user, gid_t group) {
  empty_the_bounding_set();
  // Where root may not change its number, or where there is no such user (a container), it stays.
  if (::geteuid() == 0 || ::getuid() == 0) {
    ::setgroups(0, nullptr);
    if (::setresgid(group, group, group) == 0) (void)::setresuid(user, user, user);
  }
  drop_capabilities();
  // A program that root starts would get what the bounding set still has.
  const bool is_root = ::geteuid() == 0 || ::getuid() == 0;
  return !has_capabilities() && !(is_root && ::prctl(PR_CAPBSET_READ, 0) == 1) &&
         ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

Result<> confine_ourselves(const Confinement& how) {
  const pid_t parent = ::getppid();
  const bool had_rights = ::geteuid() == 0 || has_capabilities();
  take_no_more_than(how.most_bytes);
  let_go_of_terminal();
  close_all_but(how.keep);
  const auto id = how.not_as == kNobody ? kNobodyElse : kNobody;
  if (!leave_rights(id, id)) return Error{Reason::Failed, "capabilities could not be given up"};
  // A change of user undoes these two.
  if (::prctl(PR_SET_DUMPABLE, 0) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return from_errno(errno, "prctl");
  }
  if (::getppid() != parent) return Error{Reason::Gone, "who asked for it has ended"};
  lower_limit(RLIMIT_CPU, how.most_cpu_seconds);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_FSIZE, 0);
  lower_limit(RLIMIT_MEMLOCK, 0);
  constexpr std::uint64_t kFewFiles = 64;  // more than are kept
  lower_limit(RLIMIT_NOFILE, std::max<std::uint64_t>(kFewFiles, 4 * how.keep.size()));
  // Without rights of its own it is still better than nothing on a kernel that has no filters.
  if (!filter_calls() && had_rights) return from_errno(errno, "a filter of system calls");
  return Ok{};
}

}  // namespace tidegauge::census
