// SPDX-License-Identifier: Apache-2.0
#include "view/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "view/axis.h"
#include "view/ink.h"
#include "view/phrases.h"
#include "view/short_words.h"
#include "view/table.h"
#include "view/width.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kNameColumns = 40;
constexpr int kLabelColumns = 17;
constexpr int kBarColumns = 14;

Style tag_style(Tone tone) {
  return tone == Tone::Good ? Style::TagGood : tone == Tone::Wait ? Style::TagWait : Style::TagBad;
}

std::string row_name(const ProcessRow& row) {
  if (row.count > 1) return role_count(row.role, row.count);
  const auto name = shown(row.name, kNameColumns);
  return name.empty() ? "?" : name;
}

std::vector<const ProcessRow*> sorted(const LiveState& state, Sort sort) {
  std::vector<const ProcessRow*> out;
  for (const auto& row : state.rows) out.push_back(&row);
  const auto before = [sort](const ProcessRow* a, const ProcessRow* b) {
    // The job stays on top: it is the one to watch.
    if ((a->role == record::Role::Main) != (b->role == record::Role::Main)) {
      return a->role == record::Role::Main;
    }
    if (sort == Sort::Name) return row_name(*a) < row_name(*b);
    if (sort == Sort::Growth) return a->grown > b->grown;
    return a->now > b->now;
  };
  std::stable_sort(out.begin(), out.end(), before);
  return out;
}

// Bullet and text over several lines; returns the next free row.
int put_item(Grid& grid, const Rect& area, int row, std::string_view lead, std::string_view text,
             Style style) {
  const int indent = static_cast<int>(columns_of(lead));
  const auto lines = wrapped(text, static_cast<std::size_t>(std::max(1, area.columns - indent)));
  for (std::size_t i = 0; i < lines.size() && row < area.row + area.rows; ++i, ++row) {
    if (i == 0) grid.put(row, area.column, lead, Style::Dim, indent);
    grid.put(row, area.column + indent, lines[i], style, area.columns - indent);
  }
  return row;
}

}  // namespace

void draw_title(Grid& grid, const LiveState& state, const Controls& controls, int row) {
  const auto& accounts = state.accounts.get();
  const auto& progress = accounts.progress;
  int column = grid.put(row, 0, "tidegauge", Style::Strong) + 2;
  std::string text = shown(state.subject, kNameColumns);
  const double at = controls.paused_at.value_or(accounts.last_at);
  if (state.pid) text += fmt::format(" · pid {}", *state.pid);
  if (accounts.header.clock == record::Clock::Seconds) text += " · " + clock_label(at);
  const auto step = controls.paused_at ? accounts.history.step_at(at) : progress.step();
  if (const auto phrase = step_phrase(step)) text += " · " + *phrase;
  if (progress.epoch()) text += fmt::format(" · epoch {:.0f}", *progress.epoch() + 0.0);
  if (const auto* phase = progress.open_phase()) text += " · " + phase_label(phase->name);
  const auto right = controls.paused_at
                         ? std::string("paused")
                         : fmt::format("every {:.3g} s  live", accounts.header.interval_seconds);
  const int room = grid.size().columns - column - static_cast<int>(columns_of(right)) - 2;
  if (room >= 12) {
    grid.put(row, column, text, Style::Dim, room);
    grid.put_right(row, grid.size().columns, right, controls.paused_at ? Style::Wait : Style::Dim);
  } else {
    grid.put(row, column, text, Style::Dim);
  }
}

int draw_verdict(Grid& grid, const LiveState& state, int row, int most) {
  const auto& words = state.words;
  const auto tag = fmt::format(" {} ", upper_case(words.tag));
  const int indent = grid.put(row, 0, tag, tag_style(words.tone)) + 1;
  const int room = grid.size().columns - indent;
  if (room < 10) return 1;
  const auto lines = wrapped(words.headline, static_cast<std::size_t>(room));
  // One line with an ellipsis where there is no second one.
  if (static_cast<int>(lines.size()) > most) {
    grid.put(row, indent, words.headline, Style::Strong, room);
    return 1;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    grid.put(row + static_cast<int>(i), indent, lines[i], Style::Strong, room);
  }
  return std::max<int>(1, static_cast<int>(lines.size()));
}

