// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/fd.h"
#include "base/text.h"
#include "record/file.h"
#include "record/frame_reader.h"
#include "record/line_reader.h"
#include "record/read_entries.h"

namespace tidegauge::record {

namespace {

using Piece = FrameReader::Piece;

constexpr std::size_t kLongestLine = 64 << 20;
// A line is held whole and parsed in several times its size: that of a small file has to be
// shorter.
constexpr std::uint64_t kLongestOfAny = 8 << 20;
constexpr std::uint64_t kLongestPerByte = 8;
constexpr double kNsPerSecond = 1e9;

std::size_t longest_line(std::uint64_t file_bytes) {
  const auto longest =
      kLongestOfAny + kLongestPerByte * std::min(file_bytes, std::uint64_t{1} << 32);
  return std::min<std::size_t>(kLongestLine, longest);
}

// Hands the lines of pieces of text to a LineReader.
class LineFeed {
 public:
  LineFeed(const std::function<void(const Header&)>& header,
           const std::function<void(const Entry&)>& take, ReadBudget budget, std::size_t longest)
      : header_(header), take_(take), budget_(budget), longest_(longest) {}

  // Uses up all whole lines of `text`.
  Result<> feed(std::string& text) {
    const auto size = text.size();
    text.append(line_padding(), ' ');
    std::string_view rest(text.data(), size);
    Result<> done = Ok{};
    for (auto end = rest.find('\n'); done && end != rest.npos && !budget_.used_up();
         end = rest.find('\n')) {
      ++found.lines;
      done = take(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    const auto left = rest.size();
    text.resize(size);
    text.erase(0, size - left);
    if (done && left > longest_ && !budget_.used_up()) {
      return Error{
          Reason::Malformed,
          fmt::format("line {} has more than {} MiB{}: this is no recording", found.lines + 1,
                      longest_ >> 20, longest_ < kLongestLine ? ", in a file of that size" : "")};
    }
    return done;
  }

  // Bytes of text, blank or not, that were looked at.
  void spend_text(std::uint64_t bytes) { budget_.spend_text(bytes); }
  bool used_up() const { return budget_.used_up(); }

  // A line, or a frame, is missing here.
  void lose() { lines_.lose(); }
  bool began() const { return began_; }
  double last_at() const { return last_at_; }
  struct Found : ReadEnd {
    std::uint64_t lines = 0;
  };
  Found found{};

 private:
  Result<> take(std::string_view line) {
    if (trimmed(line).empty()) return Ok{};
    const auto what = lines_.take(line);
    if (!what) return what.error();
    budget_.spend_entry(lines_.parts());
    switch (*what) {
      case LineReader::Found::Header:
        if (!began_) header_(lines_.header());
        began_ = true;
        break;
      case LineReader::Found::News:
        take_(lines_.entry());
        last_at_ = static_cast<double>(at_of(lines_.entry())) / kNsPerSecond;
        break;
      case LineReader::Found::Nothing:
        break;
      case LineReader::Found::Unknown:
        ++found.unknown_lines;
        break;
      case LineReader::Found::Bad:
        ++found.bad_lines;
        break;
    }
    return Ok{};
  }

  const std::function<void(const Header&)>& header_;
  const std::function<void(const Entry&)>& take_;
  ReadBudget budget_;
  std::size_t longest_;
  LineReader lines_{};
  bool began_ = false;
  double last_at_ = 0;
};

bool there_is_more(FrameReader& frames) {
  if (frames.text().find('\n') != std::string::npos) return true;
  const auto next = frames.next();
  return !next || *next != Piece::End;
}

Error with_path(const std::string& path, const Error& error) {
  return {error.reason, printable(path) + ": " + error.what};
}

}  // namespace

Result<ReadEnd> read_entries(FrameReader& frames, ReadBudget budget,
                             const std::function<void(const Header&)>& header,
                             const std::function<void(const Entry&)>& take) {
  LineFeed feed(header, take, budget,
                budget.is_limited() ? longest_line(frames.file_bytes()) : kLongestLine);
  while (true) {
    const auto worked = frames.worked();
    const auto piece = frames.next();
    if (!piece) return piece.error();
    feed.spend_text(frames.worked() - worked);
    if (feed.used_up() && *piece != Piece::End) {
      feed.found.cut_short = {feed.found.lines, feed.last_at(), frames.frame_begin()};
      break;
    }
    if (*piece == Piece::Broken) {
      ++feed.found.bad_frames;
      feed.lose();
      continue;
    }
    if (const auto done = feed.feed(frames.text()); !done) return done.error();
    if (feed.used_up() && there_is_more(frames)) {
      feed.found.cut_short = {feed.found.lines, feed.last_at(), frames.frame_begin()};
      break;
    }
    const bool half_a_line = !frames.text().empty();
    if (*piece == Piece::FrameEnd && half_a_line) {
      ++feed.found.bad_lines;
      feed.lose();
      frames.text().clear();
    }
    if (*piece == Piece::Torn || *piece == Piece::End) {
      feed.found.torn = *piece == Piece::Torn || half_a_line;
      break;
    }
  }
  if (feed.began()) return ReadEnd(feed.found);
  const bool damaged = feed.found.torn || feed.found.bad_frames > 0 || feed.found.cut_short;
  return Error{Reason::Malformed,
               damaged ? "it is cut or damaged before its first line: there is nothing to read"
                       : "it is empty: nothing was recorded, or not yet"};
}

Result<ReadEnd> read(const std::string& path, const std::function<void(const Header&)>& header,
                     const std::function<void(const Entry&)>& take) {
  auto frames = FrameReader::open(path);
  if (!frames) return frames.error();
  auto end = read_entries(*frames, ReadBudget::for_file(frames->file_bytes()), header, take);
  if (!end) return with_path(path, end.error());
  return end;
}

Result<ReadEnd> read(int fd, std::uint64_t bytes, const std::function<void(const Header&)>& header,
                     const std::function<void(const Entry&)>& take) {
  auto frames = FrameReader::over(fd, 0, bytes);
  return read_entries(frames, ReadBudget::for_file(bytes), header, take);
}

Result<Recording> read_all(const std::string& path) {
  Recording recording;
  const auto end = read(
      path, [&](const Header& header) { recording.header = header; },
      [&](const Entry& entry) { recording.entries.push_back(entry); });
  if (!end) return end.error();
  return recording;
}

bool looks_like_recording(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  return fd && looks_like_recording(fd.get());
}

bool looks_like_recording(int fd) {
  std::array<char, kFirstWord.size()> first{};
  const ssize_t got = ::pread(fd, first.data(), first.size(), 0);
  if (got < 4) return false;
  const std::string_view begins(first.data(), static_cast<std::size_t>(got));
  return begins == kFirstWord || begins.substr(0, 4) == "\x28\xB5\x2F\xFD";
}

}  // namespace tidegauge::record
