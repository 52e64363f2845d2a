// SPDX-License-Identifier: Apache-2.0
// The real clock and real processes.
#pragma once

#include <vector>

#include "guard/world.h"

namespace tidegauge::guard {

class Kernel : public Machine {
 public:
  // What a process that is started keeps open, besides what its hands name. Others of our files, a
  // lock or the end of somebody's pipe, it must not hold.
  void keep_open(const std::vector<int>& fds) { kept_.insert(kept_.end(), fds.begin(), fds.end()); }

  std::int64_t now_ns() const override;
  void pause(std::int64_t ns) const override;
  bool wait(std::span<pollfd> fds, std::int64_t ns) const override;
  void hush(int fd) const override;
  void ring(int bell) const override;
  int open_process(pid_t pid) const override;
  bool has_ended(int pidfd) const override;
  void kill(int pidfd) const override;
  void come_first() const override;
  Peer start(const Hands& hands, const Post& post) const override;
  void bury(const Peer& peer) const override;

 private:
  void end() const override;
  [[noreturn]] void begin(const Hands& hands, const Post& post) const;

  std::vector<int> kept_{};
};

}  // namespace tidegauge::guard
