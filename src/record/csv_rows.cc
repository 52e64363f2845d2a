// SPDX-License-Identifier: Apache-2.0
#include "record/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace tidegauge::record {

namespace {

constexpr std::size_t kMostColumns = 10'000;
constexpr std::size_t kLongestShown = 40;
// A row that is not whole by then is none; texts that come in pieces only.
constexpr std::size_t kLongestRow = 16 << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The one of , ; and tab that a line has most of, outside of quotes.
char likely_separator(std::string_view line) {
  std::size_t commas = 0;
  std::size_t semicolons = 0;
  std::size_t tabs = 0;
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    if (inside) continue;
    commas += c == ',' ? 1 : 0;
    semicolons += c == ';' ? 1 : 0;
    tabs += c == '\t' ? 1 : 0;
  }
  if (semicolons > commas && semicolons >= tabs) return ';';
  return tabs > commas ? '\t' : ',';
}

}  // namespace

std::string quoted(std::string_view cell) {
  const bool whole = cell.size() <= kLongestShown;
  return "'" + printable(cell.substr(0, kLongestShown)) + (whole ? "'" : "…'");
}

Error at_line(std::size_t line, const std::string& what) {
  return {Reason::Malformed, fmt::format("line {}: {}", line, what)};
}

namespace {

Error zero_bytes() {
  return {Reason::Malformed, "this is neither a recording nor a text: it has zero bytes"};
}

}  // namespace

Result<CsvRows> CsvRows::open(std::string begin, MoreText more) {
  auto held = std::make_unique<std::string>(std::move(begin));
  auto rows = open(*held);
  if (!rows) return rows;
  rows->held_ = std::move(held);
  rows->more_ = std::move(more);
  return rows;
}

Result<CsvRows> CsvRows::open(std::string_view text) {
  if (text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF") {
    return Error{Reason::Malformed, "this is UTF-16: save it as UTF-8"};
  }
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (text.find('\0') != text.npos) return zero_bytes();
  const bool old_mac = text.find('\n') == text.npos && text.find('\r') != text.npos;
  return CsvRows(text, old_mac ? '\r' : '\n');
}

// Passes over blank lines and comments. False at the end of the text.
bool CsvRows::skip_to_row() {
  while (!rest_.empty()) {
    const auto end = rest_.find(newline_);
    const auto line = trimmed(rest_.substr(0, end));
    if (!line.empty() && line[0] != '#') return true;
    if (!line.empty() && separator_ == 0) comment_ = trimmed(line.substr(1));
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++line_;
  }
  return false;
}

std::string_view CsvRows::take_plain() {
  const char stops[] = {separator_, newline_};
  const auto end = std::min(rest_.find_first_of({stops, 2}), rest_.size());
  const auto cell = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return trimmed(cell);
}

// A cell that begins with a quote. Doubled quotes inside stand for one.
Result<std::string_view> CsvRows::take_quoted() {
  const auto begins = line_;
  rest_.remove_prefix(rest_.find('"') + 1);
  std::string cell;
  while (true) {
    const auto quote = rest_.find('"');
    if (quote == rest_.npos) return at_line(begins, "a quote is opened here and never closed");
    cell += rest_.substr(0, quote);
    rest_.remove_prefix(quote + 1);
    if (rest_.empty() || rest_[0] != '"') break;
    cell += '"';
    rest_.remove_prefix(1);
  }
  line_ += static_cast<std::size_t>(std::count(cell.begin(), cell.end(), newline_));
  if (const auto tail = take_plain(); !tail.empty()) {
    return at_line(line_, quoted(tail) + " follows a closing quote");
  }
  unquoted_.push_back(std::move(cell));
  return trimmed(unquoted_.back());
}

// Holds what there is from `from` on, and the next piece. False: there is none.
Result<bool> CsvRows::hold_more(std::string_view from) {
  const auto kept = from.size();
  held_->erase(0, held_->size() - kept);
  const auto got = more_(*held_);
  if (!got) return got.error();
  if (held_->find('\0', kept) != held_->npos) return zero_bytes();
  rest_ = *held_;
  return *got;
}

Result<const CsvRow*> CsvRows::next() {
  while (true) {
    const auto rest = rest_;
    const auto line = line_;
    const auto separator = separator_;
    auto row = take_row();
    // A row that ends where the piece does may go on in the next one.
    const bool cut = more_ && (!row || rest_.empty()) && rest.size() < kLongestRow;
    if (!cut) return row;
    line_ = line;
    separator_ = separator;
    const auto more = hold_more(rest);
    if (!more) return more.error();
    if (!*more) more_ = nullptr;
  }
}

Result<const CsvRow*> CsvRows::take_row() {
  row_.cells.clear();
  unquoted_.clear();
  if (!skip_to_row()) return nullptr;
  if (separator_ == 0) separator_ = likely_separator(rest_.substr(0, rest_.find(newline_)));
  row_.line = line_;
  while (true) {
    if (row_.cells.size() == kMostColumns) {
      return at_line(line_, fmt::format("more than {} columns", kMostColumns));
    }
    const auto blanks = separator_ == '\t' ? " \r" : " \t\r";
    const auto start = rest_.find_first_not_of(blanks);
    if (start != rest_.npos && rest_[start] == '"') {
      const auto cell = take_quoted();
      if (!cell) return cell.error();
      row_.cells.push_back(*cell);
    } else {
      row_.cells.push_back(take_plain());
    }
    if (rest_.empty() || rest_[0] != separator_) break;
    rest_.remove_prefix(1);
  }
  row_.ended = !rest_.empty();
  if (row_.ended) rest_.remove_prefix(1);
  ++line_;
  return &row_;
}

std::vector<std::string_view> CsvRows::header_in_comment() const {
  std::vector<std::string_view> cells;
  std::string_view rest = comment_;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(separator_), rest.size());
    cells.push_back(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return cells;
}

}  // namespace tidegauge::record
