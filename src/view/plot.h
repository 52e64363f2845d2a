// SPDX-License-Identifier: Apache-2.0
// What the parts of a chart share: the place to draw in and the scales.
#pragma once

#include <string_view>
#include <vector>

#include "view/axis.h"
#include "view/chart.h"
#include "view/dots.h"
#include "view/outlook.h"

namespace tidegauge::view {

struct Label {
  struct Place {
    int row = 0;
    int column = 0;  // of the grid
  };
  std::string text{};
  Style style = Style::Dim;
  std::vector<Place> places{};
};

struct Plot {
  Grid& grid;
  Rect area{};  // of the dots alone
  XAxis axis;
  double top_bytes = 1;
  bool unicode = true;
  std::vector<Label> labels{};

  int dot_columns() const { return area.columns * Dots::kAcross; }
  double x_of(double seconds) const { return axis.place_of(seconds) * dot_columns(); }
  double y_of(double bytes) const { return bytes / top_bytes * area.rows * Dots::kDown; }
  int column_of(double seconds) const;  // of the grid
  int row_of(double bytes) const;       // of the grid
};

// Writes the labels, the first that were asked for first, each at the first of its places where
// nothing but lines is drawn.
void place_labels(Plot& plot);

// Columns of the past in dots, with their floor and phases.
std::vector<Column> past_columns(const Chart& chart, const XAxis& axis, int dot_columns);

// Each draws its lines at once and asks for its labels.
void draw_area(Plot& plot, const std::vector<Column>& columns);
void draw_phases(Plot& plot, const Progress& progress, double now);
void draw_epochs(Plot& plot, const Progress& progress);
void draw_limit(Plot& plot, const Outlook& outlook, const verdict::Verdict& verdict);
void draw_outlook(Plot& plot, const Outlook& outlook, const verdict::Verdict& verdict);
void draw_settled(Plot& plot, const verdict::Verdict& verdict, const History& history);

}  // namespace tidegauge::view
