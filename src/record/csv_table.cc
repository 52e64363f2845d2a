// SPDX-License-Identifier: Apache-2.0
#include "record/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "record/csv_time.h"
#include "record/names.h"

namespace tidegauge::record {

namespace {

using Meaning = Column::Meaning;

constexpr std::size_t kMostRows = 5'000'000;
constexpr double kNsPerSecond = 1e9;
// Beyond these a number of seconds is no such thing: 9e9 s do not fit into nanoseconds, and larger
// ones are times since 1970 in milli-, micro- or nanoseconds.
constexpr double kMostSeconds = 9e9;
constexpr double kMillisecondsFrom = 1e11;
constexpr double kMicrosecondsFrom = 1e14;
constexpr double kNanosecondsFrom = 1e17;
// Seconds since 1970 rather than since the beginning: three years is a long job.
constexpr double kUnixFrom = 1e8;

constexpr double kEmpty = std::numeric_limits<double>::quiet_NaN();

// Reads the rows below a header.
class Reader {
 public:
  Reader(Table& table, char separator) : table_(table), separator_(separator) {
    const auto& columns = table.columns;
    time_ = find_column(columns, Meaning::Time);
    step_ = find_column(columns, Meaning::Step);
    pid_ = find_column(columns, Meaning::Pid);
    table.clock = time_ ? Clock::Seconds : Clock::Steps;
  }

  Result<> add(const CsvRow& row);
  Result<> finish();

 private:
  struct Read {
    std::size_t line = 0;
    Moment moment{};
  };
  Result<std::optional<double>> number(const CsvRow& row, std::size_t column) const;
  Result<> read_when(const CsvRow& row, TableRow& out);
  Result<> read_who(const CsvRow& row, TableRow& out) const;
  std::string_view text(const CsvRow& row, Meaning meaning) const;
  double seconds_per_unit() const;

  Table& table_;
  char separator_;
  std::optional<std::size_t> time_, step_, pid_;
  std::vector<Moment> moments_;  // of the rows
};

Error not_a_number(const CsvRow& row, std::string_view cell, const Column& column) {
  return at_line(row.line,
                 fmt::format("{} in column {} is not a number", quoted(cell), column.title));
}

Result<std::optional<double>> Reader::number(const CsvRow& row, std::size_t column) const {
  const auto cell = row.cells[column];
  if (cell.empty()) return std::optional<double>{};
  const auto value = parse_csv_number(cell, separator_);
  if (!value) return not_a_number(row, cell, table_.columns[column]);
  return value;
}

std::string_view Reader::text(const CsvRow& row, Meaning meaning) const {
  const auto column = find_column(table_.columns, meaning);
  return column ? row.cells[*column] : std::string_view{};
}

Result<> Reader::read_when(const CsvRow& row, TableRow& out) {
  if (step_) {
    const auto step = number(row, *step_);
    if (!step) return step.error();
    out.step = *step;
    if (*step && std::fabs(**step) > kMostSeconds) {
      return at_line(row.line, fmt::format("{} is no number of a step", quoted(row.cells[*step_])));
    }
  }
  if (const auto epoch = find_column(table_.columns, Meaning::Epoch)) {
    const auto value = number(row, *epoch);
    if (!value) return value.error();
    out.epoch = *value;
  }
  if (!time_ || row.cells[*time_].empty()) return Ok{};
  const auto moment = parse_moment(row.cells[*time_]);
  if (!moment) {
    return at_line(row.line,
                   fmt::format("{} in column {} is neither a number of seconds nor a date such as "
                               "2024-05-01T12:34:56",
                               quoted(row.cells[*time_]), table_.columns[*time_].title));
  }
  if (!moments_.empty() && moments_.front().is_date != moment->is_date) {
    return at_line(row.line, fmt::format("{} in column {}: the rows above have {}",
                                         quoted(row.cells[*time_]), table_.columns[*time_].title,
                                         moment->is_date ? "numbers of seconds" : "dates"));
  }
  moments_.push_back(*moment);
  return Ok{};
}

Result<> Reader::read_who(const CsvRow& row, TableRow& out) const {
  auto& process = out.process;
  if (pid_) {
    const auto pid = to_number<pid_t>(row.cells[*pid_]);
    if (!pid || *pid < 0) {
      return at_line(row.line, fmt::format("{} in column {} is not the number of a process",
                                           quoted(row.cells[*pid_]), table_.columns[*pid_].title));
    }
    process.id.pid = *pid;
  }
  if (const auto start = find_column(table_.columns, Meaning::Start);
      start && !row.cells[*start].empty()) {
    const auto value = number(row, *start);
    if (!value) return value.error();
    if (**value < 0 || **value > 9e18)
      return not_a_number(row, row.cells[*start], table_.columns[*start]);
    process.id.start_ticks = static_cast<std::uint64_t>(**value);
  }
  process.parent.pid = to_number<pid_t>(text(row, Meaning::Parent)).value_or(0);
  process.name = text(row, Meaning::Name);
  process.command = text(row, Meaning::Command);
  const auto role = text(row, Meaning::Role);
  process.role = role_of(lower(role)).value_or(Role::Other);
  return Ok{};
}

Result<> Reader::add(const CsvRow& row) {
  if (table_.rows.size() == kMostRows) {
    return at_line(row.line, fmt::format("more than {} rows: thin them out first", kMostRows));
  }
  TableRow out{.line = row.line};
  if (auto done = read_when(row, out); !done) return done;
  if (auto done = read_who(row, out); !done) return done;
  out.event = lower(text(row, Meaning::Event));
  for (const auto column : table_.numbers) {
    const auto value = number(row, column);
    if (!value) return value.error();
    table_.missing += *value ? 0 : 1;
    out.values.push_back(value->value_or(kEmpty));
  }
  // Without its moment a row has no place.
  const bool placed = time_ ? moments_.size() > table_.rows.size() : out.step.has_value();
  if (!placed) {
    ++table_.missing;
    return Ok{};
  }
  table_.rows.push_back(std::move(out));
  return Ok{};
}

double Reader::seconds_per_unit() const {
  if (const auto unit = table_.columns[*time_].unit) return *unit;
  double largest = 0;
  for (const auto& moment : moments_) largest = std::max(largest, std::fabs(moment.number));
  return largest > kNanosecondsFrom    ? 1e-9
         : largest > kMicrosecondsFrom ? 1e-6
         : largest > kMillisecondsFrom ? 1e-3
                                       : 1;
}

// Puts all rows on one clock, now that all are known.
Result<> Reader::finish() {
  auto& rows = table_.rows;
  if (!time_) {
    for (auto& row : rows) row.at_ns = std::llround(*row.step * kNsPerSecond);
    return Ok{};
  }
  if (moments_.empty()) return Ok{};
  if (moments_.front().is_date) {
    for (const auto& moment : moments_) {
      table_.started_unix_ns = std::min(
          table_.started_unix_ns == 0 ? moment.unix_ns : table_.started_unix_ns, moment.unix_ns);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].at_ns = moments_[i].unix_ns - table_.started_unix_ns;
    }
    return Ok{};
  }
  const double unit = seconds_per_unit();
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::fabs(moments_[i].number * unit) > kMostSeconds) {
      return at_line(rows[i].line, fmt::format("{} is no time", moments_[i].number));
    }
    first = std::min(first, moments_[i].number * unit);
  }
  const double origin = first >= kUnixFrom ? first : 0;
  table_.started_unix_ns = std::llround(origin * kNsPerSecond);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].at_ns = std::llround((moments_[i].number * unit - origin) * kNsPerSecond);
  }
  return Ok{};
}

