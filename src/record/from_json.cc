// SPDX-License-Identifier: Apache-2.0
// The answer of a Prometheus range query, and what a Trainer logged (trainer_state.json).
#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <set>

#include "base/python_json.h"
#include "base/text.h"
#include "record/foreign_formats.h"
#include "record/wide_table.h"

namespace tidegauge::record {

namespace {

namespace dom = simdjson::dom;

Error malformed(std::string what) {
  return {Reason::Malformed, std::move(what)};
}

constexpr const char* kExpected =
    "this JSON is neither the answer of a Prometheus range query (data.result[].values) nor what a "
    "Trainer logged (log_history, a list of objects with a step)";

std::optional<double> number_in(const dom::element& value) {
  double number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return {};
  return to_number<double>(text);
}

// Labels that tell the series of one answer apart, in the order in which people name them.
std::string name_of(const dom::object& metric, const std::set<std::string>& differing) {
  std::string out;
  for (const auto& field : metric) {
    std::string_view value;
    if (!differing.contains(std::string(field.key)) || field.value.get(value)) continue;
    out += (out.empty() ? "" : " ") + printable(value);
  }
  std::string_view whole;
  if (out.empty() && !metric["__name__"].get(whole)) out = printable(whole);
  return out.empty() ? "memory" : out;
}

std::set<std::string> differing_labels(const dom::array& series) {
  std::map<std::string, std::set<std::string>> values;
  std::size_t count = 0;
  for (const auto one : series) {
    dom::object metric;
    if (one["metric"].get(metric)) continue;
    ++count;
    for (const auto& field : metric) {
      std::string_view value;
      if (!field.value.get(value)) values[std::string(field.key)].emplace(value);
    }
  }
  std::set<std::string> out;
  for (const auto& [label, seen] : values) {
    if (seen.size() > 1 && count > 1) out.insert(label);
  }
  return out;
}

Result<std::string> from_matrix(const dom::array& series) {
  const auto differing = differing_labels(series);
  WideTable table("time");
  for (const auto one : series) {
    dom::object metric;
    dom::array values;
    if (one["values"].get(values)) {
      return malformed("a Prometheus answer without values: ask query_range, not query");
    }
    const std::string name = one["metric"].get(metric) ? "memory" : name_of(metric, differing);
    for (const auto pair : values) {
      dom::array both;
      if (pair.get(both) || both.size() != 2) return malformed("a value that is no [time, value]");
      if (both.at(1).is_null()) continue;
      const auto at = number_in(both.at(0).value_unsafe());
      const auto bytes = number_in(both.at(1).value_unsafe());
      if (!at || !bytes || !std::isfinite(*at)) return malformed("a value that is no number");
      // Prometheus says NaN where there is none.
      if (!std::isfinite(*bytes) || *bytes < 0) continue;
      if (!table.add(*at, name + " (bytes)", *bytes)) return malformed("too many series or values");
    }
  }
  if (table.empty()) return malformed("the Prometheus answer holds no value");
  return table.csv();
}

// Rows of a step are one: a Trainer logs training and evaluation apart.
Result<std::string> from_log_history(const dom::array& rows) {
  WideTable table("step");
  for (const auto row : rows) {
    dom::object fields;
    if (row.get(fields)) return malformed(kExpected);
    double step = 0;
    if (fields["step"].get(step) || !std::isfinite(step)) continue;
    for (const auto& field : fields) {
      double value = 0;
      if (field.key == "step" || field.value.get(value) || !std::isfinite(value)) continue;
      if (!table.add(step, std::string(field.key), value)) {
        return malformed("too many columns or values");
      }
    }
  }
  if (table.empty()) return malformed(kExpected);
  return table.csv();
}

Result<std::string> understood(const dom::element& root) {
  dom::array list;
  if (!root.at_pointer("/data/result").get(list)) return from_matrix(list);
  std::string_view why;
  if (!root["error"].get(why)) return malformed("Prometheus answered: " + printable(why));
  if (!root["log_history"].get(list) || !root.get(list)) return from_log_history(list);
  return malformed(kExpected);
}

}  // namespace

AsCsv from_json(std::string_view text) {
  const auto begin = trimmed(text);
  if (begin.empty() || (begin[0] != '{' && begin[0] != '[')) return {};
  dom::parser parser;
  dom::element root;
  // A loss or a gradient's norm may be NaN: Python then writes what JSON does not know.
  const auto json = python_json_as_json(text);
  if (const auto error = parser.parse(json).get(root)) {
    return malformed(fmt::format("this is no whole JSON: {}", simdjson::error_message(error)));
  }
  return understood(root);
}

}  // namespace tidegauge::record
