// SPDX-License-Identifier: Apache-2.0
#include "verdict/limits.h"

#include <algorithm>

namespace tidegauge::verdict {

namespace {

// A tree that comes to more than this share of the limit is not all in the group.
constexpr double kCountedTwice = 1.1;

double number(const record::Bytes& bytes) {
  return static_cast<double>(bytes.value_or(0));
}

// Page cache that the kernel would give back is no obstacle to growth.
double reclaimable(const record::Cgroup& group) {
  return group.file ? std::max(0.0, number(group.file) - number(group.shmem)) : 0.0;
}

}  // namespace

void Limits::add(const record::Sample& sample) {
  // The room that a job leaves behind is not beside what it held: it would count twice.
  if (sample.processes.empty() && sample.others.empty()) return;
  if (sample.machine && sample.machine->available) {
    ram_headroom_ = number(sample.machine->available) + number(sample.machine->swap_free);
  }
  if (sample.machine && sample.machine->dev_shm_total && sample.machine->dev_shm_used) {
    shm_headroom_ = number(sample.machine->dev_shm_total) - number(sample.machine->dev_shm_used);
  }
  std::optional<double> nearest;
  for (const auto& group : sample.cgroups) {
    if (!group.limit) continue;
    if (!group.current) {
      told_limit_ = number(group.limit);
      continue;
    }
    const double room = number(group.limit) - number(group.current) + reclaimable(group);
    if (nearest && room >= *nearest) continue;
    nearest = room;
    cgroup_limit_ = number(group.limit);
  }
  if (nearest) cgroup_headroom_ = nearest;
  std::optional<double> free_gpu;
  for (const auto& gpu : sample.gpus) {
    if (!gpu.total || !gpu.used) continue;
    const double room = number(gpu.total) - number(gpu.used);
    free_gpu = free_gpu ? std::min(*free_gpu, room) : room;
  }
  if (free_gpu) gpu_headroom_ = free_gpu;
}

std::optional<Limit> Limits::binding(const Rules& rules, Kind kind, double held) const {
  // A GPU has its own; a limit that was given beside it is one of the machine's memory.
  if (kind == Kind::Gpu && gpu_headroom_) return Limit{"gpu", held + *gpu_headroom_};
  if (rules.limit_bytes) return Limit{"given", *rules.limit_bytes};
  if (kind == Kind::Gpu) return {};
  std::optional<Limit> best;
  const auto consider = [&](const char* name, const std::optional<double>& headroom) {
    if (headroom && (!best || held + *headroom < best->bytes)) {
      best = Limit{name, held + std::max(0.0, *headroom)};
    }
  };
  consider("ram", ram_headroom_);
  consider("cgroup", cgroup_headroom_);
  // What a job has mapped of files is both held and given back when it is tight: counted once, the
  // limit itself is left.
  if (best && best->kind == "cgroup" && held <= cgroup_limit_ && best->bytes > cgroup_limit_ &&
      best->bytes < kCountedTwice * cgroup_limit_) {
    best->bytes = cgroup_limit_;
  }
  if (kind == Kind::Shmem) consider("dev_shm", shm_headroom_);
  if (told_limit_ && (!best || *told_limit_ < best->bytes)) best = Limit{"given", *told_limit_};
  return best;
}

}  // namespace tidegauge::verdict
