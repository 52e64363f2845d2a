// SPDX-License-Identifier: Apache-2.0
// A CSV text as columns that are understood and rows of numbers, in the order of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/csv_columns.h"
#include "record/csv_rows.h"
#include "record/recording.h"

namespace tidegauge::record {

struct TableRow {
  std::size_t line = 0;
  std::int64_t at_ns = 0;
  std::optional<double> step{};
  std::optional<double> epoch{};
  Process process{};             // what the row says of it
  std::string event{};           // in lower case
  std::vector<double> values{};  // one per `Table::numbers`; NaN where the cell is empty
};

struct Table {
  std::vector<Column> columns{};
  std::vector<std::size_t> numbers{};  // the columns that `TableRow::values` holds
  std::vector<TableRow> rows{};
  Clock clock = Clock::Seconds;
  std::int64_t started_unix_ns = 0;  // at_ns counts from here; 0: the file does not say
  std::size_t missing = 0;           // empty cells, and rows without a time
  bool torn = false;

  bool has(Column::Meaning meaning) const { return find_column(columns, meaning).has_value(); }
};

// Says which columns hold the numbers that the caller wants, once the header is known; may change
// the columns. An error is that of the whole table.
using ChooseColumns = Result<std::vector<std::size_t>> (*)(std::vector<Column>& columns,
                                                           std::optional<double> unit_bytes,
                                                           std::size_t header_line);

// `example`: the header that a user should have written, for messages.
Result<Table> read_table(std::string_view text, std::optional<double> unit_bytes,
                         ChooseColumns choose, const std::string& example);

}  // namespace tidegauge::record
