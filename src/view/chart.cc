// SPDX-License-Identifier: Apache-2.0
#include "view/chart.h"

#include <algorithm>
#include <cmath>

#include "view/plot.h"

namespace tidegauge::view {

namespace {

constexpr int kLeft = 6;        // columns for the y labels
constexpr int kFewestRows = 4;  // of the area
constexpr int kFewestColumns = 16;
constexpr int kRowsForTwoLines = 8;  // of the area, for a second line below the axis
constexpr int kTickSpacing = 16;
constexpr int kMostYTicks = 8;
// A limit this many times above everything else would press the curve flat: it is named instead.
constexpr double kLimitWithin = 3.5;
constexpr double kHeadroom = 1.12;

// The highest that must fit, and whether the limit does.
double top_of(const std::vector<Column>& columns, Outlook& outlook) {
  double highest = 0;
  for (const auto& column : columns) {
    if (column.known) highest = std::max(highest, column.high);
  }
  if (outlook.bounded) highest = std::max(highest, outlook.bounded_level);
  if (outlook.limit_bytes) {
    outlook.limit_shown = *outlook.limit_bytes <= kLimitWithin * highest ||
                          (outlook.fan && outlook.p50 <= outlook.until);
    if (outlook.limit_shown) highest = std::max(highest, *outlook.limit_bytes);
  }
  return std::max(highest, 1.0) * kHeadroom;
}

void draw_y_axis(Plot& plot, const Outlook& outlook) {
  for (int row = 0; row < plot.area.rows; ++row) {
    plot.grid.put(plot.area.row + row, plot.area.column - 1, plot.unicode ? "│" : "|", Style::Dim);
  }
  for (const auto& tick :
       y_ticks(plot.top_bytes, std::clamp((plot.area.rows + 1) / 2, 1, kMostYTicks))) {
    const int row = plot.row_of(tick.place * plot.top_bytes);
    plot.grid.put_right(row, plot.area.column - 1, tick.label, Style::Dim);
  }
  if (!outlook.limit_shown) return;
  const int row = plot.row_of(*outlook.limit_bytes);
  plot.grid.fill({row, plot.area.column - kLeft, 1, kLeft - 1}, U' ', Style::Plain);
  plot.grid.put_right(row, plot.area.column - 1, bytes_label(*outlook.limit_bytes), Style::Limit);
}

void draw_x_axis(Plot& plot, const Chart& chart, const Outlook& outlook, bool two_lines) {
  const int row = plot.area.row + plot.area.rows;
  int free_from = plot.area.column - 1;
  const bool future = outlook.until > outlook.now;
  const int now_column = plot.column_of(outlook.now);
  for (const auto& tick :
       x_ticks(plot.axis, chart.history, chart.counts_steps, plot.area.columns, kTickSpacing)) {
    const int column = plot.area.column + static_cast<int>(tick.place * plot.area.columns);
    const int wide = static_cast<int>(std::max(tick.label.size(), tick.second.size())) + 1;
    // Labels collide: "now" wins.
    const bool hides_now = future && column <= now_column + 4 && column + wide >= now_column - 1;
    const bool hidden = column < free_from || column + wide > plot.area.column + plot.area.columns;
    if (hides_now || hidden) continue;
    plot.grid.put(row, column, plot.unicode ? "╵" : "'", Style::Dim);
    plot.grid.put(row, column + 1, tick.label, Style::Dim);
    if (two_lines) plot.grid.put(row + 1, column + 1, tick.second, Style::Dim);
    free_from = column + wide + 1;
  }
  if (future) plot.grid.put(row, std::max(plot.area.column, now_column - 1), "now", Style::Strong);
}

// Between 0 and 1; what is no number is 0, so that a verdict that makes no sense draws nothing odd.
double share_within(double place) {
  return place > 0 ? std::min(place, 1.0) : 0.0;
}

void draw_now(Plot& plot, const Outlook& outlook) {
  if (!(outlook.until > outlook.now)) return;
  const int column = plot.column_of(outlook.now);
  for (int row = 0; row < plot.area.rows; ++row) {
    auto* cell = plot.grid.cell(plot.area.row + row, column);
    if (cell && cell->glyph == U' ') *cell = {plot.unicode ? U'┊' : U'|', Style::Dim};
  }
}

}  // namespace

int Plot::column_of(double seconds) const {
  const double place = share_within(axis.place_of(seconds));
  return area.column + std::min(area.columns - 1, static_cast<int>(place * area.columns));
}

int Plot::row_of(double bytes) const {
  const int from_bottom = static_cast<int>(share_within(bytes / top_bytes) * area.rows);
  return area.row + area.rows - 1 - std::min(from_bottom, area.rows - 1);
}

void draw_chart(Grid& grid, const Rect& area, const Chart& chart) {
  const bool two_lines =
      chart.progress.step() && !chart.counts_steps && area.rows >= kRowsForTwoLines;
  const Rect dots{area.row, area.column + kLeft, area.rows - (two_lines ? 2 : 1),
                  area.columns - kLeft};
  if (dots.rows < kFewestRows || dots.columns < kFewestColumns) return;
  if (chart.history.empty() || !(chart.window.to > chart.window.from)) {
    grid.put(area.row + area.rows / 2, area.column + kLeft, "no samples yet", Style::Dim,
             dots.columns);
    return;
  }
  const XAxis past(chart.history, chart.window.from, chart.window.to, chart.window.to,
                   chart.by_step);
  auto outlook = outlook_of(chart, past.seconds_per_step());
  Plot plot{
      .grid = grid,
      .area = dots,
      .axis = XAxis(chart.history, chart.window.from, outlook.until, outlook.now, chart.by_step),
      .unicode = chart.unicode};
  const auto columns = past_columns(chart, plot.axis, plot.dot_columns());
  plot.top_bytes = top_of(columns, outlook);
  draw_phases(plot, chart.progress, outlook.now);
  draw_area(plot, columns);
  if (chart.verdict) draw_limit(plot, outlook, *chart.verdict);
  draw_epochs(plot, chart.progress);
  draw_now(plot, outlook);
  if (chart.verdict) draw_outlook(plot, outlook, *chart.verdict);
  if (chart.verdict) draw_settled(plot, *chart.verdict, chart.history);
  place_labels(plot);
  draw_y_axis(plot, outlook);
  draw_x_axis(plot, chart, outlook, two_lines);
}

}  // namespace tidegauge::view
