// SPDX-License-Identifier: Apache-2.0
#include "record/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

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

// More are no table of one job's memory; what is held of them must fit.
constexpr std::size_t kMostValues = 100'000'000;

struct ByWhatIsSaid {
  bool operator()(const Process& a, const Process& b) const {
    return std::tie(a.id, a.parent, a.role, a.name, a.command) <
           std::tie(b.id, b.parent, b.role, b.name, b.command);
  }
};

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
  Result<std::optional<double>> number(const CsvRow& row, std::size_t column) const;
  // Whether it says when.
  Result<bool> read_when(const CsvRow& row, TableRow& out);
  Result<> read_who(const CsvRow& row, TableRow& out);
  Result<> read_values(const CsvRow& row, TableRow& out);
  std::string_view text(const CsvRow& row, Meaning meaning) const;
  double seconds_per_unit() const;

  Table& table_;
  char separator_;
  std::optional<std::size_t> time_, step_, pid_;
  std::optional<bool> dates_{};  // else numbers, which `at_ns` holds as they stand until finish()
  std::map<Process, std::uint32_t, ByWhatIsSaid> processes_{};
  std::map<std::string, std::uint32_t> events_{};
};

// Of something that comes again and again, each once.
template <class Known, class Value>
std::uint32_t number_of(Known& known, std::vector<Value>& all, const Value& value) {
  const auto [at, is_new] = known.try_emplace(value, static_cast<std::uint32_t>(all.size()));
  if (is_new) all.push_back(value);
  return at->second;
}

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

Result<bool> Reader::read_when(const CsvRow& row, TableRow& out) {
  if (step_) {
    const auto step = number(row, *step_);
    if (!step) return step.error();
    out.step = step->value_or(TableRow::kNone);
    if (*step && std::fabs(**step) > kMostSeconds) {
      return at_line(row.line, fmt::format("{} is no number of a step", quoted(row.cells[*step_])));
    }
  }
  if (const auto epoch = find_column(table_.columns, Meaning::Epoch)) {
    const auto value = number(row, *epoch);
    if (!value) return value.error();
    out.epoch = value->value_or(TableRow::kNone);
  }
  if (!time_) return !std::isnan(out.step);
  if (row.cells[*time_].empty()) return false;
  const auto moment = parse_moment(row.cells[*time_]);
  if (!moment) {
    return at_line(row.line,
                   fmt::format("{} in column {} is neither a number of seconds nor a date such as "
                               "2024-05-01T12:34:56",
                               quoted(row.cells[*time_]), table_.columns[*time_].title));
  }
  if (dates_ && *dates_ != moment->is_date) {
    return at_line(row.line, fmt::format("{} in column {}: the rows above have {}",
                                         quoted(row.cells[*time_]), table_.columns[*time_].title,
                                         moment->is_date ? "numbers of seconds" : "dates"));
  }
  dates_ = moment->is_date;
  out.at_ns = moment->is_date ? moment->unix_ns : std::bit_cast<std::int64_t>(moment->number);
  return true;
}

Result<> Reader::read_who(const CsvRow& row, TableRow& out) {
  Process process;
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
  out.process = number_of(processes_, table_.processes, process);
  return Ok{};
}

Result<> Reader::read_values(const CsvRow& row, TableRow& out) {
  out.first = table_.values.size();
  for (std::size_t i = 0; i < table_.numbers.size(); ++i) {
    const auto value = number(row, table_.numbers[i]);
    if (!value) return value.error();
    if (*value) {
      table_.values.push_back({static_cast<std::uint32_t>(i), **value});
    } else {
      ++table_.missing;
    }
  }
  out.values = static_cast<std::uint32_t>(table_.values.size() - out.first);
  if (table_.values.size() <= kMostValues) return Ok{};
  return at_line(row.line, fmt::format("more than {} values: thin them out first", kMostValues));
}

Result<> Reader::add(const CsvRow& row) {
  if (table_.rows.size() == kMostRows) {
    return at_line(row.line, fmt::format("more than {} rows: thin them out first", kMostRows));
  }
  TableRow out{.line = static_cast<std::uint32_t>(row.line)};
  const auto placed = read_when(row, out);
  if (!placed) return placed.error();
  if (auto done = read_who(row, out); !done) return done;
  out.event = number_of(events_, table_.events, lower(text(row, Meaning::Event)));
  if (auto done = read_values(row, out); !done) return done;
  // Without its moment a row has no place.
  if (!*placed) {
    ++table_.missing;
    table_.values.resize(out.first);
    return Ok{};
  }
  table_.rows.push_back(out);
  return Ok{};
}

double Reader::seconds_per_unit() const {
  if (const auto unit = table_.columns[*time_].unit) return *unit;
  double largest = 0;
  for (const auto& row : table_.rows) {
    largest = std::max(largest, std::fabs(std::bit_cast<double>(row.at_ns)));
  }
  return largest > kNanosecondsFrom    ? 1e-9
         : largest > kMicrosecondsFrom ? 1e-6
         : largest > kMillisecondsFrom ? 1e-3
                                       : 1;
}

// Puts all rows on one clock, now that all are known.
Result<> Reader::finish() {
  auto& rows = table_.rows;
  if (!time_) {
    for (auto& row : rows) row.at_ns = std::llround(row.step * kNsPerSecond);
    return Ok{};
  }
  if (rows.empty()) return Ok{};
  if (*dates_) {
    for (const auto& row : rows) {
      table_.started_unix_ns =
          std::min(table_.started_unix_ns == 0 ? row.at_ns : table_.started_unix_ns, row.at_ns);
    }
    for (auto& row : rows) row.at_ns -= table_.started_unix_ns;
    return Ok{};
  }
  const double unit = seconds_per_unit();
  double first = std::numeric_limits<double>::infinity();
  for (const auto& row : rows) {
    const double number = std::bit_cast<double>(row.at_ns);
    if (std::fabs(number * unit) > kMostSeconds) {
      return at_line(row.line, fmt::format("{} is no time", number));
    }
    first = std::min(first, number * unit);
  }
  const double origin = first >= kUnixFrom ? first : 0;
  table_.started_unix_ns = std::llround(origin * kNsPerSecond);
  for (auto& row : rows) {
    row.at_ns = std::llround((std::bit_cast<double>(row.at_ns) * unit - origin) * kNsPerSecond);
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

Result<Table> read_table(CsvRows rows, std::optional<double> unit_bytes, ChooseColumns choose,
                         const std::string& example) {
  auto row = rows.next();
  if (!row) return row.error();
  if (*row == nullptr) {
    return Error{
        Reason::Malformed,
        fmt::format("the file is empty: expected a header such as {} and rows below it", example)};
  }
  const bool headless = all_numbers((*row)->cells);
  const auto in_comment = rows.header_in_comment();
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

  Reader reader(table, rows.separator());
  if (!headless) row = rows.next();
  for (; row && *row != nullptr; row = rows.next()) {
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
