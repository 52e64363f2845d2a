// SPDX-License-Identifier: Apache-2.0
// What goes between the process that reads another's memory and the one that has rights. The reader
// may have been taken over by what it reads: whatever it says is checked here, and nothing of it is
// believed to be more than text to show, numbers, and places in the process that it reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "census/remote_script.h"
#include "census/snapshot.h"
#include "census/training.h"
#include "record/census.h"

namespace tidegauge::census::wire {

// Longer messages are not read.
inline constexpr std::size_t kMostBytes = 64 << 20;

// What the reader found: all but what the other side knows better (the process, times). Lists that
// are too long are cut, and `incomplete` says so.
std::string to_bytes(const record::Census& census);
std::string to_bytes(const Snapshot::Wishes& wishes);
std::string to_bytes(const Error& error);
std::string to_bytes(const Training& training);
std::string to_bytes(const RemoteSupport& remote);

// Nothing unless every byte of it is as it ought to be. Text comes out fit for a terminal.
std::optional<record::Census> census_in(std::string_view bytes);
// In order, without overlaps, at places that a process can have, and not more than a hand may be
// given to do.
std::optional<Snapshot::Wishes> wishes_in(std::string_view bytes);
std::optional<Error> error_in(std::string_view bytes);
std::optional<Training> training_in(std::string_view bytes);
std::optional<RemoteSupport> remote_in(std::string_view bytes);

}  // namespace tidegauge::census::wire
