// SPDX-License-Identifier: Apache-2.0
#include "guard/actor.h"

#include <algorithm>
#include <span>

#include "guard/acting.h"

namespace tidegauge::guard {

namespace {

constexpr double kLargestCall = 256.0 * 1024 * 1024;

class Standby {
 public:
  Standby(const Hands& hands, const Post& post) : hands_(hands), post_(post), job_(hands.job) {}

  // Until it is its turn; the job's pidfd, or -1. Leaves if that never comes.
  int await_turn();

 private:
  void wait();
  StandbyDuty look();

  const Hands& hands_;
  const Post& post_;
  int job_;
  std::array<State, kLine> states_{};
  std::array<Pulse, kLine> pulses_{};
};

void Standby::wait() {
  std::array<pollfd, kLine> fds{};
  for (std::size_t i = 0; i < post_.ahead_count; ++i) {
    fds[i] = {states_[i] == State::Gone ? -1 : post_.ahead[i].pidfd, POLLIN, 0};
  }
  (void)hands_.machine.wait(std::span(fds).first(post_.ahead_count), kStandbyLooksNs);
}

StandbyDuty Standby::look() {
  auto& board = hands_.board;
  const auto now = hands_.machine.now_ns();
  const auto since = board.frozen_since_ns.load();
  for (std::size_t i = 0; i < post_.ahead_count; ++i) {
    const auto& peer = post_.ahead[i];
    const bool silent = pulses_[i].is_silent(board.beats[peer.slot], now, board.in_call);
    states_[i] = silent ? State::Silent : State::Lives;
    if (hands_.machine.has_ended(peer.pidfd)) states_[i] = State::Gone;
  }
  return duty_of(StandbyLook{.ahead = std::span(states_).first(post_.ahead_count),
                             .frozen_for_ns = since == 0 ? 0 : now - since,
                             .cleared = board.cleared});
}

int Standby::await_turn() {
  auto& board = hands_.board;
  while (true) {
    ++board.beats[post_.slot];
    // Its pid may be another's by the time that it is needed.
    if (job_ < 0 && board.job > 0) job_ = hands_.machine.open_process(board.job);
    if (!hands_.cell.can_freeze()) hands_.herd->follow(board);
    const auto duty = look();
    if (duty.leave) hands_.machine.leave();
    if (duty.kill_silent) {
      for (std::size_t i = 0; i < post_.ahead_count; ++i) {
        if (states_[i] == State::Silent) hands_.machine.kill(post_.ahead[i].pidfd);
      }
    }
    if (duty.thaw) let_go_on(hands_);
    if (duty.take_over) return job_;
    wait();
  }
}

}  // namespace

double kernel_limit_of(double limit, double lendable) {
  return limit + std::min(lendable, kLargestCall);
}

void let_go_on(const Hands& hands) {
  hands.cell.thaw();
  // Who was stopped by somebody else stays so.
  if (hands.cell.can_freeze() || hands.board.frozen_since_ns == 0) return;
  hands.herd->follow(hands.board);
  hands.herd->go_on(hands.board);
}

void kill_for_the_dead(const Hands& hands) {
  Actor(hands, 0, hands.job).kill_for_the_dead();
}

void end_for_the_dead(const Hands& hands) {
  Actor(hands, 0, hands.job).end_for_the_dead();
}

void run_post(const Hands& hands, const Post& post) {
  int job = hands.job;
  if (post.ahead_count > 0) job = Standby(hands, post).await_turn();
  hands.machine.come_first();
  Actor actor(hands, post.slot, job);
  const auto teller = post.ahead_count > 0 ? Actor::Teller::Us : Actor::Teller::Gauge;
  if (++hands.board.actors > 1) actor.take_over(teller);
  actor.run();
}

}  // namespace tidegauge::guard
