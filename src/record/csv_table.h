// SPDX-License-Identifier: Apache-2.0
// A CSV text as columns that are understood and rows of numbers, in the order of the file.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/csv_columns.h"
#include "record/csv_rows.h"
#include "record/recording.h"

namespace tidegauge::record {

// Small: a file may have millions of them, and they have to be put in order.
struct TableRow {
  std::uint32_t line = 0;
  std::uint32_t process = 0;  // of Table::processes: what the row says of it
  std::uint32_t event = 0;    // of Table::events
  std::uint32_t values = 0;   // how many cells are not empty…
  std::size_t first = 0;      // …of Table::values, from here on
  std::int64_t at_ns = 0;
  double step = kNone;  // not a number: none
  double epoch = kNone;

  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
};

// A cell that holds a number.
struct TableValue {
  std::uint32_t number = 0;  // which of Table::numbers
  double value = 0;
};

struct Table {
  std::vector<Column> columns{};
  std::vector<std::size_t> numbers{};  // the columns that `TableRow::values` holds
  std::vector<TableRow> rows{};
  std::vector<TableValue> values{};
  std::vector<Process> processes{};   // each once
  std::vector<std::string> events{};  // in lower case, each once
  Clock clock = Clock::Seconds;
  std::int64_t started_unix_ns = 0;  // at_ns counts from here; 0: the file does not say
  std::size_t missing = 0;           // empty cells, and rows without a time
  bool torn = false;

  std::span<const TableValue> values_of(const TableRow& row) const {
    return std::span(values).subspan(row.first, row.values);
  }
  const Process& process_of(const TableRow& row) const { return processes[row.process]; }
  bool has(Column::Meaning meaning) const { return find_column(columns, meaning).has_value(); }
};

// Says which columns hold the numbers that the caller wants, once the header is known; may change
// the columns. An error is that of the whole table.
using ChooseColumns = Result<std::vector<std::size_t>> (*)(std::vector<Column>& columns,
                                                           std::optional<double> unit_bytes,
                                                           std::size_t header_line);

// `example`: the header that a user should have written, for messages.
Result<Table> read_table(CsvRows rows, std::optional<double> unit_bytes, ChooseColumns choose,
                         const std::string& example);

}  // namespace tidegauge::record
