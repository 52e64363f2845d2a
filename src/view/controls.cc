// SPDX-License-Identifier: Apache-2.0
#include "view/controls.h"

#include <algorithm>
#include <array>

namespace tidegauge::view {

namespace {

// Spans that people think in, in seconds.
constexpr std::array kSpans = {60.0,    120.0,   300.0,   600.0,    1800.0,   3600.0,   10800.0,
                               43200.0, 86400.0, 259200., 604800.0, 2592000., 7776000., 31536000.};
constexpr double kFewestSamples = 20;  // narrower shows nothing new
constexpr double kPan = 0.25;          // of the span, a key press

double length(const Extent& extent) {
  return std::max(extent.last_at - extent.first_at, extent.narrowest);
}

std::optional<double> narrower(std::optional<double> span, const Extent& extent) {
  const double now = span.value_or(length(extent));
  for (auto wanted = kSpans.rbegin(); wanted != kSpans.rend(); ++wanted) {
    if (*wanted < now && *wanted >= kFewestSamples * extent.narrowest) return *wanted;
  }
  return span;
}

std::optional<double> wider(std::optional<double> span, const Extent& extent) {
  if (!span) return span;
  for (const double wanted : kSpans) {
    if (wanted > *span && wanted < length(extent)) return wanted;
  }
  return {};
}

}  // namespace

Window window_of(const Controls& controls, const Extent& whole) {
  auto extent = whole;
  if (controls.paused_at) {
    extent.last_at = std::clamp(*controls.paused_at, whole.first_at, whole.last_at);
  }
  const double span = std::min(controls.span.value_or(length(extent)), length(extent));
  const double to = std::clamp(extent.last_at - controls.back, extent.first_at + span,
                               extent.first_at + length(extent));
  return {to - span, to};
}

Controls turned(Controls controls, Key key, const Extent& extent) {
  const auto window = window_of(controls, extent);
  const double pan = kPan * (window.to - window.from);
  const double farthest = std::max(0.0, length(extent) - (window.to - window.from));
  switch (key) {
    case Key::Pause:
      controls.paused_at =
          controls.paused_at ? std::optional<double>{} : std::optional(extent.last_at);
      break;
    case Key::ZoomIn:
      controls.span = narrower(controls.span, extent);
      break;
    case Key::ZoomOut:
      controls.span = wider(controls.span, extent);
      if (!controls.span) controls.back = 0;
      break;
    case Key::ZoomReset:
      controls.span.reset();
      controls.back = 0;
      break;
    case Key::Left:
      controls.back = std::min(farthest, controls.back + pan);
      break;
    case Key::Right:
      controls.back = std::max(0.0, controls.back - pan);
      break;
    case Key::StepAxis:
      controls.by_step = !controls.by_step;
      break;
    case Key::Kinds:
      controls.kinds = !controls.kinds;
      break;
    case Key::Sort:
      controls.sort = controls.sort == Sort::Memory   ? Sort::Growth
                      : controls.sort == Sort::Growth ? Sort::Name
                                                      : Sort::Memory;
      break;
    case Key::Help:
      controls.help = !controls.help;
      break;
    case Key::Quit:
    case Key::Report:
    case Key::Resize:
      break;
  }
  return controls;
}

}  // namespace tidegauge::view
