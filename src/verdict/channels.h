// SPDX-License-Identifier: Apache-2.0
// Ways to read the floor, that is the memory that stays, off a series with spikes and noise. None
// is best for all: minima see below spikes but are coarse under plain noise, means the other way
// round. They are compared by their error, and the low ones are preferred (floor.h).
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "verdict/block_series.h"
#include "verdict/segments.h"

namespace tidegauge::verdict {

enum class Channel { Minimum, LowerQuartile, Median, Mean, Trough };

inline constexpr std::array kChannels = {Channel::Minimum, Channel::LowerQuartile, Channel::Median,
                                         Channel::Mean, Channel::Trough};

const char* name_of(Channel channel);

// The points that a series is judged on, over the clock that it is judged by.
struct Track {
  std::span<const Point> points{};
  std::span<const double> clock{};  // x of each point: seconds, or steps
  std::span<const std::size_t> troughs{};
  std::size_t size() const { return points.size(); }
};

// [first, last], both included, cut into `parts` equal stretches of the clock; an empty stretch
// gives no point. Trough takes the troughs as they are, grouped if there are more than `parts`.
Curve read_channel(const Track& track, std::size_t first, std::size_t last, Channel channel,
                   std::size_t parts);

// A single point that stands far above both neighbours is a spike that filled a whole part: it is
// put back between them. So is a last point that has just jumped up.
void remove_lone_spikes(Curve& curve);

}  // namespace tidegauge::verdict
