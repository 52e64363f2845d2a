// SPDX-License-Identifier: Apache-2.0
// From the rows of a table of somebody's series to the entries of a recording.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "record/csv_table.h"
#include "record/recording.h"

namespace tidegauge::record {

// Columns with a unit, or with --unit all that may be memory. Gives each series a name of its own.
Result<std::vector<std::size_t>> choose_series(std::vector<Column>& columns,
                                               std::optional<double> unit_bytes,
                                               std::size_t header_line);

// What one row says, in bytes.
struct RowFacts {
  struct Value {
    const Column* column = nullptr;
    std::uint64_t bytes = 0;
  };
  std::vector<Value> series{};  // in the order of the file, without the empty ones
  std::optional<Machine> machine{};
  std::vector<Cgroup> cgroups{};
};
Result<RowFacts> facts_of(const Table& table, const TableRow& row);

// Rows in order of time; of those with the same time (and pid) the last one.
struct OrderedRows {
  std::vector<const TableRow*> rows{};
  std::size_t unsorted = 0;
  std::size_t duplicated = 0;
};
OrderedRows in_order(const Table& table);

// The middle one of the times between two rows of the same process, in ns; 0 if there are none.
std::int64_t typical_interval(const Table& table, const std::vector<const TableRow*>& rows);

// Steps and epochs as events, whenever they change.
class MarkColumns {
 public:
  explicit MarkColumns(Clock clock) : clock_(clock) {}
  std::vector<Event> add(const TableRow& row, std::int64_t at_ns);

 private:
  Clock clock_;
  double step_ = TableRow::kNone;
  double epoch_ = TableRow::kNone;
};

using TakeEntry = std::function<void(Entry)>;

// The entries of a table with a pid column, a sample for each time the processes were looked at.
// How many rows a process lacks between its first and last.
Result<std::size_t> long_form(const Table& table, const OrderedRows& ordered,
                              std::int64_t interval_ns, const TakeEntry& take);

}  // namespace tidegauge::record
