// SPDX-License-Identifier: Apache-2.0
// The tree's memory by kind, without counting shared pages twice, adding up to what the kernel
// charges, with the unexplained rest as its own line.
#pragma once

#include <cstdint>
#include <map>

#include "record/sample.h"

namespace tidegauge::record {

// All in bytes. Kinds that nobody told us are empty.
struct Ledger {
  std::uint64_t total =
      0;  // what the tree holds: anon + shmem + file + swap + page tables + hugetlb
  Bytes anon{};
  Bytes file{};
  Bytes shmem{};
  Bytes swap{};
  Bytes page_tables{};
  Bytes hugetlb{};
  Bytes gpu{};
  Bytes charged{};  // what the job's own cgroup is charged, if the job has it to itself
  std::int64_t unexplained =
      0;  // charged - what the kinds add up to (kernel memory, page cache of others…)
};

// Follows a tree. Page-table walks (pss) come rarely, cheap counters always: between two walks a
// process's share is its counter less what the last walk found to be counted twice.
class LedgerKeeper {
 public:
  Ledger add(const Sample& sample);

 private:
  struct Shared {  // rss-like counter minus pss at the last walk, by kind
    std::int64_t anon = 0;
    std::int64_t file = 0;
    std::int64_t shmem = 0;
  };
  std::map<ProcessId, Shared> shared_;
};

}  // namespace tidegauge::record
