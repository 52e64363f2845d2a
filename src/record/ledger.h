// SPDX-License-Identifier: Apache-2.0
// The tree's memory by kind, without counting shared pages twice, adding up to what the kernel
// charges, with the unexplained rest as its own line.
#pragma once

#include <cstdint>
#include <vector>

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
  void add(const Process& process);
  void add(const Event& event);
  void add(const Profile&) {}  // says nothing of what the kernel counts
  const Ledger& add(const Sample& sample);
  void add(const Entry& entry);
  const Ledger& last() const { return last_; }  // of the last sample
  // Most samples of a job find most as the one before did, and who keeps what that one said need
  // not look again: at the processes, which are the same and as they were, …
  bool processes_as_before() const { return processes_as_before_; }
  // … or at anything that is in the ledger, either. (False where a sample has more than counters:
  // walks over page tables, series of somebody's file.)
  bool as_before() const { return as_before_; }
  // What a process adds to the total of the last sample: shared pages are counted for the one that
  // had them first.
  std::uint64_t own(const ProcessId& id) const { return sharing_.own(id); }
  // The same of process `i` of the last sample that has any: for whoever goes through all of them.
  std::uint64_t own_at(std::size_t i) const { return sharing_.own_at(i); }
  std::size_t remembered() const { return sharing_.remembered(); }  // processes, living and gone

 private:
  // What the ledger takes from outside the processes.
  struct Counted {
    Bytes current{};  // by the job's own cgroup
    Bytes anon{};
    Bytes swap{};
    Bytes swap_total{};  // of the machine
    Bytes swap_free{};
    bool operator==(const Counted&) const = default;
  };
  static Counted counted_in(const Sample& sample);
  void compare(const Sample& sample);

  Sharing sharing_;
  Ledger last_{};
  std::vector<ProcessSample> processes_{};  // of the last sample
  std::uint64_t processes_version_ = 0;     // the same
  bool only_counters_ = false;              // all of them have nothing else
  Counted counted_{};
  bool told_ = true;  // of processes, since then
  bool processes_as_before_ = false;
  bool as_before_ = false;
};

}  // namespace tidegauge::record
