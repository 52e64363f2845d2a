// SPDX-License-Identifier: Apache-2.0
// Series as other tools write them, each made into the CSV that parse_csv() reads. A function
// returns nothing for a text that is not of its format; an error names what is wrong with one that
// is. docs/judge-input.md has an example of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tidegauge::record {

using AsCsv = std::optional<Result<std::string>>;

AsCsv from_mprof(std::string_view text);     // memory_profiler's mprofile_*.dat
AsCsv from_psrecord(std::string_view text);  // psrecord --log
AsCsv from_json(std::string_view text);      // Prometheus range query, Trainer's log_history
AsCsv from_sizes_csv(
    std::string_view text);  // cells like "1.5GiB / 32GiB": docker stats, kubectl top

}  // namespace tidegauge::record
