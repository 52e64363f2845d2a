// SPDX-License-Identifier: Apache-2.0
// What the person in front of the live view chose, and what a key does to it.
#pragma once

#include <optional>

namespace tidegauge::view {

enum class Key {
  Quit,
  Pause,
  ZoomIn,
  ZoomOut,
  ZoomReset,
  Left,
  Right,
  StepAxis,
  Kinds,
  Sort,
  Report,
  Help,
  Resize,
};

enum class Sort { Memory, Growth, Name };

struct Controls {
  // Seconds shown (steps, where a recording counts only those); empty: the whole run.
  std::optional<double> span{};
  // How far the right edge lies back; 0: it follows the present.
  double back = 0;
  bool by_step = false;               // the x axis counts steps
  std::optional<double> paused_at{};  // the view stands still; watching goes on
  bool kinds = false;                 // the kinds of memory instead of the processes
  bool help = false;
  Sort sort = Sort::Memory;

  bool operator==(const Controls&) const = default;
};

// The extent of what could be shown.
struct Extent {
  double first_at = 0;
  double last_at = 0;
  double narrowest = 1;  // time between samples
};

Controls turned(Controls controls, Key key, const Extent& extent);

// The part of [first_at, last_at] that is shown.
struct Window {
  double from = 0;
  double to = 1;
};
Window window_of(const Controls& controls, const Extent& extent);

}  // namespace tidegauge::view
