// SPDX-License-Identifier: Apache-2.0
#include "guard/roster.h"

#include <array>

namespace tidegauge::guard {

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

// True: there was one.
bool Roster::bury_the_dead() {
  bool any = false;
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
    any = true;
  }
  return any;
}

void Roster::look(const std::function<void(NewsKind)>& tell) {
  auto& board = hands_.board;
  // Those that have nothing left to do leave one after the other.
  if (closed_ || board.done || board.over) return;
  const auto now = hands_.machine.now_ns();
  (void)bury_the_dead();
  std::array<GaugeLook::Member, kLine> line{};
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const auto beat = board.beats[peers_[i].slot].load();
    const bool silent = pulses_[i].is_silent(beat, now, board.frozen_since_ns != 0);
    line[i] = {silent ? State::Silent : State::Lives, kinds_[i]};
  }
  const auto duty = duty_of(GaugeLook{.line = std::span(line).first(peers_.size())});
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (duty.kill[i]) hands_.machine.kill(peers_[i].pidfd);
  }
  if (duty.thaw) let_go_on(hands_);
  if (duty.starts == 0) return;
  const bool none_left = peers_.empty();
  bool started = !patience_.is_over(now);
  for (std::size_t i = 0; i < duty.starts && started; ++i) started = start(duty.start[i]);
  if (!none_left && started) return tell(NewsKind::Replaced);
  if (!peers_.empty() && none_left) tell(NewsKind::Restarted);
  if (peers_.empty()) {
    board.frozen_since_ns = 0;
    if (!unguarded_) tell(NewsKind::Unguarded);
  }
  unguarded_ = peers_.empty();
}

}  // namespace tidegauge::guard
