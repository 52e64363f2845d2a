// SPDX-License-Identifier: Apache-2.0
#include "view/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "view/table.h"

namespace tidegauge::view {

namespace {

using verdict::Comparison;
using verdict::Outline;
using Json = nlohmann::ordered_json;

constexpr std::size_t kRowsShown = 8;

std::string place_of(const Comparison& found, double at) {
  return found.by == Comparison::By::Step ? fmt::format("{:.0f}", at) : format_duration(at);
}

// The last part of a path tells files apart in most cases; the rest is for the sentences.
std::string short_name(const std::string& name) {
  const auto cut = name.find_last_of('/');
  return printable(cut == name.npos || cut + 1 == name.size() ? name : name.substr(cut + 1));
}

}  // namespace

std::string comparison_text(std::span<const Outline> runs, const Comparison& found,
                            std::size_t columns) {
  std::string out = "Side by side\n";
  for (const auto& sentence : found.sentences) out += "  · " + sentence + "\n";
  if (found.rows.empty()) return out;
  std::vector<TableColumn> titles = {{.title = found.by == Comparison::By::Step ? "STEP" : "TIME",
                                      .right = true,
                                      .importance = 9}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool odd =
        std::find(found.different.begin(), found.different.end(), i) != found.different.end();
    titles.push_back({.title = short_name(runs[i].name) + (odd ? " *" : ""),
                      .right = true,
                      .importance = odd ? 8 : 1});
  }
  Table table(std::move(titles));
  const std::size_t shown = std::min(kRowsShown, found.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& row = found.rows[shown == 1 ? 0 : i * (found.rows.size() - 1) / (shown - 1)];
    std::vector<std::string> cells = {place_of(found, row.at)};
    for (const double bytes : row.bytes) cells.push_back(format_bytes(bytes));
    table.add(std::move(cells));
  }
  for (const auto& line : table.lines(columns > 2 ? columns - 2 : columns)) {
    out += "  " + line + "\n";
  }
  return out;
}

std::string comparison_document(std::span<const Outline> runs, const Comparison& found) {
  Json names = Json::array();
  for (const auto& run : runs) {
    names.push_back({{"source", run.name},
                     {"class", verdict::id_of(run.verdict.klass)},
                     {"p_leak", run.verdict.p_leak}});
  }
  Json rows = Json::array();
  for (const auto& row : found.rows) rows.push_back({{"at", row.at}, {"bytes", row.bytes}});
  const Json document = {{"schema", "tidegauge/comparison/1"},
                         {"by", found.by ? Json(verdict::id_of(*found.by)) : Json(nullptr)},
                         {"runs", names},
                         {"different", found.different},
                         {"rows", rows},
                         {"evidence", found.sentences}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tidegauge::view
