// SPDX-License-Identifier: Apache-2.0
// The processes of a job that no group of ours holds, each by a descriptor of its own: what is left
// where control groups can only be read. Slower than a freeze, and a child that was born a moment
// ago may be missing.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/fd.h"
#include "base/result.h"
#include "guard/board.h"
#include "guard/world.h"
#include "proc/root.h"
#include "proc/roots.h"

namespace tidegauge::guard {

class Herd : public Flock {
 public:
  Herd();
  // Those that the gauge has written on the board. Each is known by pid and start time, so that a
  // pid that has become another's is nobody's.
  void follow(const Board& board) override;

  std::size_t size() const override { return count_; }
  bool holds(pid_t pid) const override;
  double bytes() const override;
  void stop(Board& board) const override;   // SIGSTOP
  void go_on(Board& board) const override;  // SIGCONT
  void kill() const override;
  bool signal(pid_t pid, int number) const override;

 private:
  struct Member {
    Board::Member id{};
    UniqueFd process{};
    UniqueFd statm{};
  };
  void send_all(int number) const;

  Result<proc::Root> root_;
  std::array<Member, Board::kTree> members_{};
  std::size_t count_ = 0;
  std::uint64_t seq_ = 0;  // of what was taken last
};

}  // namespace tidegauge::guard
