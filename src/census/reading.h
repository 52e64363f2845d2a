// SPDX-License-Identifier: Apache-2.0
// What the process without rights does for a census: it looks for CPython, says what a copy can do
// without, and reads the copy.
#pragma once

#include <span>

#include "census/reader_process.h"
#include "secrets/shown.h"

namespace tidegauge::census {

struct Request {
  enum class How {
    Copy,         // asks for copies with Word::Wishes
    Stream,       // counts while the process runs
    StandsStill,  // reads it as it stands; says what it has counted before it is done
  };
  How how = How::Copy;
  secrets::Keys keys = secrets::Keys::WithoutData;  // of dicts, that may be told
  std::span<std::byte> room{};  // shared: what is saved of the process at the moment of a copy
};

// Another one is asked for where the first lacks what was made meanwhile.
inline constexpr int kMostCopies = 2;

// Ends with Word::Done or Word::Failed.
void read_census(const Target& target, const Request& request, const ReaderLine& line);

}  // namespace tidegauge::census
