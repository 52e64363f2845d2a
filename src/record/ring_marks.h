// SPDX-License-Identifier: Apache-2.0
// From what jobs wrote into the ring to events of a recording. Pure: opens nothing, believes
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"
#include "record/ring.h"

namespace tidegauge::record {

// The process that has this pid now; pid 0 (the tree as a whole) for one that is not known.
using WhoIs = std::function<ProcessId(pid_t)>;

// The text of a mark, from its slots in order. Ends at the first zero.
std::string text_of(const std::vector<tidegauge_slot>& slots);

// The event that the slots of one mark tell of, with at_ns still by the writer's clock. Nothing if
// they make no sense: an unknown kind or source, no pid, a number below zero, no text where one
// belongs.
std::optional<Event> event_of(const std::vector<tidegauge_slot>& slots, const WhoIs& who_is);

// What is kept of the marks of one look at the ring, so that a loop with thousands of steps a
// second does not fill the recording.
struct Thinned {
  std::vector<Event> events{};
  std::uint64_t dropped = 0;  // of those that are never thinned, beyond kMostOthers
};
inline constexpr std::size_t kMostOthers = 256;  // phases, notes and epochs a look

// Of steps the first and the last of each process and source, of Distinct the last; everything else
// up to kMostOthers. Order stays.
Thinned thin(std::vector<Event> marks);

}  // namespace tidegauge::record
