// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

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

// Hands the lines of pieces of text to a LineReader.
class LineFeed {
 public:
  LineFeed(const std::function<void(const Header&)>& header,
           const std::function<void(const Entry&)>& take)
      : header_(header), take_(take) {}

  // Uses up all whole lines of `text`.
  Result<> feed(std::string& text) {
    const auto size = text.size();
    text.append(line_padding(), ' ');
    std::string_view rest(text.data(), size);
    Result<> done = Ok{};
    for (auto end = rest.find('\n'); done && end != rest.npos; end = rest.find('\n')) {
      done = take(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    const auto left = rest.size();
    text.resize(size);
    text.erase(0, size - left);
    if (done && left > kLongestLine) {
      return Error{Reason::Malformed, "a line of more than 64 MiB: this is no recording"};
    }
    return done;
  }

  // A line, or a frame, is missing here.
  void lose() { lines_.lose(); }
  bool began() const { return began_; }
  ReadEnd found{};

 private:
  Result<> take(std::string_view line) {
    if (trimmed(line).empty()) return Ok{};
    const auto what = lines_.take(line);
    if (!what) return what.error();
    switch (*what) {
      case LineReader::Found::Header:
        if (!began_) header_(lines_.header());
        began_ = true;
        break;
      case LineReader::Found::News:
        take_(lines_.entry());
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
  LineReader lines_{};
  bool began_ = false;
};

Error with_path(const std::string& path, const Error& error) {
  return {error.reason, printable(path) + ": " + error.what};
}

}  // namespace

Result<ReadEnd> read_entries(FrameReader& frames, const std::function<void(const Header&)>& header,
                             const std::function<void(const Entry&)>& take) {
  LineFeed feed(header, take);
  while (true) {
    const auto piece = frames.next();
    if (!piece) return piece.error();
    if (*piece == Piece::Broken) {
      ++feed.found.bad_frames;
      feed.lose();
      continue;
    }
    if (const auto done = feed.feed(frames.text()); !done) return done.error();
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
  if (feed.began()) return feed.found;
  const bool damaged = feed.found.torn || feed.found.bad_frames > 0;
  return Error{Reason::Malformed,
               damaged ? "it is cut or damaged before its first line: there is nothing to read"
                       : "it is empty: nothing was recorded, or not yet"};
}

Result<ReadEnd> read(const std::string& path, const std::function<void(const Header&)>& header,
                     const std::function<void(const Entry&)>& take) {
  auto frames = FrameReader::open(path);
  if (!frames) return frames.error();
  auto end = read_entries(*frames, header, take);
  if (!end) return with_path(path, end.error());
  return end;
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
  std::array<char, kFirstWord.size()> first{};
  const ssize_t got = fd ? ::pread(fd.get(), first.data(), first.size(), 0) : -1;
  if (got < 4) return false;
  const std::string_view begins(first.data(), static_cast<std::size_t>(got));
  return begins == kFirstWord || begins.substr(0, 4) == "\x28\xB5\x2F\xFD";
}

}  // namespace tidegauge::record
