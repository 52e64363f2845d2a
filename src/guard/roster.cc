// SPDX-License-Identifier: Apache-2.0
#include "guard/roster.h"

#include <algorithm>
#include <array>

namespace tidegauge::guard {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// How long the one that acts may take to say its last word, and each that goes on in its place.
constexpr std::int64_t kFarewellNs = 2'000 * kMillisecond;
constexpr std::int64_t kNextFarewellNs = 500 * kMillisecond;
constexpr std::int64_t kLookNs = 5 * kMillisecond;
constexpr std::int64_t kKillTakesNs = 100 * kMillisecond;

}  // namespace

Roster::~Roster() {
  for (const auto& peer : peers_) hands_.machine.bury(peer);
}

bool Roster::start() {
  for (const auto kind : {Kind::Actor, Kind::Twin, Kind::Keeper}) {
    if (!start(kind)) return false;
  }
  return true;
}

bool Roster::start(Kind kind) {
  Post post{.kind = kind, .slot = slot_++ % Board::kSlots};
  for (const auto& peer : peers_) post.ahead[post.ahead_count++] = peer;
  const auto peer = hands_.machine.start(hands_, post);
  if (peer.pid < 0) return false;
  peers_.push_back(peer);
  kinds_.push_back(kind);
  pulses_.emplace_back();
  return true;
}

void Roster::bury_the_dead() {
  for (std::size_t i = 0; i < peers_.size();) {
    if (!hands_.machine.has_ended(peers_[i].pidfd)) {
      ++i;
      continue;
    }
    hands_.machine.bury(peers_[i]);
    const auto at = static_cast<std::ptrdiff_t>(i);
    peers_.erase(peers_.begin() + at);
    kinds_.erase(kinds_.begin() + at);
    pulses_.erase(pulses_.begin() + at);
    patience_.died(hands_.machine.now_ns());
  }
}

void Roster::await_end(const Peer& peer) const {
  std::array<pollfd, 1> end{{{peer.pidfd, POLLIN, 0}}};
  (void)hands_.machine.wait(end, kKillTakesNs);
}

// Those that are silent are killed, but for those whom others see to.
GaugeDuty Roster::see_to_them() {
  auto& board = hands_.board;
  const auto now = hands_.machine.now_ns();
  const auto since = board.frozen_since_ns.load();
  bury_the_dead();
  std::array<GaugeLook::Member, kLine> line{};
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const auto beat = board.beats[peers_[i].slot].load();
    const bool silent = pulses_[i].is_silent(beat, now, board.in_call);
    line[i] = {silent ? State::Silent : State::Lives, kinds_[i]};
  }
  const auto duty = duty_of(GaugeLook{.line = std::span(line).first(peers_.size()),
                                      .frozen_for_ns = since == 0 ? 0 : now - since});
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (duty.kill[i]) hands_.machine.kill(peers_[i].pidfd);
  }
  if (duty.thaw) let_go_on(hands_);
  return duty;
}

void Roster::look(const std::function<void(NewsKind)>& tell) {
  auto& board = hands_.board;
  // Those that have nothing left to do leave one after the other.
  if (closed_ || board.done || board.over) return;
  auto duty = see_to_them();
  if (std::find(duty.kill.begin(), duty.kill.end(), true) != duty.kill.end()) {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (duty.kill[i]) await_end(peers_[i]);
    }
    duty = see_to_them();
  }
  if (duty.starts == 0) return;
  const bool none_left = peers_.empty();
  bool started = !patience_.is_over(hands_.machine.now_ns());
  for (std::size_t i = 0; i < duty.starts && started; ++i) started = start(duty.start[i]);
  if (!none_left && started) return tell(NewsKind::Replaced);
  if (!peers_.empty() && none_left) tell(NewsKind::Restarted);
  if (peers_.empty()) {
    board.frozen_since_ns = 0;
    if (!unguarded_) kill_for_the_dead(hands_);
    if (!unguarded_) tell(NewsKind::Unguarded);
  }
  unguarded_ = peers_.empty();
}

// Those that a daemon of the job keeps here are not waited for.
bool Roster::is_done(std::int64_t within_ns) const {
  const auto& board = hands_.board;
  const auto until = hands_.machine.now_ns() + within_ns;
  const auto ended = [this](const Peer& peer) { return hands_.machine.has_ended(peer.pidfd); };
  while (!board.cleared && hands_.machine.now_ns() < until) {
    if (board.done && !hands_.cell.is_empty()) break;
    if (std::all_of(peers_.begin(), peers_.end(), ended)) break;
    hands_.machine.pause(kLookNs);
  }
  return board.done;
}

// One that was stopped is killed, and the next in the line does what is left.
void Roster::say_farewell() {
  close();
  auto within_ns = kFarewellNs;
  for (const auto& peer : peers_) {
    if (is_done(within_ns)) break;
    hands_.board.over = true;
    hands_.machine.kill(peer.pidfd);
    await_end(peer);
    within_ns = kNextFarewellNs;
  }
  bury_the_dead();
  if (!hands_.board.done && peers_.empty()) end_for_the_dead(hands_);
  // Nobody of ours is left behind; or they are, as long as anybody is of the job.
  if (!hands_.cell.is_empty()) return;
  for (const auto& peer : peers_) {
    std::array<pollfd, 1> end{{{peer.pidfd, POLLIN, 0}}};
    if (!hands_.machine.wait(end, kFarewellNs)) hands_.machine.kill(peer.pidfd);
  }
}

}  // namespace tidegauge::guard
