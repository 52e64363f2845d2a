// SPDX-License-Identifier: Apache-2.0
#include "guard/succession.h"

#include <algorithm>

namespace tidegauge::guard {

namespace {

constexpr int kLooks = 4;
// Looks that come closer together are one.
constexpr std::int64_t kApartNs = kStandbyLooksNs * 3 / 4;

}  // namespace

bool Pulse::is_silent(std::uint64_t beat, std::int64_t now_ns, bool in_call) {
  if (since_ns_ < 0 || beat != beat_) {
    beat_ = beat;
    since_ns_ = now_ns;
    counted_ns_ = now_ns;
    looks_ = 0;
    return false;
  }
  if (now_ns >= counted_ns_ + kApartNs) {
    counted_ns_ = now_ns;
    ++looks_;
  }
  return looks_ >= kLooks && now_ns >= since_ns_ + (in_call ? kSilentInCallNs : kSilentNs);
}

StandbyDuty duty_of(const StandbyLook& look) {
  const auto is = [&look](State state) {
    return std::any_of(look.ahead.begin(), look.ahead.end(),
                       [state](State one) { return one == state; });
  };
  if (look.cleared) return {.leave = true};
  if (is(State::Lives)) return {.thaw = look.frozen_for_ns > kLongestFreezeNs};
  // One that cannot be killed at once, because it waits for a disk, must not keep the job frozen.
  if (is(State::Silent)) return {.thaw = true, .kill_silent = true};
  return {.take_over = true};
}

GaugeDuty duty_of(const GaugeLook& look) {
  GaugeDuty duty{.thaw = look.frozen_for_ns > kLongestFreezeNs};
  bool lives = false;
  bool silent = false;
  std::array<bool, kLine> there{};  // by kind, standing by
  for (std::size_t i = 0; i < look.line.size(); ++i) {
    const auto& member = look.line[i];
    // One that acts, or will, sees to those before it; those after it are ours to see to.
    if (member.state == State::Silent && lives) duty.kill[i] = true;
    if (member.state == State::Silent) silent = true;
    if (member.state == State::Lives && lives) there[static_cast<std::size_t>(member.kind)] = true;
    if (member.state == State::Silent) there[static_cast<std::size_t>(member.kind)] = true;
    if (member.state == State::Lives) lives = true;
  }
  if (!lives) {
    duty.thaw = true;
    for (std::size_t i = 0; i < look.line.size(); ++i) {
      duty.kill[i] = look.line[i].state == State::Silent;
    }
    // Those that are killed now are replaced once they are gone.
    if (silent) return duty;
    duty.start[duty.starts++] = Kind::Actor;
  }
  for (const auto kind : {Kind::Twin, Kind::Keeper}) {
    const bool has = there[static_cast<std::size_t>(kind)];
    if (!has && look.line.size() + duty.starts < kLine) duty.start[duty.starts++] = kind;
  }
  return duty;
}

void Patience::died(std::int64_t now_ns) {
  deaths_ns_[count_++ % kMost] = now_ns;
}

bool Patience::is_over(std::int64_t now_ns) const {
  return count_ >= kMost && now_ns < deaths_ns_[count_ % kMost] + kWithinNs;
}

}  // namespace tidegauge::guard
