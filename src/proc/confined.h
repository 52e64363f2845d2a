// SPDX-License-Identifier: Apache-2.0
// Work on input that somebody else wrote, done in a child process: with that person's rights
// instead of ours, and with limits on memory and time. What goes wrong there stays there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "proc/probe.h"

namespace tidegauge::proc {

struct Confines {
  std::uint64_t memory_bytes = 256u << 20;  // above what this process has mapped
  double seconds = 5;
  std::size_t answer_bytes = 64u << 10;
};

// Takes on the ids of another user for good, without capabilities or a way to get any
// (no_new_privs). Only root can; Denied where it is not allowed to.
Result<> become(const UserIds& user);

// Calls `work` in a child process and returns its answer. The child has the ids `as` (where we may
// change ours; else our own), no capabilities, no descriptor but the one for its answer, and cannot
// get rights by starting a setuid program. Failed: it crashed, ran out of its limits, or was
// killed.
Result<std::string> answer_confined(const UserIds& as, const Confines& confines,
                                    const std::function<std::string()>& work);

}  // namespace tidegauge::proc
