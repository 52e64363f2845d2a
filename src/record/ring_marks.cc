// SPDX-License-Identifier: Apache-2.0
#include "record/ring_marks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

namespace tidegauge::record {

namespace {

constexpr std::uint32_t kHighestPid = 1u << 22;  // PID_MAX_LIMIT of 64-bit kernels

std::optional<EventKind> kind_of(std::uint16_t kind) {
  switch (kind) {
    case TIDEGAUGE_STEP:
      return EventKind::Step;
    case TIDEGAUGE_EPOCH:
      return EventKind::Epoch;
    case TIDEGAUGE_PHASE_BEGIN:
      return EventKind::PhaseBegin;
    case TIDEGAUGE_PHASE_END:
      return EventKind::PhaseEnd;
    case TIDEGAUGE_DISTINCT:
      return EventKind::Distinct;
    case TIDEGAUGE_NOTE:
      return EventKind::Note;
    default:
      return {};
  }
}

std::optional<MarkSource> source_of(std::uint32_t source) {
  switch (source & 0xff) {
    case TIDEGAUGE_EXPLICIT:
      return MarkSource::Explicit;
    case TIDEGAUGE_FRAMEWORK:
      return MarkSource::Framework;
    case TIDEGAUGE_OPTIMIZER:
      return MarkSource::Optimizer;
    case TIDEGAUGE_LOADER:
      return MarkSource::Loader;
    default:
      return {};
  }
}

bool has_text(EventKind kind) {
  return kind == EventKind::PhaseBegin || kind == EventKind::PhaseEnd || kind == EventKind::Note;
}

}  // namespace

std::string text_of(const std::vector<tidegauge_slot>& slots) {
  std::string text;
  for (const auto& slot : slots) {
    const auto* const piece = reinterpret_cast<const char*>(&slot) + offsetof(tidegauge_slot, a);
    const auto length = ::strnlen(piece, TIDEGAUGE_RING_TEXT_BYTES);
    text.append(piece, length);
    if (length < TIDEGAUGE_RING_TEXT_BYTES) break;
  }
  return text;
}

std::optional<Event> event_of(const std::vector<tidegauge_slot>& slots, const WhoIs& who_is) {
  if (slots.empty()) return {};
  const auto& slot = slots.front();
  const auto kind = kind_of(slot.kind);
  const auto source = source_of(slot.source);
  if (!kind || !source || slot.pid == 0 || slot.pid > kHighestPid) return {};
  Event event{.at_ns = static_cast<std::int64_t>(slot.t_ns),
              .kind = *kind,
              .process = who_is(static_cast<pid_t>(slot.pid)),
              .source = *source};
  if (has_text(*kind)) {
    event.name = text_of(slots);
    if (event.name.empty()) return {};
    return event;
  }
  if (slot.a < 0) return {};
  event.value = static_cast<double>(slot.a);
  if (slot.b > 0) event.total = static_cast<double>(slot.b);
  return event;
}

Thinned thin(std::vector<Event> marks) {
  using Series = std::tuple<EventKind, ProcessId, MarkSource>;
  struct Ends {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::map<Series, Ends> ends;
  const auto series_of = [](const Event& mark) {
    return Series(mark.kind, mark.process, mark.source);
  };
  const auto counts = [](const Event& mark) {
    return mark.kind == EventKind::Step || mark.kind == EventKind::Distinct;
  };
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!counts(marks[i])) continue;
    const auto [at, added] = ends.try_emplace(series_of(marks[i]), Ends{i, i});
    if (!added) at->second.last = i;
  }
  Thinned thinned;
  std::size_t others = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (counts(marks[i])) {
      const auto& [first, last] = ends.at(series_of(marks[i]));
      if (i != last && (i != first || marks[i].kind == EventKind::Distinct)) continue;
    } else if (++others > kMostOthers) {
      ++thinned.dropped;
      continue;
    }
    thinned.events.push_back(std::move(marks[i]));
  }
  return thinned;
}

}  // namespace tidegauge::record
