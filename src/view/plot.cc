// SPDX-License-Identifier: Apache-2.0
#include "view/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "view/phrases.h"
#include "view/width.h"

namespace tidegauge::view {

namespace {

// What is given back within a sixteenth of the picture comes and goes.
constexpr int kFloorReach = 16;

bool is_line(char32_t glyph) {
  return glyph == U' ' || glyph == U'┊' || glyph == U'╌' || glyph == U'░' || glyph == U':' ||
         glyph == U'|' || glyph == U'-';
}

bool is_braille(char32_t glyph) {
  return glyph >= braille(0) && glyph <= braille(0xFF);
}

// Two labels must not run into each other.
bool is_word(char32_t glyph) {
  return (glyph >= U'a' && glyph <= U'z') || (glyph >= U'0' && glyph <= U'9') || glyph == U')';
}

// Puts the dots of a layer on top, where nothing but lines was drawn before.
void lay(Plot& plot, const Dots& dots, Style style, char32_t ascii) {
  for (int row = 0; row < dots.rows(); ++row) {
    for (int column = 0; column < dots.columns(); ++column) {
      const auto bits = dots.bits(row, column);
      auto* cell = plot.grid.cell(plot.area.row + row, plot.area.column + column);
      if (bits == 0 || !cell) continue;
      const bool other = cell->style == Style::Forecast || cell->style == Style::Bounded;
      if (plot.unicode && other && is_braille(cell->glyph)) {
        cell->glyph |= bits;  // two futures in one cell: both are seen, the first gives the colour
      } else if (is_line(cell->glyph)) {
        *cell = {plot.unicode ? braille(bits) : ascii, style};
      }
    }
  }
}

void draw_gaps(Plot& plot, const std::vector<Column>& columns) {
  const auto known = [](const Column& column) { return column.known; };
  const auto first = std::find_if(columns.begin(), columns.end(), known) - columns.begin();
  const auto last = columns.rend() - std::find_if(columns.rbegin(), columns.rend(), known);
  for (auto at = first; at + 1 < last; ++at) {
    if (columns[static_cast<std::size_t>(at)].known) continue;
    const int column = static_cast<int>(at) / Dots::kAcross;
    for (int row = 0; row < plot.area.rows; ++row) {
      auto* cell = plot.grid.cell(plot.area.row + row, plot.area.column + column);
      if (cell && cell->glyph == U' ' && (row + column) % 4 == 0) {
        *cell = {plot.unicode ? U'╱' : U'/', Style::Dim};
      }
    }
  }
}

}  // namespace

std::vector<Column> past_columns(const Chart& chart, const XAxis& axis, int dot_columns) {
  const double share = (axis.now() - axis.begin()) / (axis.end() - axis.begin());
  const auto count = static_cast<std::size_t>(
      std::clamp(std::round(share * dot_columns), 1.0, static_cast<double>(dot_columns)));
  auto columns = axis.by_step() ? chart.history.by_step(axis.begin(), axis.now(), count)
                                : chart.history.by_time(chart.window.from, chart.window.to, count);
  for (const auto& phase : chart.progress.phases()) {
    const double begin = axis.place_of(phase.begin) * dot_columns;
    const double end = axis.place_of(phase.end.value_or(chart.window.to)) * dot_columns;
    for (double x = std::max(0.0, std::floor(begin)); x <= end && x < static_cast<double>(count);
         x += 1) {
      columns[static_cast<std::size_t>(x)].in_phase = true;
    }
  }
  mark_floor(columns, std::max<std::size_t>(2, count / kFloorReach));
  return columns;
}

void place_labels(Plot& plot) {
  const auto& area = plot.area;
  const auto free_at = [&](int row, int column, int wide) {
    for (int i = -1; i <= wide; ++i) {
      const auto* cell = plot.grid.cell(row, column + i);
      const bool beside = i < 0 || i == wide;
      if (beside && (!cell || !is_word(cell->glyph))) continue;
      if (!cell || !is_line(cell->glyph)) return false;
    }
    return row >= area.row && row < area.row + area.rows;
  };
  for (const auto& label : plot.labels) {
    const int wide = static_cast<int>(columns_of(label.text));
    if (wide > area.columns) continue;
    for (const auto& place : label.places) {
      const int column = std::clamp(place.column, area.column, area.column + area.columns - wide);
      if (!free_at(place.row, column, wide)) continue;
      // No-break spaces keep the next label from writing into this one; a grid shows them as
      // blanks.
      plot.grid.put(place.row, column, label.text, label.style);
      break;
    }
  }
}

void draw_area(Plot& plot, const std::vector<Column>& columns) {
  Dots floor(plot.area.rows, plot.area.columns);
  Dots above(plot.area.rows, plot.area.columns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].known) continue;
    const int x = static_cast<int>(i);
    // Anything at all is at least a dot.
    const int low = std::max(1, static_cast<int>(std::lround(plot.y_of(columns[i].floor))));
    const int high = static_cast<int>(std::lround(plot.y_of(columns[i].high)));
    for (int y = 0; y < low; ++y) floor.set(x, y);
    for (int y = low; y < high; ++y) {
      if ((x + y) % 2 == 0) above.set(x, y);
    }
  }
  for (int column = 0; column < plot.area.columns; ++column) {
    bool crest = true;  // the first cell of the floor from above is its edge
    for (int row = 0; row < plot.area.rows; ++row) {
      const auto solid = floor.bits(row, column);
      const auto loose = above.bits(row, column);
      auto* cell = plot.grid.cell(plot.area.row + row, plot.area.column + column);
      if (!cell || (solid == 0 && loose == 0)) continue;
      if (solid == 0) {
        *cell = {plot.unicode ? braille(loose) : U'+', Style::Spike};
        continue;
      }
      const auto both = static_cast<std::uint8_t>(solid | loose);
      const char32_t ascii = dots_in(solid) > 2 ? U'#' : dots_in(loose) > 1 ? U'+' : U'_';
      *cell = {plot.unicode ? braille(both) : ascii, crest ? Style::Floor : Style::FloorBody};
      // A few dots make no edge: then the cell below belongs to it.
      crest = crest && dots_in(solid) <= 2;
    }
  }
  draw_gaps(plot, columns);
}

