// SPDX-License-Identifier: Apache-2.0
// The tree's memory by kind, without counting shared pages twice, adding up to what the kernel
// charges, with the unexplained rest as its own line.
#pragma once

#include <cstdint>

#include "record/recording.h"
#include "record/sample.h"
#include "record/sharing.h"

namespace tidegauge::record {

// All in bytes. Kinds that nobody told us are empty.
struct Ledger {
  // What the tree holds: anon + shmem + file + swap + page tables + hugetlb, and the rss of
  // processes of which nobody told us the kinds.
  std::uint64_t total = 0;
  Bytes anon{};
  Bytes file{};
  Bytes shmem{};
  Bytes swap{};
  Bytes page_tables{};
  Bytes hugetlb{};
  Bytes gpu{};  // on the devices, so no part of the total
  // What the job's own cgroup is charged, swap included where it says so, if the job has it to
  // itself.
  Bytes charged{};
  // charged - what the kinds add up to (kernel memory, page cache that nobody maps…). Huge pages of
  // hugetlbfs are charged elsewhere and left out here.
  std::int64_t unexplained = 0;
};

// Follows a tree. Page-table walks (pss) come rarely, cheap counters always: between two walks a
// process's share is its counter less what the last walk found to be counted twice. Tell it of
// processes and events too, as they come: without them it cannot know who was forked from whom and
// takes a worker's copy-on-write pages for its own until the first walk. One keeper serves all who
// want to know: it is told of an entry first, and handed on with it.
class LedgerKeeper {
 public:
  void add(const Process& process) { sharing_.add(process); }
  void add(const Event& event) { sharing_.add(event); }
  void add(const Profile&) {}  // says nothing of what the kernel counts
  const Ledger& add(const Sample& sample);
  void add(const Entry& entry);
  const Ledger& last() const { return last_; }  // of the last sample
  // What a process adds to the total of the last sample: shared pages are counted for the one that
  // had them first.
  std::uint64_t own(const ProcessId& id) const { return sharing_.own(id); }
  std::size_t remembered() const { return sharing_.remembered(); }  // processes, living and gone

 private:
  Sharing sharing_;
  Ledger last_{};
};

}  // namespace tidegauge::record
