// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "record/sample.h"

namespace tidegauge::proc {

// /proc/PID/smaps_rollup: what a walk over all page tables found. None of it counts hugetlb pages.
struct Rollup {
  record::Bytes rss{};
  record::Bytes pss{};
  record::Bytes pss_anon{};  // the three parts: since Linux 5.3
  record::Bytes pss_file{};
  record::Bytes pss_shmem{};
  record::Bytes uss{};  // clean and dirty private pages

  bool operator==(const Rollup&) const = default;
};

// The text of /proc/PID/smaps_rollup. Opens nothing, so it can be fuzzed.
Result<Rollup> parse_smaps_rollup(std::string_view text);

}  // namespace tidegauge::proc