void draw_phases(Plot& plot, const Progress& progress, double now) {
  for (const auto& phase : progress.phases()) {
    const double end = phase.end.value_or(now);
    if (plot.axis.place_of(end) < 0 || plot.axis.place_of(phase.begin) > 1) continue;
    const int first = plot.column_of(phase.begin);
    const int last = plot.column_of(end);
    for (int column = first; column <= last; ++column) {
      for (int row = plot.area.row; row < plot.area.row + plot.area.rows; ++row) {
        if (auto* cell = plot.grid.cell(row, column)) {
          *cell = {plot.unicode ? U'░' : U':', Style::Phase};
        }
      }
    }
    const auto name = shown(phase.name, 12);
    if (last - first + 1 >= static_cast<int>(columns_of(name))) {
      plot.labels.push_back(
          {name,
           Style::Phase,
           {{plot.area.row, first}, {plot.area.row, first + 1}, {plot.area.row + 1, first}}});
    }
  }
}

void draw_epochs(Plot& plot, const Progress& progress) {
  int free_from = plot.area.column;
  for (const auto& epoch : progress.epochs()) {
    const double place = plot.axis.place_of(epoch.at);
    if (place <= 0 || place > 1) continue;
    const int column = plot.column_of(epoch.at);
    if (column < free_from) continue;  // too many to tell apart
    for (int row = plot.area.row; row < plot.area.row + plot.area.rows; ++row) {
      auto* cell = plot.grid.cell(row, column);
      if (cell && (cell->glyph == U' ' || cell->style == Style::Phase)) {
        *cell = {plot.unicode ? U'┊' : U'|', Style::Dim};
      }
    }
    const auto text = fmt::format("epoch {:.0f}", epoch.number + 0.0);
    plot.labels.push_back({text, Style::Dim, {{plot.area.row, column + 1}}});
    free_from = column + static_cast<int>(text.size()) + 3;
  }
}

