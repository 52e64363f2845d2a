// SPDX-License-Identifier: Apache-2.0
// Where recordings are kept when nobody says where: a folder of the user's own, bounded in number
// and size.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidegauge::record {

struct StoreBounds {
  std::size_t most_recordings = 200;
  std::uint64_t most_bytes = 2ull << 30;
};

// $XDG_DATA_HOME/tidegauge/recordings, by default below ~/.local/share. Made if it is not there,
// for nobody else's eyes: command lines and process names are in recordings.
Result<std::string> store_folder();

// "train-20261115-142103-4711.tg" for "python train.py --lr 3e-4": the script, when, and our pid.
std::string recording_name(std::string_view command, std::tm when, pid_t pid);

// Removes the oldest recordings of `folder`, with their reports, until one more fits. Never one
// that is still being written (its writer holds a lock on it).
void make_room(const std::string& folder, const StoreBounds& bounds);

struct Stored {
  std::string name{};  // of the file
  std::uint64_t bytes = 0;
  std::int64_t written_unix_s = 0;  // when it was last
  bool being_written = false;
};
// The recordings of `folder`, the latest first.
std::vector<Stored> stored_in(const std::string& folder);

// A path in the store for a new recording of `command`, with room made for it.
Result<std::string> new_path(std::string_view command);

}  // namespace tidegauge::record
