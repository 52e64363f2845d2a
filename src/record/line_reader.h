// SPDX-License-Identifier: Apache-2.0
// Lines of a recording as entries again: the reverse of LineWriter.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "record/recording.h"

namespace tidegauge::record {

// Bytes that must be readable behind a line that is given to a LineReader, whatever they are.
std::size_t line_padding();

class LineReader {
 public:
  enum class Found {
    Header,   // a frame begins; header() is the first one's
    News,     // entry() is good until the next line
    Nothing,  // what was known already
    Unknown,  // a kind of line that a later version wrote
    Bad,      // makes no sense, or builds on one that made none
  };

  LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // Malformed: this is no recording of ours, or one of a version that we do not know.
  Result<Found> take(std::string_view line);
  // Lines were lost: what follows cannot be understood until a frame begins.
  void lose();

  const Header& header() const;
  const Entry& entry() const;
  // How many parts the last line's entry has that whoever takes it goes through: those of a sample
  // that finds its processes as they were are few, however many there are.
  std::size_t parts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What a first line of ours begins with, in text and hence in every frame.
inline constexpr std::string_view kFirstWord = "{\"tidegauge\":";
inline constexpr int kNewestVersion = 1;

}  // namespace tidegauge::record
