// SPDX-License-Identifier: Apache-2.0
// A thread of the target's own that works for us: it has the target's memory, no stack and no
// signals, and does nothing but what the stub says. If we are killed it ends by itself, when it has
// undone what it had begun; nobody has to forget it, as one would a child.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>

#include "census/stopped.h"
#include "census/stub.h"

namespace tidegauge::census {

// A child of the target's with a copy of its memory, which never runs: it is ours to read and to
// kill.
struct Copy {
  pid_t pid = 0;

  // Waits until it has got as far as to stand still, for which it needs a core; its parent may
  // run on meanwhile. False: it has ended.
  bool settle() const;
  void end() const;  // and waits until it has
};

class Helper {
 public:
  // Nothing where none can be made, or not at this moment.
  static std::optional<Helper> make(const Stopped& first_thread, const Stub& stub);

  pid_t tid() const { return tid_; }

  // Needs a core for a moment. False: it has ended.
  bool settle();
  // Which parts a copy is to go without; the list of them lies in the target until there is one.
  bool prepare(std::span<const Stretch> spared);
  // The target may run on when this is done.
  std::optional<Copy> make_copy();

  // It is no longer ours. If it has made a copy it waits until that ends, and lets the target
  // forget it; otherwise it ends.
  void let_go();
  void let_go_waiting_for(const Copy& another);
  void end();

 private:
  Helper(pid_t tid, const Stub& stub) : tid_(tid), stub_(&stub) {}
  bool stop();
  bool go_to(std::size_t offset, const user_regs_struct& with) const;

  pid_t tid_;
  const Stub* stub_;  // of whoever holds the helper
  user_regs_struct registers_{};
  bool stands_ = false;
  bool has_copied_ = false;
};

// Lets the target forget a copy that has ended or is about to, if the helper that has made it does
// not: nobody else can. Whoever calls this holds nothing of the target.
enum class WaitsForIt { Helper, Nobody };
void forget(pid_t target, const Copy& copy, WaitsForIt who);

}  // namespace tidegauge::census
