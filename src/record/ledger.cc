// SPDX-License-Identifier: Apache-2.0
#include "record/ledger.h"

#include <algorithm>
#include <utility>

namespace tidegauge::record {

namespace {

void add_to(Bytes& sum, const Bytes& value) {
  if (value) sum = sum.value_or(0) + *value;
}

// The job's own group, if all that it is charged is the job's.
const Cgroup* own_group(const Sample& sample) {
  if (sample.cgroups.empty() || !sample.cgroups.front().exclusive) return nullptr;
  return &sample.cgroups.front();
}

bool has_only_counters(const ProcessSample& process) {
  const auto& memory = process.memory;
  return process.others.empty() && !memory.uss && !memory.pss;
}

// Forked processes count a swapped page once each: what all of them hold cannot be more than what
// is swapped out at all.
Bytes at_most_swapped_out(Bytes swap, const Sample& sample, const Cgroup* group) {
  if (!swap) return swap;
  if (sample.machine && sample.machine->swap_total && sample.machine->swap_free) {
    const auto total = *sample.machine->swap_total;
    swap = std::min(*swap, total - std::min(total, *sample.machine->swap_free));
  }
  if (group != nullptr && group->swap) swap = std::min(*swap, *group->swap);
  return swap;
}

}  // namespace

void LedgerKeeper::add(const Process& process) {
  told_ = true;
  sharing_.add(process);
}

void LedgerKeeper::add(const Event& event) {
  told_ = told_ || event.kind == EventKind::Started || event.kind == EventKind::Exited ||
          event.kind == EventKind::Exec;
  sharing_.add(event);
}

LedgerKeeper::Counted LedgerKeeper::counted_in(const Sample& sample) {
  Counted counted;
  if (const auto* group = own_group(sample)) {
    counted = {.current = group->current, .anon = group->anon, .swap = group->swap};
  }
  if (sample.machine) {
    counted.swap_total = sample.machine->swap_total;
    counted.swap_free = sample.machine->swap_free;
  }
  return counted;
}

void LedgerKeeper::compare(const Sample& sample) {
  const auto counted = counted_in(sample);
  const bool same =
      (sample.processes_version != 0 && sample.processes_version == processes_version_) ||
      sample.processes == processes_;
  if (!same) {
    processes_ = sample.processes;
    only_counters_ = std::all_of(processes_.begin(), processes_.end(), has_only_counters);
  }
  processes_version_ = sample.processes_version;
  processes_as_before_ = !std::exchange(told_, false) && same && only_counters_ &&
                         !processes_.empty() && sample.others.empty();
  as_before_ = processes_as_before_ && counted == counted_;
  counted_ = counted;
}

const Ledger& LedgerKeeper::add(const Sample& sample) {
  // Somebody's file of numbers knows no processes: nothing to keep, thousands of times.
  if (sample.processes.empty() && sample.cgroups.empty() && sharing_.remembered() == 0) {
    processes_as_before_ = as_before_ = false;
    return last_ = Ledger{};
  }
  compare(sample);
  if (as_before_) return last_;
  const auto* group = own_group(sample);
  const auto held = sharing_.add(sample, group != nullptr ? group->anon : Bytes{});
  Ledger ledger;
  ledger.anon = held[Sharing::Anon];
  ledger.file = held[Sharing::File];
  ledger.shmem = held[Sharing::Shmem];
  ledger.hugetlb = held[Sharing::Hugetlb];
  ledger.swap = at_most_swapped_out(held[Sharing::Swap], sample, group);
  for (const auto& process : sample.processes) {
    add_to(ledger.page_tables, process.memory.page_tables);
    add_to(ledger.gpu, process.memory.gpu);
  }
  const auto in_memory = ledger.anon.value_or(0) + ledger.file.value_or(0) +
                         ledger.shmem.value_or(0) + held[Sharing::Unsplit].value_or(0) +
                         ledger.page_tables.value_or(0);
  ledger.total = in_memory + ledger.swap.value_or(0) + ledger.hugetlb.value_or(0);
  if (group != nullptr && group->current) {
    const auto explained = in_memory + (group->swap ? ledger.swap.value_or(0) : 0);
    ledger.charged = *group->current + group->swap.value_or(0);
    ledger.unexplained = static_cast<std::int64_t>(*ledger.charged - explained);
  }
  return last_ = ledger;
}

void LedgerKeeper::add(const Entry& entry) {
  std::visit([this](const auto& value) { add(value); }, entry);
}

}  // namespace tidegauge::record
