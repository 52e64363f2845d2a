// SPDX-License-Identifier: Apache-2.0
// Quantities, names and ties of a verdict as parts of sentences. A number that makes no sense (not
// finite, negative where nothing can be) has no words, so it cannot reach a reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "verdict/verdict.h"

namespace tidegauge::view {

using Phrase = std::optional<std::string>;

Phrase size_phrase(double bytes);                // "17.6 GiB"; nothing unless 0 or more
std::string size_or_dash(double bytes);          // the same for a table
Phrase duration_phrase(double seconds);          // "6 min 10 s"; nothing unless 0 or more
Phrase step_phrase(std::optional<double> step);  // "step 83"

// "171 MiB per step" where steps are known, else the rate by time; nothing unless it grows.
Phrase growth_phrase(const verdict::Verdict& verdict);
Phrase per_step_phrase(std::optional<double> bytes_per_step);  // "171 MiB per step"
// "5.00 GiB per minute", "12.0 MiB per hour", "3.00 MiB per day": the unit of time in which a slow
// leak is a number that one can picture.
Phrase per_time_phrase(std::optional<double> bytes_per_minute);

// "at step 83", "after 4 min 10 s".
Phrase place_phrase(const verdict::Settled& settled);
// "15 min"; "124 steps" for a recording that counts steps.
Phrase ahead_phrase(const verdict::Verdict& verdict, double amount);
// "29.8 GiB (RAM)": the limit that binds.
Phrase limit_phrase(const verdict::Verdict& verdict);
std::string limit_kind_phrase(std::string_view limit_kind);  // "RAM", "cgroup", "/dev/shm"…

std::string subject_phrase(const verdict::Subject& subject);  // "train.py", "The job"
std::string memory_phrase(verdict::Kind kind);                // "Memory", "GPU memory"
Phrase tie_phrase(verdict::Tie tie, std::string_view phase);  // "evaluation", "saving"
std::string confidence_phrase(double confidence);             // "Confidence 97 %."
// A job that has ended is spoken of in the past.
const char* stays(const verdict::Verdict& verdict);        // "stays", "stayed"
const char* come_and_go(const verdict::Verdict& verdict);  // "come and go", "came and went"

// Text of others made safe to show: printable, one line, at most `columns` wide (an ellipsis shows
// the cut).
std::string shown(std::string_view text, std::size_t columns);
// The same, of a way to an object: where it begins and where it leads to.
std::string shown_way(std::string_view text, std::size_t columns);
std::string capitalised(std::string text);
std::string upper_case(std::string_view text);  // of ASCII letters
// The same as a sentence: a capital at its front, unless a process's name is there, and a full stop
// at its end; empty stays empty.
std::string as_sentence(std::string_view text);

}  // namespace tidegauge::view
