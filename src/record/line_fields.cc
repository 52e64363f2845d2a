// SPDX-License-Identifier: Apache-2.0
#include "record/line_fields.h"

#include <map>

namespace tidegauge::record {

namespace {

void forget_momentary(ProcessSample& process) {
  for (const auto& column : kColumns) {
    if (column.momentary) column.of(process).reset();
  }
}

Number sum_of_kinds(const Memory& memory) {
  if (!memory.anon || !memory.file || !memory.shmem) return {};
  return *memory.anon + *memory.file + *memory.shmem;
}

bool same_ids(const std::vector<ProcessSample>& last, const std::vector<ProcessId>& ids) {
  if (last.size() != ids.size()) return false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (last[i].id != ids[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<ProcessSample> carried_forward(const std::vector<ProcessSample>& last,
                                           const std::vector<ProcessId>& ids) {
  std::vector<ProcessSample> out;
  if (same_ids(last, ids)) {
    out = last;
  } else {
    std::map<ProcessId, const ProcessSample*> known;
    for (const auto& process : last) known.try_emplace(process.id, &process);
    for (const auto& id : ids) {
      const auto found = known.find(id);
      out.push_back(found == known.end() ? ProcessSample{.id = id} : *found->second);
    }
  }
  for (auto& process : out) forget_momentary(process);
  return out;
}

Number implied_rss(const Memory& before, const Memory& now) {
  const auto sum = sum_of_kinds(now);
  const auto sum_before = sum_of_kinds(before);
  // Nothing known before: it is new.
  if (sum && !before.rss && !before.anon && !before.file && !before.shmem) return sum;
  if (!sum || !sum_before || !before.rss) return before.rss;
  return *before.rss + *sum - *sum_before;
}

}  // namespace tidegauge::record
