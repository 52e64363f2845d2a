// SPDX-License-Identifier: Apache-2.0
#include "census/fork_advice.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

namespace tidegauge::census {

namespace {

constexpr std::size_t kMostAtOnce = 1024;  // UIO_MAXIOV
constexpr long kOneself = -10000;          // PIDFD_SELF, which Debian 12's headers do not know

std::uint64_t as_argument(long number) {
  return static_cast<std::uint64_t>(number);
}

bool write_vector(pid_t pid, Address to, const std::vector<iovec>& vector) {
  const iovec ours{const_cast<iovec*>(vector.data()), vector.size() * sizeof(iovec)};
  const iovec theirs{reinterpret_cast<void*>(to), ours.iov_len};
  const auto written = ::process_vm_writev(pid, &ours, 1, &theirs, 1, 0);
  return written >= 0 && static_cast<std::size_t>(written) == ours.iov_len;
}

}  // namespace

bool takes_many_at_once() {
  constexpr std::size_t kPage = 4096;
  void* const page =
      ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  const iovec one{page, kPage};
  const auto done = ::syscall(SYS_process_madvise, kOneself, &one, 1, MADV_DOFORK, 0);
  ::munmap(page, kPage);
  return done == static_cast<long>(kPage);
}

Scratch ForkAdvice::make_scratch(std::size_t stretches) {
  constexpr std::size_t kFewest = 4;  // it takes four calls itself
  if (stretches < kFewest) return {};
  const auto bytes = std::min(stretches, kMostAtOnce) * sizeof(iovec);
  const auto begin =
      caller_.call({SYS_mmap, {0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS}});
  if (!begin || *begin <= 0) return {};
  return {static_cast<Address>(*begin), bytes};
}

void ForkAdvice::remove_scratch(const Scratch& scratch) {
  if (scratch.begin == 0) return;
  caller_.call({SYS_munmap, {scratch.begin, scratch.bytes}});
}

bool ForkAdvice::say_one_by_one(std::span<const Stretch> stretches, int advice) {
  std::vector<Caller::Call> calls;
  for (const auto& [begin, end] : stretches) {
    calls.push_back({SYS_madvise, {begin, end - begin, as_argument(advice)}});
  }
  return caller_.call_all(calls);
}

std::size_t ForkAdvice::say_at_once(std::span<const Stretch> stretches, int advice,
                                    Address vector) {
  std::vector<iovec> all;
  for (const auto& [begin, end] : stretches) {
    all.push_back({reinterpret_cast<void*>(begin), end - begin});
  }
  if (!write_vector(caller_.tid(), vector, all)) return 0;
  const Caller::Call call{SYS_process_madvise,
                          {as_argument(kOneself), vector, stretches.size(), as_argument(advice)}};
  auto done = caller_.call(call).value_or(0);
  std::size_t count = 0;
  for (; count < stretches.size(); ++count) {
    done -= static_cast<long>(all[count].iov_len);
    if (done < 0) break;
  }
  return count;
}

void ForkAdvice::say(std::span<const Stretch> stretches, Children children,
                     const Scratch& scratch) {
  const int advice = children == Children::Get ? MADV_DOFORK : MADV_DONTFORK;
  const auto most = scratch.bytes / sizeof(iovec);
  if (most == 0) {
    say_one_by_one(stretches, advice);
    return;
  }
  while (!stretches.empty()) {
    const auto some = stretches.first(std::min(most, stretches.size()));
    const auto done = say_at_once(some, advice, scratch.begin);
    stretches = stretches.subspan(done);
    if (done == some.size()) continue;
    // The kernel ends before the first in which something has been unmapped meanwhile.
    if (!say_one_by_one(stretches.first(1), advice)) return;
    stretches = stretches.subspan(1);
  }
}

}  // namespace tidegauge::census