void draw_limit(Plot& plot, const Outlook& outlook, const verdict::Verdict& verdict) {
  if (!outlook.limit_bytes) return;
  const auto words = limit_label(verdict);
  if (!outlook.limit_shown) {
    plot.labels.push_back({fmt::format("{} {}", plot.unicode ? "↑" : "^", words),
                           Style::Limit,
                           {{plot.area.row, plot.area.column + 1}}});
    return;
  }
  const int row = plot.row_of(*outlook.limit_bytes);
  for (int column = plot.area.column; column < plot.area.column + plot.area.columns; ++column) {
    auto* cell = plot.grid.cell(row, column);
    if (!cell || !is_line(cell->glyph)) continue;
    *cell = {plot.unicode ? U'╌' : U'-', Style::Limit};
  }
  plot.labels.push_back({words, Style::Limit, {{row, plot.area.column + 1}}});
}

namespace {

// If it goes on: the likely line, the edges of what is likely, and a whisker on the limit.
void draw_fan(Plot& plot, const Outlook& outlook, const verdict::Verdict& verdict) {
  const double x0 = plot.x_of(outlook.now);
  const double y0 = plot.y_of(outlook.level);
  const double y1 = plot.y_of(*outlook.limit_bytes);
  Dots dots(plot.area.rows, plot.area.columns);
  dots.line(x0, y0, plot.x_of(outlook.p5), y1, 3);
  dots.line(x0, y0, plot.x_of(outlook.p95), y1, 3);
  dots.line(x0, y0, plot.x_of(outlook.p50), y1);
  lay(plot, dots, Style::Forecast, U'.');
  if (!outlook.limit_shown || outlook.p50 > outlook.until) return;
  const int row = plot.row_of(*outlook.limit_bytes);
  for (int column = plot.column_of(outlook.p5); column <= plot.column_of(outlook.p95); ++column) {
    plot.grid.put(row, column, plot.unicode ? "━" : "=", Style::Forecast);
  }
  plot.grid.put(row, plot.column_of(outlook.p50), plot.unicode ? "●" : "O", Style::Forecast);
  const auto text = full_label(outlook, verdict);
  const int column = plot.column_of(outlook.p50) - static_cast<int>(columns_of(text)) / 2;
  const int after_now = plot.column_of(outlook.now) + 2;
  plot.labels.push_back(
      {text, Style::Forecast, {{row - 1, column}, {row + 1, after_now}, {row, after_now}}});
}

// If it ends: up to the level where it would, and along it.
void draw_bounded(Plot& plot, const Outlook& outlook, const verdict::Verdict& verdict) {
  Dots dots(plot.area.rows, plot.area.columns);
  const double x1 = plot.x_of(outlook.bounded_at);
  const double y1 = plot.y_of(outlook.bounded_level);
  dots.line(plot.x_of(outlook.now), plot.y_of(outlook.level), x1, y1, 2);
  dots.line(x1, y1, plot.dot_columns(), y1, 2);
  lay(plot, dots, Style::Bounded, U'-');
  const auto text = bounded_label(outlook, verdict);
  const int row = plot.row_of(outlook.bounded_level);
  const int column = plot.column_of(outlook.bounded_at) + 1;
  plot.labels.push_back(
      {text,
       Style::Bounded,
       {{row + 1, column}, {row + 2, column}, {row + 3, column}, {row - 1, column}}});
}

}  // namespace

void draw_outlook(Plot& plot, const Outlook& outlook, const verdict::Verdict& verdict) {
  if (outlook.fan) draw_fan(plot, outlook, verdict);
  if (outlook.bounded) draw_bounded(plot, outlook, verdict);
}

void draw_settled(Plot& plot, const verdict::Verdict& verdict, const History& history) {
  const auto at = settled_at(verdict, history);
  if (!at) return;
  const auto& settled = *verdict.settled;
  const double place = plot.axis.place_of(*at);
  if (!(place >= 0 && place <= 1)) return;
  const int row = plot.row_of(settled.level_bytes);
  const int column = plot.column_of(*at);
  plot.grid.put(row, column, plot.unicode ? "◆" : "o", Style::Good);
  const auto text = settled_label(settled);
  const int left = column - static_cast<int>(columns_of(text));
  plot.labels.push_back({text, Style::Good, {{row - 1, left}, {row - 2, left}, {row - 3, left}}});
}

}  // namespace tidegauge::view
