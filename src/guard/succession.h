// SPDX-License-Identifier: Apache-2.0
// Who of the guard's processes acts, and what the others do when it dies or is stopped. They stand
// in a line: the first that lives acts, the others stand by in the order in which they were
// started, and the gauge starts new ones at its end. One that was stopped is killed before another
// takes its place, so that there never are two that act. Pure functions of what was seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tidegauge::guard {

// No freeze is meant to last longer.
constexpr std::int64_t kLongestFreezeNs = 10'000'000'000;
// How often a process looks at those that it stands by for.
constexpr std::int64_t kStandbyLooksNs = 200'000'000;
// So long a process may do nothing before it is taken for stopped: longer while it waits for the
// kernel to set a limit, for which that writes pages out first.
constexpr std::int64_t kSilentNs = 2'000'000'000;
constexpr std::int64_t kSilentInCallNs = 10'000'000'000;

enum class Kind : std::uint8_t {
  Actor,   // there from the beginning
  Twin,    // stands by
  Keeper,  // the same, out of reach of what is sent to our session, group or command line
};
constexpr std::size_t kLine = 3;  // processes at a time

enum class State : std::uint8_t { Lives, Silent, Gone };

// Whether a process still does anything, by a number that it counts up when it does.
class Pulse {
 public:
  // `now_ns` by the clock of the one who looks, who may have been stopped itself meanwhile: time
  // alone proves nothing, several of its looks do.
  bool is_silent(std::uint64_t beat, std::int64_t now_ns, bool in_call);

 private:
  std::uint64_t beat_ = 0;
  std::int64_t since_ns_ = -1;  // when it was seen to change; -1: never looked
  std::int64_t counted_ns_ = 0;
  int looks_ = 0;
};

struct StandbyLook {
  std::span<const State> ahead{};  // those before it in the line
  std::int64_t frozen_for_ns = 0;  // 0: the job is not
  bool cleared = false;            // the job is over and its groups are gone
};
struct StandbyDuty {
  bool leave = false;
  bool thaw = false;
  bool kill_silent = false;  // all of them ahead
  bool take_over = false;
};
StandbyDuty duty_of(const StandbyLook& look);

struct GaugeLook {
  struct Member {
    State state = State::Lives;
    Kind kind = Kind::Actor;
  };
  std::span<const Member> line{};  // in order
  std::int64_t frozen_for_ns = 0;
};
struct GaugeDuty {
  bool thaw = false;
  std::array<bool, kLine> kill{};   // by their places in the line
  std::array<Kind, kLine> start{};  // in this order, at the end of the line
  std::size_t starts = 0;
};
GaugeDuty duty_of(const GaugeLook& look);

// Whether so many of ours have died lately that starting more would be no help to anybody.
class Patience {
 public:
  void died(std::int64_t now_ns);
  bool is_over(std::int64_t now_ns) const;

 private:
  static constexpr std::size_t kMost = 30;
  static constexpr std::int64_t kWithinNs = 60'000'000'000;
  std::array<std::int64_t, kMost> deaths_ns_{};
  std::size_t count_ = 0;
};

}  // namespace tidegauge::guard
