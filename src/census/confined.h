// SPDX-License-Identifier: Apache-2.0
// Takes all rights from a process of ours that is about to read what another user wrote: whoever
// finds a fault in it gets a process that can compute, use the descriptors it was given, and end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "base/result.h"

namespace tidegauge::census {

struct Confinement {
  std::span<const int> keep{};   // descriptors; all others are closed
  uid_t not_as = 0;              // a user that must not be able to send us signals
  std::uint64_t most_bytes = 0;  // of memory that may be allocated from here on
  std::uint64_t most_cpu_seconds = 0;
};

// For good, and for the whole process, which must have one thread. Afterwards it has
//  - no user and group of ours where we were root (where they can be changed), and no capabilities,
//  - only the descriptors to keep; the first three lead to /dev/null,
//  - system calls for memory, threads, the clock, and to read, write and map its descriptors. All
//    others fail with EPERM: it can open, start, send, trace, signal and make nothing.
// It dies with the thread that has made it, cannot be traced, and is the first to go where memory
// runs out. Failed: some right was left, and the caller must end.
Result<> confine_ourselves(const Confinement& how);

// Debian's "nobody".
inline constexpr uid_t kNobody = 65534;

// The parts of it that a program can be started after, too. False: rights are left.
bool leave_rights(uid_t user, gid_t group);
void close_all_but(std::span<const int> keep);  // and the first three

}  // namespace tidegauge::census
