// SPDX-License-Identifier: Apache-2.0
// Which parts of a process its children do not get, said in the process's own name.
#pragma once

#include <span>

#include "census/stopped.h"

namespace tidegauge::census {

// Where madvise() finds what it is to do many times, in a mapping of the target that is there for
// that alone; 0: there is none.
struct Scratch {
  Address begin = 0;
  std::uint64_t bytes = 0;
};

// Whether this kernel takes many stretches in one call (Linux 6.14 does). Each is then a few
// microseconds; otherwise some fifty, because the target is stepped through a call for each.
bool takes_many_at_once();

class ForkAdvice {
 public:
  explicit ForkAdvice(Caller& caller) : caller_(caller) {}

  // Room in the target for telling it of so many; none where there are few. Only where many at
  // once are taken.
  Scratch make_scratch(std::size_t stretches);
  void remove_scratch(const Scratch& scratch);

  enum class Children { DoNotGet, Get };
  void say(std::span<const Stretch> stretches, Children children, const Scratch& scratch);

 private:
  // How many of the first ones are done.
  std::size_t say_at_once(std::span<const Stretch> stretches, int advice, Address vector);
  bool say_one_by_one(std::span<const Stretch> stretches, int advice);

  Caller& caller_;
};

}  // namespace tidegauge::census