namespace {

// Where there is no room for all of them, these are what people look for; as on the page.
std::vector<Fact> first_things_first(std::vector<Fact> facts) {
  constexpr std::array<std::string_view, 4> kFirst = {"rate", "limit", "cause", "remedy"};
  std::stable_partition(facts.begin(), facts.end(), [&](const Fact& fact) {
    return std::find(kFirst.begin(), kFirst.end(), fact.id) != kFirst.end();
  });
  return facts;
}

// Of a detail, its parts that fit: "165 MiB to 177 MiB" says something, "165 MiB to 1…" does not.
// Of one that does not fit at all, a way say, where it begins and where it leads to.
std::string fitting(const std::string& detail, std::size_t room) {
  constexpr std::string_view kBetween = "; ";
  constexpr std::size_t kFewest = 12;
  if (columns_of(detail) <= room) return detail;
  auto end = detail.rfind(kBetween);
  while (end != std::string::npos && columns_of(detail.substr(0, end)) > room) {
    end = end == 0 ? std::string::npos : detail.rfind(kBetween, end - 1);
  }
  if (end != std::string::npos) return detail.substr(0, end);
  return room < kFewest ? "" : shown_way(detail.substr(0, detail.find(kBetween)), room);
}

}  // namespace

int facts_across(const LiveState& state, int columns) {
  const auto fits = [&](const Fact& fact) {
    const auto needed = columns_of(fact.value) + (fact.detail.empty() ? 0 : 2) +
                        columns_of(fact.detail) + static_cast<std::size_t>(kLabelColumns) + 1;
    return needed <= static_cast<std::size_t>(columns / 2);
  };
  const auto& facts = state.words.facts;
  return std::all_of(facts.begin(), facts.end(), fits) ? 2 : 1;
}

void draw_facts(Grid& grid, const LiveState& state, const Rect& area) {
  const auto facts = first_things_first(state.words.facts);
  const bool too_many = static_cast<int>(facts.size()) > area.rows;
  const int across = area.rows > 0 && too_many && area.columns >= 120 ? 2 : 1;
  const int room = area.columns / across;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const int row = static_cast<int>(i) / across;
    if (row >= area.rows) break;
    const int left = area.column + static_cast<int>(i) % across * room;
    const int end = left + room - (across > 1 ? 1 : 0);
    grid.put(area.row + row, left, facts[i].label, Style::Dim, std::min(kLabelColumns - 1, room));
    const int column = left + kLabelColumns;
    const int after =
        grid.put(area.row + row, column, facts[i].value, Style::Plain, end - column) + 2;
    if (after >= end) continue;
    grid.put(area.row + row, after, fitting(facts[i].detail, static_cast<std::size_t>(end - after)),
             Style::Dim);
  }
}

void draw_rule(Grid& grid, int row, int column, int columns, std::string_view title) {
  grid.fill({row, column, 1, columns}, U'─', Style::Dim);
  if (!title.empty())
    grid.put(row, column + 2, fmt::format(" {} ", title), Style::Dim, columns - 2);
}

void draw_processes(Grid& grid, const LiveState& state, const Controls& controls,
                    const Rect& area) {
  const bool steps = state.accounts.get().progress.step().has_value();
  const auto titled = [&controls](const char* title, Sort sort) {
    return fmt::format("{}{}", title, controls.sort == sort ? "▾" : "");
  };
  Table table({{.title = "", .importance = 10},
               {.title = "PID", .right = true, .importance = 5},
               {.title = "ROLE", .importance = 4},
               {.title = titled("PROCESS", Sort::Name), .importance = 9, .shrinks = true},
               {.title = titled("NOW", Sort::Memory), .right = true, .importance = 8},
               {.title = "FLOOR", .right = true, .importance = 6},
               {.title = titled("GREW", Sort::Growth), .right = true, .importance = 3},
               {.title = steps ? "PER STEP" : "PER MIN", .right = true, .importance = 7},
               {.title = "VERDICT", .importance = 6}});
  const auto rows = sorted(state, controls.sort);
  for (const auto* row : rows) {
    const auto rate = steps ? row->per_step : row->per_minute;
    table.add({row->role == record::Role::Main ? "▸" : " ",
               row->id.pid > 0 ? std::to_string(row->id.pid) : "",
               row->count > 1 ? "" : role_word(row->role), row_name(*row), size_or_dash(row->now),
               size_or_dash(row->floor), signed_size(row->grown),
               rate ? signed_size(*rate, 1024) : "", row->verdict});
  }
  draw_rule(grid, area.row, area.column, area.columns, "");
  const auto lines = table.lines(static_cast<std::size_t>(area.columns));
  const int room = area.rows - 1;
  for (int i = 0; i < std::min(room, static_cast<int>(lines.size())); ++i) {
    const auto index = static_cast<std::size_t>(i);
    const bool main = i > 0 && rows[index - 1]->role == record::Role::Main;
    grid.put(area.row + 1 + i, area.column, lines[index],
             i == 0 ? Style::Dim
             : main ? Style::Strong
                    : Style::Plain,
             area.columns);
  }
  const int hidden = static_cast<int>(lines.size()) - room;
  if (hidden > 0) {
    grid.put_right(area.row, area.column + area.columns - 2, fmt::format(" {} more ", hidden),
                   Style::Dim);
  }
}

