// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "record/sample.h"

namespace tidegauge::proc {

// What a walk over a process's page tables found out.
struct Shares {
  record::Bytes uss{};
  record::Bytes pss{};
  record::Bytes pss_anon{};
  record::Bytes pss_file{};
  record::Bytes pss_shmem{};

  bool operator==(const Shares&) const = default;
};

// What is remembered of a process between two walks.
struct DeepState {
  std::optional<std::int64_t> scanned_ns{};  // when the last walk ended
  // A process was forked from it or from a relative, or one has ended: pages are shared by others
  // than the last walk found.
  bool family_changed = false;
  std::int64_t not_before_ns = 0;                   // it was not to be disturbed
  bool denied = false;                              // not ours to read, now and later
  std::optional<double> rollup_seconds_per_byte{};  // of rss, what smaps_rollup cost
  double cost_seconds = 0;                          // of the last walk
  double scanned_rss = 0;                           // at that time
  std::uint64_t scanned_faults = 0;
  std::optional<Shares> fresh{};  // for the next sample
};

}  // namespace tidegauge::proc
