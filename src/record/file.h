// SPDX-License-Identifier: Apache-2.0
// The recording file: JSON Lines in independent zstd frames. docs/recording-format.md describes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/recording.h"

namespace tidegauge::record {

struct Bounds {
  std::uint64_t max_bytes = 256ull << 20;  // of the file; older samples are thinned to stay below
  double max_age_seconds = 30 * 86400.0;   // older samples are dropped
  double flush_seconds = 5;                // a kill -9 loses at most this much
};

// Appends entries to a file. Never throws, never blocks the watching: when the disk is full or the
// file unwritable, append() says so once as an error and later calls try again now and then.
class Writer {
 public:
  // On a disk that has no room now, not even for an empty file, it begins as soon as there is some:
  // append() tells.
  static Result<Writer> create(const std::string& path, const Header& header, const Bounds& bounds);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();  // ends the last frame

  Result<> append(const Entry& entry);
  Result<> flush();  // what was appended is readable from now on
  Result<> drain();  // the same, but only for what is due by now
  Result<> close();  // a file that nothing could be written to is removed
  std::uint64_t bytes_written() const;
  double seconds_written() const;  // up to when it is on disk
  const std::string& path() const;

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What reading ended with, besides the entries.
struct ReadEnd {
  bool torn = false;                // the last frame or line was cut: everything before it was read
  std::uint64_t bad_lines = 0;      // lines in the middle that made no sense and were passed over
  std::uint64_t bad_frames = 0;     // damaged stretches of about a minute that were passed over
  std::uint64_t unknown_lines = 0;  // kinds of line that a later version wrote
  // It makes far more work than a file of its size should: it was read up to there.
  struct CutShort {
    std::uint64_t line = 0;     // of its text, without lines of damaged frames
    double at = 0;              // seconds (or steps) of the last entry
    std::uint64_t at_byte = 0;  // of the file: where the frame of that line begins
  };
  std::optional<CutShort> cut_short{};
};

// Streams a file through `take`, in bounded memory. A file of a future version, or one that is no
// recording, is Malformed with a message that says so.
Result<ReadEnd> read(const std::string& path, const std::function<void(const Header&)>& header,
                     const std::function<void(const Entry&)>& take);

// The same of the first `bytes` of a file that is open; errors do not name it.
Result<ReadEnd> read(int fd, std::uint64_t bytes, const std::function<void(const Header&)>& header,
                     const std::function<void(const Entry&)>& take);

// The same into memory, for recordings known to be small.
Result<Recording> read_all(const std::string& path);

// True if the file begins like a recording (zstd magic or our first line).
bool looks_like_recording(const std::string& path);
bool looks_like_recording(int fd);

}  // namespace tidegauge::record
