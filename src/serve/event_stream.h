// SPDX-License-Identifier: Apache-2.0
// Server-sent events. An event's id begins with a word that is another one after every start: a
// reader that comes back knows that what it was told before no longer counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidegauge::serve {

struct EventId {
  std::string boot{};
  std::uint64_t number = 0;
};

// "BOOT-NUMBER"; nothing if it is none.
std::optional<EventId> parse_event_id(std::string_view text);

// `text` is one line.
std::string event_of(const EventId& id, std::string_view text);

inline constexpr std::string_view kPing = ": ping\n\n";

}  // namespace tidegauge::serve
