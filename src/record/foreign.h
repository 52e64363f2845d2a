// SPDX-License-Identifier: Apache-2.0
// Somebody else's series as a Recording: CSV in the forms that docs/judge-input.md describes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/recording.h"

namespace tidegauge::record {

struct CsvOptions {
  std::optional<double> unit_bytes{};  // for columns whose name does not end in _kb, _mb, _bytes…
};

struct CsvNotes {
  std::size_t rows = 0;
  std::size_t unsorted = 0;            // rows put in order
  std::size_t duplicated = 0;          // same time (and pid) again: the last one counts
  std::size_t missing = 0;             // empty cells, and rows that a process lacks in between
  bool torn = false;                   // the last line was cut and passed over
  std::vector<std::string> ignored{};  // columns that are no memory
};

struct Foreign {
  Recording recording;
  CsvNotes notes;
};

// One column per series (Sample::others, in the order of the file), or with a pid column one row
// per process (Sample::processes). Errors name the line: "line 7: 'x6x' in column rss_mb is not a
// number".
Result<Foreign> parse_csv(std::string_view text, const CsvOptions& options);

// The same for anybody's series, told apart by what is in it: CSV, mprof and psrecord logs, the
// JSON of a Prometheus range query or of a Trainer's log, docker stats and kubectl top
// (docs/judge-input.md).
Result<Foreign> parse_series(std::string_view text, const CsvOptions& options);

// The same of a file or a pipe, which is not held: what is read of it goes to `header` and `take`
// as it would stand in a recording. An error may come after some entries.
Result<CsvNotes> read_series(int fd, const CsvOptions& options,
                             const std::function<void(const Header&)>& header,
                             const std::function<void(const Entry&)>& take);

// Events of a markers file, by their own clock.
struct Markers {
  std::vector<Event> events{};  // in order
  Clock clock = Clock::Seconds;
  bool unix_time = false;  // at_ns counts from 1970 and not from the beginning of the recording
};

// Rows `time,step,epoch,event`.
Result<Markers> parse_markers(std::string_view text);

// Puts markers among the entries of a recording, whatever their clocks. Malformed if there is no
// way from one to the other: markers that count steps for a recording that has none.
Result<> merge(Recording& recording, const Markers& markers);

// Puts events of the recording's own clock among its entries.
void merge(Recording& recording, std::vector<Event> events);

}  // namespace tidegauge::record
