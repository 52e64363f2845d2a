// SPDX-License-Identifier: Apache-2.0
// Somebody else's series as a Recording: CSV in the forms that docs/judge-input.md describes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "record/recording.h"

namespace tidegauge::record {

struct CsvOptions {
  std::optional<double> unit_bytes{};  // for columns whose name does not end in _kb, _mb, _bytes…
};

struct CsvNotes {
  std::size_t rows = 0;
  std::size_t unsorted = 0;    // rows put in order
  std::size_t duplicated = 0;  // same time (and pid) again: the last one counts
  std::size_t missing = 0;     // empty cells
};

struct Foreign {
  Recording recording;
  CsvNotes notes;
};

// Errors name the line: "line 7: 'x6x' in column rss_mb is not a number".
Result<Foreign> parse_csv(std::string_view text, const CsvOptions& options);

// Rows `time,step,epoch,event` as events, to be merged into a recording.
Result<std::vector<Event>> parse_markers(std::string_view text);

// Puts events among the entries by time.
void merge(Recording& recording, std::vector<Event> events);

}  // namespace tidegauge::record
