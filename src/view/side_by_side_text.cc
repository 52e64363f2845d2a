// SPDX-License-Identifier: Apache-2.0
// Runs side by side, for a terminal, for an issue and for the page.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "view/ink.h"
#include "view/markdown_parts.h"
#include "view/side_by_side.h"
#include "view/table.h"
#include "view/words.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

// Too long for a column of text: told below the table.
bool is_long(const SideBySide::Row& row) {
  return row.id == "cause" || row.id == "seen";
}

bool any_change(const SideBySide& told) {
  for (const auto& row : told.rows) {
    if (!row.change.empty()) return true;
  }
  return false;
}

std::string note_after(const std::string& killed, const std::string& note) {
  return killed.empty() ? note : killed + " " + note;
}

}  // namespace

std::string side_by_side_text(std::span<const Side> sides, const verdict::Comparison& found,
                              std::size_t columns) {
  const auto told = side_by_side(sides, found);
  std::string out = told.headline + "\n";
  if (!told.lead.empty()) out += told.lead + "\n";
  std::vector<TableColumn> titles = {{.title = "", .importance = 9}};
  for (const auto& side : sides) {
    titles.push_back({.title = side.name, .right = true, .importance = 5});
  }
  titles.push_back({.title = "CHANGE", .importance = 1});
  Table table(std::move(titles));
  for (const auto& row : told.rows) {
    if (is_long(row)) continue;
    std::vector<std::string> cells = {row.label};
    cells.insert(cells.end(), row.values.begin(), row.values.end());
    cells.push_back(row.change);
    table.add(std::move(cells));
  }
  out += "\n";
  for (const auto& line : table.lines(columns)) out += line + "\n";
  for (const auto& row : told.rows) {
    if (!is_long(row)) continue;
    out += "\n" + row.label + "\n";
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (!row.values[i].empty()) out += fmt::format("  {}: {}\n", sides[i].name, row.values[i]);
    }
  }
  out += "\nVerdicts\n";
  for (const auto& side : sides) {
    if (!side.verdict) continue;
    const auto said = words(*side.verdict);
    out += fmt::format("  {}: {}: {} {}\n", side.name, said.tag, said.headline,
                       note_after(side.killed, said.note));
  }
  for (const auto& sentence : found.sentences) out += "  " + sentence + "\n";
  return out;
}

std::string side_by_side_markdown(std::span<const Side> sides, const verdict::Comparison& found,
                                  const std::string& picture) {
  const auto told = side_by_side(sides, found);
  auto out = fmt::format("# {}\n\n", escaped(told.headline));
  if (!told.lead.empty()) out += escaped(told.lead) + "\n\n";
  const bool change = any_change(told);
  std::vector<std::string> titles = {""};
  for (const auto& side : sides) titles.push_back(escaped(side.name));
  if (change) titles.emplace_back("change");
  append_head(out, titles, titles.size());
  for (const auto& row : told.rows) {
    std::vector<std::string> cells = {escaped(row.label)};
    for (const auto& value : row.values) cells.push_back(value.empty() ? "–" : escaped(value));
    if (change) cells.push_back(escaped(row.change));
    append_row(out, cells);
  }
  if (!picture.empty()) out += fmt::format("\n![What stays in each run](<{}>)\n", picture);
  out += "\n";
  for (const auto& side : sides) {
    if (!side.verdict) continue;
    const auto said = words(*side.verdict);
    out += fmt::format("- {}: **{}** {} {}\n", escaped(side.name), escaped(said.tag),
                       escaped(said.headline), escaped(note_after(side.killed, said.note)));
  }
  for (const auto& sentence : found.sentences) out += "- " + escaped(sentence) + "\n";
  out += kMarkdownEnd;
  return with_plain_blanks(std::move(out));
}

std::string side_by_side_json(std::span<const Report> reports, std::span<const Side> sides,
                              const verdict::Comparison& found) {
  const auto told = side_by_side(sides, found);
  Json rows = Json::array();
  for (const auto& row : told.rows) {
    rows.push_back(
        {{"id", row.id}, {"label", row.label}, {"values", row.values}, {"change", row.change}});
  }
  const Json head = {{"schema", "tidegauge/side-by-side/1"},
                     {"by", found.by ? Json(verdict::id_of(*found.by)) : Json(nullptr)},
                     {"headline", told.headline},
                     {"lead", told.lead},
                     {"rows", rows},
                     {"evidence", found.sentences}};
  auto out = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  out.pop_back();
  out += ",\"runs\":[";
  // The reports are documents already: put in as they are, not read and written again.
  for (std::size_t i = 0; i < reports.size(); ++i) {
    out += i > 0 ? ",{\"name\":" : "{\"name\":";
    append_json_string(out, sides[i].name);
    out += ",\"report\":" + report_json(reports[i]) + "}";
  }
  return out + "]}";
}

}  // namespace tidegauge::view