void draw_kinds(Grid& grid, const LiveState& state, const Rect& area) {
  draw_rule(grid, area.row, area.column, area.columns, "kinds of memory, whole tree");
  double largest = 1;
  for (const auto& kind : state.kinds) largest = std::max(largest, kind.now);
  int row = area.row + 1;
  for (const auto& kind : state.kinds) {
    if (row >= area.row + area.rows) break;
    grid.put(row, area.column, shown(kind.label, 14), kind.now > 0 ? Style::Plain : Style::Dim, 14);
    grid.put_right(row, area.column + 25, size_or_dash(kind.now), Style::Plain);
    const int bar =
        std::clamp(static_cast<int>(std::lround(kind.now / largest * kBarColumns)), 0, kBarColumns);
    grid.fill({row, area.column + 27, 1, bar}, U'▪', Style::Floor);
    ++row;
  }
}

void draw_side(Grid& grid, const LiveState& state, const Rect& area) {
  const int kinds = std::min(area.rows, static_cast<int>(state.kinds.size()) + 1);
  draw_kinds(grid, state, {area.row, area.column, kinds, area.columns});
  int row = area.row + kinds + 1;
  const int end = area.row + area.rows;
  if (state.verdict && !state.verdict->evidence.empty() && row + 2 < end) {
    draw_rule(grid, row++, area.column, area.columns, "why");
    const Rect rest{row, area.column, std::max(1, (end - row) * 2 / 3), area.columns};
    for (const auto& sentence : state.verdict->evidence) {
      row = put_item(grid, rest, row, "· ", as_sentence(sentence), Style::Plain);
    }
    ++row;
  }
  const auto& happenings = state.accounts.get().progress.happenings();
  if (happenings.empty() || row + 2 >= end) return;
  draw_rule(grid, row++, area.column, area.columns, "events");
  const Rect rest{row, area.column, end - row, area.columns};
  for (auto event = happenings.rbegin(); event != happenings.rend() && row < end; ++event) {
    row = put_item(grid, rest, row, fmt::format("{:<7}", clock_label(event->at)), event->text,
                   Style::Dim);
  }
}

void draw_keys(Grid& grid, const LiveState& state, const Controls& controls, int row) {
  grid.fill({row, 0, 1, grid.size().columns}, U' ', Style::Keys);
  if (!state.note.empty()) {
    grid.put(row, 1, state.note, Style::Keys);
    return;
  }
  const auto text =
      fmt::format(" q quit  p {}  +/- zoom  <> move  s {}  k kinds  m sort  r report  ? help",
                  controls.paused_at ? "go on" : "pause", controls.by_step ? "time" : "steps");
  grid.put(row, 0, text, Style::Keys);
}

void draw_help(Grid& grid, const Rect& area) {
  constexpr const char* kHelp[][2] = {
      {"q", "quit; the summary is printed"},
      {"p, space", "pause the view; watching goes on"},
      {"+ and -", "zoom in and out; 0 shows the whole run"},
      {"arrows, < >", "move in time"},
      {"s", "count steps or time along the axis"},
      {"k", "kinds of memory"},
      {"m", "sort by memory, by growth, by name"},
      {"r", "write the report now"},
      {"?", "this page"},
      {"", ""},
      {"stays", "the floor: memory that is not given back soon"},
      {"comes and goes", "spikes above the floor"},
      {"now, floor", "what a process holds, without what others are counted for"},
  };
  int row = area.row + 1;
  for (const auto& line : kHelp) {
    if (row >= area.row + area.rows) break;
    grid.put(row, area.column + 2, line[0], Style::Strong, 16);
    grid.put(row, area.column + 19, line[1], Style::Plain, area.columns - 19);
    ++row;
  }
}

}  // namespace tidegauge::view
