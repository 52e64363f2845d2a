// SPDX-License-Identifier: Apache-2.0
// A few instructions that lie in the target, where nothing else is: at the end of a page of code.
// Once a thread has been sent there it needs nobody any more. It makes a helper, puts its registers
// back and goes on where it was, whether we live or not; and what the helper has begun it ends.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "base/fd.h"
#include "census/memory.h"
#include "census/regions.h"

namespace tidegauge::census {

// Where a stopped thread goes on. A system call that the stop has interrupted begins again, as it
// would by the kernel's hand.
struct GoingOn {
  std::uint64_t rip = 0, rax = 0;
  bool operator==(const GoingOn&) const = default;
};
GoingOn where_it_goes_on(const user_regs_struct& registers);

// The instructions and what belongs to them, which runs wherever it lies.
namespace stub {

std::span<const std::byte> code();  // with zeros where the registers are to be

// Where in it things are.
struct Offsets {
  std::size_t enter = 0;        // for a thread of the target's own, whose registers are kept there
  std::size_t after_clone = 0;  // behind its only call that matters
  // For the helper. In rbx it has the number of a child to wait for or 0, in r12 and r13 where a
  // list of stretches begins and ends, in r14 and r15 where it lies and of how many bytes (0: no
  // list). It maps those, and leaves unless it is sent elsewhere;
  std::size_t map = 0;
  // keeps the stretches from its children, makes one (the copy), gives the stretches back, and goes
  // on with the next;
  std::size_t advise = 0;
  // unmaps the list, waits for the child;
  std::size_t finish = 0;
  // ends.
  std::size_t leave = 0;
  std::size_t registers = 0;  // what is kept of the thread's own: struct Kept
};
const Offsets& offsets();

// The registers that are used in there; a system call leaves all others as they are.
struct Kept {
  std::uint64_t rax = 0, rcx = 0, rdx = 0, rsi = 0, rdi = 0, r10 = 0, r11 = 0, rip = 0;
  std::uint64_t blocked = 0;  // signals
};

// Where there is room in the last page of a piece of code: zeros up to its end, and more of them
// than we need. Or where it is already, from another time.
std::optional<std::size_t> room_in(std::span<const std::byte> page);

}  // namespace stub

// The same in a process.
class Stub {
 public:
  // Nothing where there is no room, or where it may not be written to.
  static std::optional<Stub> put_into(pid_t pid);

  Address at(std::size_t offset) const { return begin_ + offset; }
  bool holds(Address place) const { return place - begin_ < stub::code().size(); }
  // False: it could not be written.
  bool keep(const stub::Kept& registers) const;
  bool is_in_use() const;  // somebody has been killed, and the thread may still be on its way

 private:
  Stub(UniqueFd memory, Address begin) : memory_(std::move(memory)), begin_(begin) {}

  UniqueFd memory_;  // of the process
  Address begin_;
};

}  // namespace tidegauge::census
