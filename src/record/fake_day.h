// SPDX-License-Identifier: Apache-2.0
// Tests and benchmarks only.
#pragma once

#include <algorithm>
#include <random>

#include "record/recording.h"

namespace tidegauge::record {

// A training job that never rests: a main process that grows and spikes, and workers that all
// allocate, fault and change state in every second. What a recording has to hold at worst.
class FakeDay {
 public:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kMiB = 1 << 20;

  explicit FakeDay(std::size_t processes = 25, unsigned seed = 1) : random_(seed) {
    for (std::size_t i = 0; i < processes; ++i) {
      ProcessSample one{.id = {static_cast<pid_t>(41000 + 7 * i), 5'551'200 + 31 * i}};
      one.memory = {.anon = (i == 0 ? 6000 : 150 + below(250)) * kMiB,
                    .file = (80 + below(8)) * kMiB,
                    .shmem = (i % 3) * kMiB,
                    .swap = 0,
                    .hugetlb = 0,
                    .page_tables = 0,
                    .locked = 0,
                    .peak_rss = 0};
      one.activity = {.state = 'S',
                      .threads = 30,
                      .vmas = 812,
                      .fds = 44,
                      .minor_faults = 100'000 + below(1'000'000),
                      .major_faults = below(40)};
      sample_.processes.push_back(one);
    }
    sample_.machine = Machine{.total = 64ull << 30,
                              .swap_total = 0,
                              .swap_free = 0,
                              .dev_shm_total = 32ull << 30,
                              .dev_shm_used = 12 * kMiB};
    sample_.cgroups = {{.path = "/user.slice/job.scope", .limit = 32ull << 30}};
  }

  // The processes, to be appended first.
  std::vector<Entry> begin() const {
    std::vector<Entry> out;
    const auto main = sample_.processes[0].id;
    for (const auto& process : sample_.processes) {
      const bool is_main = process.id == main;
      out.emplace_back(Process{.id = process.id,
                               .parent = is_main ? ProcessId{} : main,
                               .name = is_main ? "python3" : "pt_data_worker",
                               .command = "python3 train.py --model qwen2.5-vl --batch 2",
                               .role = is_main ? Role::Main : Role::LoaderWorker});
    }
    return out;
  }

  const Sample& next() {
    at_ns_ += 1'000'000'000 + static_cast<std::int64_t>(below(400'000)) - 200'000;
    sample_.at_ns = at_ns_;
    ++seconds_;
    std::uint64_t anon = 0;
    for (std::size_t i = 0; i < sample_.processes.size(); ++i) {
      change(sample_.processes[i], i);
      anon += *sample_.processes[i].memory.anon;
    }
    auto& machine = *sample_.machine;
    machine.free = (3000 + below(500)) * kMiB + below(256) * kPage;
    machine.cached = (9000 + below(100)) * kMiB + below(256) * kPage;
    machine.available = *machine.free + *machine.cached - below(256) * kPage;
    machine.shmem = (100 + below(3)) * kMiB;
    machine.pressure_some = below(8) == 0 ? static_cast<double>(below(300)) / 100 : 0.0;
    machine.pressure_full = 0.0;
    auto& cgroup = sample_.cgroups[0];
    cgroup.anon = anon;
    cgroup.current = anon + *machine.cached;
    cgroup.file = *machine.cached;
    cgroup.kernel = 90 * kMiB + below(2000) * kPage;
    return sample_;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  void change(ProcessSample& process, std::size_t index) {
    auto& memory = process.memory;
    auto& activity = process.activity;
    const auto noise = static_cast<std::int64_t>(std::normal_distribution<>(0, 400)(random_));
    const bool grows = index == 0 && seconds_ % 86400 < 5000;
    const auto pages = static_cast<std::int64_t>(*memory.anon / kPage) + noise + (grows ? 500 : 0);
    memory.anon = static_cast<std::uint64_t>(std::max<std::int64_t>(pages, 4000)) * kPage;
    if (below(10) == 0) *memory.file += below(9) * kPage;
    if (below(40) == 0) memory.shmem = below(64) * kPage;
    memory.page_tables = (*memory.anon / 512 / kPage + 400) * kPage;
    memory.rss = *memory.anon + *memory.file + *memory.shmem;
    memory.peak_rss = std::max(*memory.peak_rss, *memory.rss);
    activity.state = "RSSSD"[below(5)];
    *activity.minor_faults += below(3000);
    if (below(30) == 0) ++*activity.major_faults;
    if (below(10) == 0) activity.vmas = 800 + below(40);
    if (below(20) == 0) activity.fds = 40 + below(9);
    // A walk comes round every two minutes or so.
    const bool walked = (seconds_ + 5 * index) % 120 == 0;
    memory.pss_anon = walked ? Bytes(*memory.anon - below(5000) * kPage) : Bytes{};
    memory.pss_file = walked ? Bytes(*memory.file / 20 / 1024 * 1024) : Bytes{};
    memory.pss_shmem = walked ? Bytes(*memory.shmem / 2 / 1024 * 1024) : Bytes{};
    memory.pss = walked ? Bytes(*memory.pss_anon + *memory.pss_file + *memory.pss_shmem) : Bytes{};
    memory.uss = walked ? Bytes(*memory.pss_anon - 10 * kPage) : Bytes{};
  }

  std::mt19937_64 random_;
  std::int64_t at_ns_ = 0;
  std::uint64_t seconds_ = 0;
  Sample sample_{};
};

}  // namespace tidegauge::record
