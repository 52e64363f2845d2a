// SPDX-License-Identifier: Apache-2.0
// What the guard's processes need of the world: the job's group, its processes, its memory, the
// clock, and each other. Cell, Herd, Meter and Kernel are the real one; model_test.cc has another,
// in which the same code runs through thousands of schedules of kills and stops.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "guard/ours.h"

namespace tidegauge::guard {

struct Board;
struct Hands;
struct Post;

// The control group that the job is in. Nothing is opened or allocated.
class Levers {
 public:
  virtual ~Levers() = default;
  virtual bool can_freeze() const = 0;
  virtual bool can_kill() const = 0;
  virtual bool can_limit() const = 0;
  virtual bool has_brake() const = 0;
  virtual bool is_adopted() const = 0;
  // In how many groups the job begins.
  virtual int join_count() const = 0;

  virtual bool freeze() const = 0;  // begins; is_frozen() says when it has
  virtual bool thaw() const = 0;
  virtual bool is_frozen() const = 0;
  virtual bool set_limit(double bytes) const = 0;
  virtual bool set_brake(double bytes) const = 0;
  virtual bool release_brake() const = 0;
  // The whole tree, frozen or not.
  virtual bool kill() const = 0;
  virtual bool holds(pid_t pid) const = 0;
  // To a process that the group holds, and to no other.
  virtual bool signal(pid_t pid, int number) const = 0;
  virtual bool is_empty() const = 0;
  // What is empty of it. True: nothing is left.
  virtual bool remove()
      const = 0;  // NOLINT(modernize-use-nodiscard): whoever cannot wait need not ask
  // We, to the group that we came from; an adopted job, to where it was.
  virtual void step_back() const = 0;
  virtual void release() const = 0;

 protected:
  Levers() = default;
  Levers(const Levers&) = default;
  Levers& operator=(const Levers&) = default;
};

// The processes of a job that no group of ours holds.
class Flock {
 public:
  virtual ~Flock() = default;
  // Those that the gauge has written on the board.
  virtual void follow(const Board& board) = 0;
  virtual std::size_t size() const = 0;
  virtual bool holds(pid_t pid) const = 0;
  // What they hold now, but for pages of files and shared memory.
  virtual double bytes() const = 0;
  // Writes on the board whom it is about to stop, and stops them.
  virtual void stop(Board& board) const = 0;
  // Those that it knows, and those that the board says were stopped, by whomever of us.
  virtual void go_on(Board& board) const = 0;
  virtual void kill() const = 0;
  virtual bool signal(pid_t pid, int number) const = 0;

 protected:
  Flock() = default;
  Flock(const Flock&) = default;
  Flock& operator=(const Flock&) = default;
};

struct Reading {
  double used = 0;          // by the job's group, without page cache
  double charged = 0;       // with it
  double room = 0;          // until the first limit on the way up binds, or the machine has no more
  double binding_used = 0;  // of what binds first, by everybody in it
  // All these are without what is ours. What is left in fact:
  double real_room = 0;
  bool with_us = false;  // what binds first is a group that we are in
  double machine_total = 0;
  double machine_available = 0;
  bool known = false;
};

class Scale {
 public:
  virtual ~Scale() = default;
  // `own_limit`: what we say that the first group may use, where it is ours; 0: what its file says.
  virtual Reading read(double own_limit, const Ours& ours) const = 0;

 protected:
  Scale() = default;
  Scale(const Scale&) = default;
  Scale& operator=(const Scale&) = default;
};

// A process of the guard, as another one of them knows it.
struct Peer {
  pid_t pid = -1;
  int pidfd = -1;
  std::size_t slot = 0;  // of its heartbeat on the board
};

// The clock and processes.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::int64_t now_ns() const = 0;  // CLOCK_MONOTONIC
  virtual void pause(std::int64_t ns) const = 0;
  // Until one of them is readable, and that long at most. True: one is.
  virtual bool wait(std::span<pollfd> fds, std::int64_t ns) const = 0;
  virtual void hush(int fd) const = 0;  // takes what is to be read
  virtual void ring(int bell) const = 0;
  virtual int open_process(pid_t pid) const = 0;  // a pidfd; -1: there is none
  virtual bool has_ended(int pidfd) const = 0;
  virtual void kill(int pidfd) const = 0;
  // From now on the caller is the one that acts: first in line for a core, its memory locked.
  virtual void come_first() const = 0;
  // Begins a process that does what run_post() does. A pid of -1: errno says why not.
  virtual Peer start(const Hands& hands, const Post& post) const = 0;
  // Takes leave of a process that has ended.
  virtual void bury(const Peer& peer) const = 0;
  [[noreturn]] void leave() const {
    end();
    std::abort();
  }

 protected:
  virtual void end() const = 0;  // never comes back
  Machine() = default;
  Machine(const Machine&) = default;
  Machine& operator=(const Machine&) = default;
};

}  // namespace tidegauge::guard
