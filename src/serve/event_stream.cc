// SPDX-License-Identifier: Apache-2.0
#include "serve/event_stream.h"

#include <fmt/format.h>

#include "base/text.h"

namespace tidegauge::serve {

std::optional<EventId> parse_event_id(std::string_view text) {
  const auto dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return {};
  const auto number = to_number<std::uint64_t>(text.substr(dash + 1));
  if (!number) return {};
  return EventId{std::string(text.substr(0, dash)), *number};
}

std::string event_of(const EventId& id, std::string_view text) {
  return fmt::format("id: {}-{}\ndata: {}\n\n", id.boot, id.number, text);
}

}  // namespace tidegauge::serve
