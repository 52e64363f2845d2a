// SPDX-License-Identifier: Apache-2.0
// Several processes that each read the data, as loader workers do: what one of them keeps of it
// grows until that one has read everything itself, which may take it several epochs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verdict/first_reads.h"
#include "verdict/watched.h"

namespace tidegauge::verdict {

// Those that live and grow by most of what the tree grows by; empty unless there are several.
std::vector<record::ProcessId> growing_readers(const Watched& watched);

// The clock of the tree: what each of `readers` has read, or the job's where there are none.
PassClock clock_of_tree(const Watched& watched, const Rules& rules,
                        const std::vector<record::ProcessId>& readers);

// All growth of the tree goes with what each of `readers` reads for the first time.
std::optional<FirstReads> first_reads_of(const Watched& watched, const Rules& rules,
                                         const std::vector<record::ProcessId>& readers,
                                         double level_now);

// How far they are; empty without readers.
std::string how_far(const Watched& watched, const std::vector<record::ProcessId>& readers);

}  // namespace tidegauge::verdict
