// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>

#include "record/csv_series.h"
#include "record/foreign.h"
#include "record/foreign_formats.h"

namespace tidegauge::record {

namespace {

using Meaning = Column::Meaning;

constexpr double kNsPerSecond = 1e9;

// A text of which more than that is no table is not held as a whole.
constexpr std::size_t kHeldPiece = 1 << 20;
constexpr std::size_t kMostHeld = 512 << 20;

// One column per series.
Result<> wide_form(const Table& table, const OrderedRows& ordered, const TakeEntry& take) {
  MarkColumns marks(table.clock);
  for (const auto* row : ordered.rows) {
    for (auto& event : marks.add(*row, row->at_ns)) take(std::move(event));
    auto facts = facts_of(table, *row);
    if (!facts) return facts.error();
    Sample sample{
        .at_ns = row->at_ns, .machine = facts->machine, .cgroups = std::move(facts->cgroups)};
    for (const auto& [column, bytes] : facts->series) {
      sample.others.push_back({column->name, static_cast<double>(bytes)});
    }
    take(std::move(sample));
  }
  return Ok{};
}

bool has_series(const Entry& entry) {
  const auto* sample = std::get_if<Sample>(&entry);
  if (sample == nullptr) return false;
  return !sample->others.empty() ||
         std::any_of(sample->processes.begin(), sample->processes.end(), [](const auto& process) {
           return !(process.memory == Memory{}) || !process.others.empty();
         });
}

Header header_of(const Table& table, std::int64_t interval_ns) {
  return {.tool = "csv",
          .clock = table.clock,
          .started_unix_ns = table.started_unix_ns,
          .interval_seconds = static_cast<double>(interval_ns) / kNsPerSecond};
}

CsvNotes notes_of(const Table& table, const OrderedRows& ordered) {
  CsvNotes notes{.rows = table.rows.size(),
                 .unsorted = ordered.unsorted,
                 .duplicated = ordered.duplicated,
                 .missing = table.missing,
                 .torn = table.torn};
  for (const auto& column : table.columns) {
    if (column.meaning == Meaning::Ignored) notes.ignored.push_back(column.title);
  }
  return notes;
}

Result<CsvNotes> read_csv(CsvRows rows, const CsvOptions& options,
                          const std::function<void(const Header&)>& header, const TakeEntry& take) {
  const auto table = read_table(std::move(rows), options.unit_bytes, choose_series, "time,rss_mb");
  if (!table) return table.error();
  const auto ordered = in_order(*table);
  auto notes = notes_of(*table, ordered);
  const auto interval_ns = typical_interval(*table, ordered.rows);
  header(header_of(*table, interval_ns));
  bool any = false;
  const TakeEntry look_and_take = [&](Entry entry) {
    any = any || has_series(entry);
    take(std::move(entry));
  };
  if (table->has(Meaning::Pid)) {
    const auto missing = long_form(*table, ordered, interval_ns, look_and_take);
    if (!missing) return missing.error();
    notes.missing += *missing;
  } else if (const auto done = wide_form(*table, ordered, look_and_take); !done) {
    return done.error();
  }
  if (!any) return Error{Reason::Malformed, "all cells of all series are empty"};
  return notes;
}

Result<CsvNotes> read_text(std::string_view text, const CsvOptions& options,
                           const std::function<void(const Header&)>& header,
                           const TakeEntry& take) {
  auto rows = CsvRows::open(text);
  if (!rows) return rows.error();
  return read_csv(*std::move(rows), options, header, take);
}

// The text as CSV, where it is of another format that we know.
AsCsv from_another(std::string_view text) {
  for (const auto from : {from_json, from_mprof, from_psrecord, from_sizes_csv}) {
    auto csv = from(text);
    if (csv) return csv;
  }
  return {};
}

// Appends what there is, up to some size; false: the file has ended.
Result<bool> read_piece(int fd, std::string& into, std::size_t bytes) {
  const auto had = into.size();
  into.resize(had + bytes);
  std::size_t got = 0;
  bool ended = false;
  while (got < bytes && !ended) {
    const ssize_t count = ::read(fd, into.data() + had + got, bytes - got);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return from_errno(errno, "reading it");
    ended = count == 0;
    got += static_cast<std::size_t>(count);
  }
  into.resize(had + got);
  return got > 0;
}

Result<CsvNotes> read_held(const std::string& text, const CsvOptions& options,
                           const std::function<void(const Header&)>& header,
                           const TakeEntry& take) {
  const auto csv = from_another(text);
  if (csv && !*csv) return csv->error();
  return read_text(csv ? std::string_view(**csv) : std::string_view(text), options, header, take);
}

}  // namespace

Result<CsvNotes> read_series(int fd, const CsvOptions& options,
                             const std::function<void(const Header&)>& header,
                             const std::function<void(const Entry&)>& take) {
  std::string text;
  auto more = read_piece(fd, text, kHeldPiece);
  if (!more) return more.error();
  if (text.size() < kHeldPiece) return read_held(text, options, header, take);
  // Its last line may be half a line.
  if (!from_another(std::string_view(text).substr(0, text.rfind('\n') + 1))) {
    auto rows = CsvRows::open(std::move(text),
                              [fd](std::string& into) { return read_piece(fd, into, kHeldPiece); });
    if (!rows) return rows.error();
    return read_csv(*std::move(rows), options, header, take);
  }
  while (more && *more) {
    if (text.size() > kMostHeld) {
      return Error{Reason::Malformed, "more than 512 MiB of it: make it CSV, or thin it out"};
    }
    more = read_piece(fd, text, kHeldPiece);
  }
  if (!more) return more.error();
  return read_held(text, options, header, take);
}

Result<Foreign> parse_csv(std::string_view text, const CsvOptions& options) {
  Foreign foreign;
  auto notes = read_text(
      text, options, [&](const Header& header) { foreign.recording.header = header; },
      [&](Entry entry) { foreign.recording.entries.push_back(std::move(entry)); });
  if (!notes) return notes.error();
  foreign.notes = *std::move(notes);
  return foreign;
}

Result<Foreign> parse_series(std::string_view text, const CsvOptions& options) {
  const auto csv = from_another(text);
  if (csv && !*csv) return csv->error();
  return parse_csv(csv ? std::string_view(**csv) : text, options);
}

}  // namespace tidegauge::record