bool all_numbers(const std::vector<std::string_view>& cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [](std::string_view cell) { return parse_moment(cell).has_value(); });
}

Result<> fit(const CsvRow& row, std::size_t columns) {
  const auto extra = row.cells.size() > columns &&
                     std::any_of(row.cells.begin() + static_cast<std::ptrdiff_t>(columns),
                                 row.cells.end(), [](auto cell) { return !cell.empty(); });
  if (row.cells.size() >= columns && !extra) return Ok{};
  return at_line(row.line, fmt::format("{} cells, but the header names {} columns",
                                       row.cells.size(), columns));
}

}  // namespace

Result<Table> read_table(std::string_view text, std::optional<double> unit_bytes,
                         ChooseColumns choose, const std::string& example) {
  auto rows = CsvRows::open(text);
  if (!rows) return rows.error();
  auto row = rows->next();
  if (!row) return row.error();
  if (*row == nullptr) {
    return Error{
        Reason::Malformed,
        fmt::format("the file is empty: expected a header such as {} and rows below it", example)};
  }
  const bool headless = all_numbers((*row)->cells);
  const auto in_comment = rows->header_in_comment();
  if (headless && in_comment.size() != (*row)->cells.size()) {
    return at_line((*row)->line,
                   fmt::format("expected a header such as {}, found numbers", example));
  }
  Table table;
  const auto& titles = headless ? in_comment : (*row)->cells;
  for (const auto title : titles) table.columns.push_back(understand_column(title));
  auto numbers = choose(table.columns, unit_bytes, (*row)->line);
  if (!numbers) return numbers.error();
  table.numbers = *std::move(numbers);

  Reader reader(table, rows->separator());
  if (!headless) row = rows->next();
  for (; row && *row != nullptr; row = rows->next()) {
    auto done = fit(**row, table.columns.size());
    if (done) done = reader.add(**row);
    if (!done && !(*row)->ended && !table.rows.empty()) {
      table.torn = true;  // a file that is still being written, or was cut
      break;
    }
    if (!done) return done.error();
  }
  if (!row) return row.error();
  if (const auto done = reader.finish(); !done) return done.error();
  if (table.rows.empty()) {
    return Error{Reason::Malformed, fmt::format("there is a header ({}) but no row below it",
                                                titles_of(table.columns))};
  }
  return table;
}

}  // namespace tidegauge::record
