// SPDX-License-Identifier: Apache-2.0
#include "view/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/units.h"
#include "view/chart.h"
#include "view/panels.h"
#include "view/width.h"

namespace tidegauge::view {

namespace {

constexpr int kWideColumns = 120;  // from here on there is a panel on the right
constexpr int kSideColumns = 42;
constexpr int kSideGap = 2;
constexpr int kFewestChartRows = 7;  // rule and axis included

// How the rows of a screen are shared out, from the top.
struct Layout {
  int verdict = 1;  // rows of tag and headline, at most
  int note = 0;
  int facts = 0;
  int chart = 0;  // with its rule
  int table = 0;  // with its rule and title
  bool wide = false;
};

int fact_rows(const LiveState& state, bool wide, int columns) {
  const auto count = static_cast<int>(state.words.facts.size());
  return wide && facts_across(state, columns) == 2 ? (count + 1) / 2 : count;
}

int table_rows(const LiveState& state, const Controls& controls, bool wide) {
  const auto rows = controls.kinds && !wide ? state.kinds.size() : state.rows.size();
  return 2 + static_cast<int>(std::max<std::size_t>(rows, 1));
}

Layout share_out(const LiveState& state, const Controls& controls, Size size) {
  Layout layout;
  layout.wide = size.columns >= kWideColumns && size.rows >= 20;
  int left = size.rows - 2;  // title and keys
  layout.verdict = left >= 11 ? 2 : 1;
  left -= layout.verdict;
  if (left >= 9 || (!state.alarm.empty() && left > 0)) {
    layout.note = 1;
    --left;
  }
  // Facts and processes get what a chart of decent height leaves.
  const int spare = std::max(0, left - kFewestChartRows - size.rows / 5);
  layout.facts = std::min(fact_rows(state, layout.wide, size.columns),
                          spare <= 4 ? spare / 2 : std::max(2, spare / 2));
  layout.table =
      std::min(table_rows(state, controls, layout.wide), std::max(0, spare - layout.facts));
  if (layout.table < 3) layout.table = 0;  // a title without a line says nothing
  layout.chart = left - layout.facts - layout.table;
  if (layout.chart < kFewestChartRows - 1) layout.chart = 0;
  return layout;
}

std::string chart_title(const LiveState& state, const Controls& controls) {
  std::string title = "memory of the job";
  if (controls.span) {
    const bool steps = state.accounts.get().header.clock == record::Clock::Steps;
    title += steps ? fmt::format(", {:.0f} steps", *controls.span)
                   : fmt::format(", {}", format_duration(*controls.span));
  }
  if (controls.back > 0) title += ", earlier";
  return title;
}

// What the signs mean: always there, never colour alone.
void draw_legend(Grid& grid, const LiveState& state, const Rect& room, bool unicode) {
  struct Item {
    const char* sign;
    const char* ascii;
    const char* text;
    Style style;
    bool shown;
  };
  const auto& verdict = state.verdict;
  const bool phases = !state.accounts.get().progress.phases().empty();
  const bool limit = verdict && verdict->limit_bytes;
  std::vector<Item> items;
  for (const auto& item : {Item{"⣿⣿", "##", "stays", Style::Floor, true},
                           Item{"⢕⢕", "++", "comes and goes", Style::Spike, true},
                           Item{"░", ":", "phase", Style::Phase, phases},
                           Item{"╌", "-", "limit", Style::Limit, limit}}) {
    if (item.shown) items.push_back(item);
  }
  const auto wide_of = [](const Item& item) {
    return static_cast<int>(columns_of(item.sign) + columns_of(item.text)) + 3;
  };
  const auto total = [&] {
    int sum = 1;
    for (const auto& item : items) sum += wide_of(item);
    return sum;
  };
  // The last ones are named in the chart too.
  while (!items.empty() && total() > room.columns) items.pop_back();
  int column = room.column + room.columns - total();
  for (const auto& item : items) {
    grid.put(room.row, column, "  ", Style::Plain);
    column = grid.put(room.row, column + 2, unicode ? item.sign : item.ascii, item.style);
    column = grid.put(room.row, column, std::string(" ") + item.text, Style::Dim);
  }
  if (!items.empty()) grid.put(room.row, column, " ", Style::Plain);
}

void draw_chart_part(Grid& grid, const LiveState& state, const Controls& controls, Rect area,
                     bool unicode) {
  const auto& accounts = state.accounts.get();
  const auto title = chart_title(state, controls);
  draw_rule(grid, area.row, area.column, area.columns, title);
  const int taken = static_cast<int>(columns_of(title)) + 5;
  draw_legend(grid, state, {area.row, area.column + taken, 1, area.columns - taken - 1}, unicode);
  ++area.row;
  --area.rows;
  draw_chart(grid, area,
             {.history = accounts.history,
              .progress = accounts.progress,
              .window = window_of(controls, extent_of(state)),
              .present = controls.back == 0,
              .counts_steps = accounts.header.clock == record::Clock::Steps,
              .by_step = controls.by_step,
              .unicode = unicode,
              .verdict = state.verdict ? &*state.verdict : nullptr});
}

void draw_body(Grid& grid, const LiveState& state, const Controls& controls, const Layout& layout,
               bool unicode) {
  const auto size = grid.size();
  int row = 1;
  row += draw_verdict(grid, state, row, layout.verdict);
  if (layout.note > 0 && !state.alarm.empty()) {
    grid.put(row++, 0, state.alarm, Style::Bad);
  } else if (layout.note > 0) {
    grid.put(row++, 0, state.words.note, Style::Dim);
  }
  draw_facts(grid, state, {row, 0, layout.facts, size.columns});
  row += layout.facts;
  // What the headline did not need goes to the chart.
  const int chart_rows = size.rows - 1 - layout.table - row;
  const bool side = layout.wide && !controls.kinds && layout.chart > 0;
  const int chart_columns = side ? size.columns - kSideColumns - kSideGap : size.columns;
  if (layout.chart > 0) {
    draw_chart_part(grid, state, controls, {row, 0, chart_rows, chart_columns}, unicode);
  }
  if (side) draw_side(grid, state, {row, chart_columns + kSideGap, chart_rows, kSideColumns});
  row = size.rows - 1 - layout.table;
  if (layout.table == 0) return;
  const Rect table{row, 0, layout.table, size.columns};
  if (controls.kinds && !layout.wide) {
    draw_kinds(grid, state, table);
  } else {
    draw_processes(grid, state, controls, table);
  }
}

}  // namespace

Extent extent_of(const LiveState& state) {
  const auto& history = state.accounts.get().history;
  return {history.first_at(), history.last_at(), history.narrowest()};
}

Grid frame(const LiveState& state, const Controls& controls, Size size, bool unicode) {
  Grid grid(size);
  size = grid.size();
  if (size.rows == 0 || size.columns == 0) return grid;
  if (size.rows < 3) {
    draw_verdict(grid, state, 0, 1);
  } else if (controls.help) {
    draw_title(grid, state, controls, 0);
    draw_help(grid, {1, 0, size.rows - 2, size.columns});
    draw_keys(grid, state, controls, size.rows - 1);
  } else {
    draw_title(grid, state, controls, 0);
    draw_body(grid, state, controls, share_out(state, controls, size), unicode);
    draw_keys(grid, state, controls, size.rows - 1);
  }
  if (!unicode) grid.reduce_to_ascii();
  return grid;
}

}  // namespace tidegauge::view
