// SPDX-License-Identifier: Apache-2.0
// A thread that comes first for a moment, because others stand still until it is done.
#pragma once

#include <sys/types.h>

#include <atomic>

namespace tidegauge::census {

// Whose priority has been raised and not been put back yet: in memory that whoever waits for the
// one that has raised it sees, too.
struct Hastened {
  std::atomic<pid_t> tid{0};  // 0: nobody's
  std::atomic<int> nice{0};   // what it was

  void put_back();
};

// Raises a stopped thread while this lives, where that is allowed: one that runs might make
// children, who would inherit it. One with a real-time priority, and one that wants to run only
// where nobody else does, stays as it is.
class Haste {
 public:
  Haste(pid_t stopped, Hastened& hastened);
  Haste(const Haste&) = delete;
  Haste& operator=(const Haste&) = delete;
  ~Haste() { hastened_.put_back(); }

 private:
  Hastened& hastened_;
};

// Gives a child that has been made in haste the priority of its parent.
void end_haste_of(pid_t child, pid_t parent);

// One that never runs on its own.
void hasten(pid_t helper);

// Ourselves, for good.
void hasten_ourselves();

}  // namespace tidegauge::census
