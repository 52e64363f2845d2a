// SPDX-License-Identifier: Apache-2.0
// The rows of a CSV text: RFC 4180 and what is commonly found besides (semicolons and tabs, CR or
// CRLF, a byte order mark, comments, blank lines).
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidegauge::record {

struct CsvRow {
  std::size_t line = 0;                 // where it begins, counted from 1
  std::vector<std::string_view> cells;  // trimmed
  bool ended = true;                    // by a newline; the last one may have been cut
};

// Appends the next piece of a text that is too long to be held; false: it has ended.
using MoreText = std::function<Result<bool>(std::string&)>;

class CsvRows {
 public:
  // Malformed if this is no text that we can read (UTF-16, binary).
  static Result<CsvRows> open(std::string_view text);
  // Of a text that comes in pieces, of which `begin` is the first.
  static Result<CsvRows> open(std::string begin, MoreText more);

  // Good until the next call; null at the end. Malformed names the line.
  Result<const CsvRow*> next();
  char separator() const { return separator_; }

  // The last comment before the first row, split into cells: where some tools put their header.
  std::vector<std::string_view> header_in_comment() const;

 private:
  CsvRows(std::string_view text, char newline) : rest_(text), newline_(newline) {}
  Result<const CsvRow*> take_row();
  Result<bool> hold_more(std::string_view from);
  bool skip_to_row();
  std::string_view take_plain();
  Result<std::string_view> take_quoted();

  std::unique_ptr<std::string> held_{};  // where the text comes in pieces
  MoreText more_{};
  std::string_view rest_;
  char newline_ = '\n';
  char separator_ = 0;  // 0: not known yet
  std::size_t line_ = 1;
  std::string comment_{};
  CsvRow row_{};
  std::deque<std::string> unquoted_;  // cells of this row that are not as they stand in the text
};

// "'x6x'", cut short and fit for a terminal.
std::string quoted(std::string_view cell);
Error at_line(std::size_t line, const std::string& what);  // Malformed, "line 7: …"

}  // namespace tidegauge::record
