// SPDX-License-Identifier: Apache-2.0
// A verdict in one or two words, for a table; and roles, singly and in number.
#pragma once

#include <string>

#include "record/recording.h"
#include "verdict/verdict.h"
#include "view/tally.h"

namespace tidegauge::view {

std::string short_verdict(const verdict::Verdict& verdict);  // "warm-up, ended", "cannot tell"

const char* role_word(record::Role role);  // "main", "compile worker"; "" for Other
std::string role_count(record::Role role, std::size_t count);  // "20 compile workers"

// What people call a process: its script where an interpreter runs one, else its name.
std::string job_name(const record::Process& process);

// "+171 MiB", "-2.00 GiB", "0": growth in a table, short. Less than `noise` bytes is none.
std::string signed_size(double bytes, double noise = 64 << 10);
// What a series grew, where that is more than its usual flutter.
std::string growth_of(const Tally& tally);

// The verdict on one process, on its total where there is one; null if there is none.
const verdict::Verdict* verdict_on(const verdict::Verdicts& verdicts, const record::ProcessId& id);
// The same in short; of one that has ended with nothing to say of it, "gone".
std::string short_verdict_on(const verdict::Verdicts& verdicts, const record::ProcessId& id,
                             bool gone);

}  // namespace tidegauge::view
