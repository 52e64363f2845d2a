// SPDX-License-Identifier: Apache-2.0
// The fields of a sample and their keys in a line: writer and reader go through the same tables, so
// that a field is added in one place. docs/recording-format.md lists them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "record/sample.h"

namespace tidegauge::record {

using Number = std::optional<std::uint64_t>;

// A column: one number per process, in the order of the pids.
struct ColumnField {
  std::string_view key;
  Number Memory::*memory = nullptr;  // in KiB
  Number Activity::*activity = nullptr;
  // Of this sample only: a line without it says that it is empty, not that it is unchanged.
  bool momentary = false;

  Number& of(ProcessSample& process) const {
    return memory != nullptr ? process.memory.*memory : process.activity.*activity;
  }
  const Number& of(const ProcessSample& process) const {
    return memory != nullptr ? process.memory.*memory : process.activity.*activity;
  }
};

inline constexpr std::array kColumns = {
    ColumnField{.key = "anon", .memory = &Memory::anon},
    ColumnField{.key = "file", .memory = &Memory::file},
    ColumnField{.key = "shmem", .memory = &Memory::shmem},
    ColumnField{.key = "swap", .memory = &Memory::swap},
    ColumnField{.key = "hugetlb", .memory = &Memory::hugetlb},
    ColumnField{.key = "page_tables", .memory = &Memory::page_tables},
    ColumnField{.key = "locked", .memory = &Memory::locked},
    ColumnField{.key = "peak_rss", .memory = &Memory::peak_rss},
    ColumnField{.key = "gpu", .memory = &Memory::gpu},
    ColumnField{.key = "uss", .memory = &Memory::uss, .momentary = true},
    ColumnField{.key = "pss", .memory = &Memory::pss, .momentary = true},
    ColumnField{.key = "pss_anon", .memory = &Memory::pss_anon, .momentary = true},
    ColumnField{.key = "pss_file", .memory = &Memory::pss_file, .momentary = true},
    ColumnField{.key = "pss_shmem", .memory = &Memory::pss_shmem, .momentary = true},
    ColumnField{.key = "threads", .activity = &Activity::threads},
    ColumnField{.key = "vmas", .activity = &Activity::vmas},
    ColumnField{.key = "fds", .activity = &Activity::fds},
    ColumnField{.key = "minor_faults", .activity = &Activity::minor_faults},
    ColumnField{.key = "major_faults", .activity = &Activity::major_faults},
};

// rss goes by the rule of implied_rss() below.
inline constexpr ColumnField kRss{.key = "rss", .memory = &Memory::rss};

// A number in an object of a line, such as "machine" or one of "cgroups".
template <class T>
struct ObjectField {
  std::string_view key;
  Number T::*member;
  bool kib = true;
};

inline constexpr std::array kMachineFields = {
    ObjectField<Machine>{"total", &Machine::total},
    ObjectField<Machine>{"available", &Machine::available},
    ObjectField<Machine>{"free", &Machine::free},
    ObjectField<Machine>{"cached", &Machine::cached},
    ObjectField<Machine>{"shmem", &Machine::shmem},
    ObjectField<Machine>{"swap_total", &Machine::swap_total},
    ObjectField<Machine>{"swap_free", &Machine::swap_free},
    ObjectField<Machine>{"dev_shm_total", &Machine::dev_shm_total},
    ObjectField<Machine>{"dev_shm_used", &Machine::dev_shm_used},
};

inline constexpr std::array kCgroupFields = {
    ObjectField<Cgroup>{"limit", &Cgroup::limit},
    ObjectField<Cgroup>{"high", &Cgroup::high},
    ObjectField<Cgroup>{"current", &Cgroup::current},
    ObjectField<Cgroup>{"swap", &Cgroup::swap},
    ObjectField<Cgroup>{"anon", &Cgroup::anon},
    ObjectField<Cgroup>{"file", &Cgroup::file},
    ObjectField<Cgroup>{"shmem", &Cgroup::shmem},
    ObjectField<Cgroup>{"kernel", &Cgroup::kernel},
    ObjectField<Cgroup>{"oom", &Cgroup::oom, false},
    ObjectField<Cgroup>{"oom_kill", &Cgroup::oom_kill, false},
};

inline constexpr std::array kGpuFields = {
    ObjectField<Gpu>{"total", &Gpu::total},
    ObjectField<Gpu>{"used", &Gpu::used},
};

// What a line without news says of these processes: each as it was in `last`, without what was of
// that sample only; empty if it was not there.
std::vector<ProcessSample> carried_forward(const std::vector<ProcessSample>& last,
                                           const std::vector<ProcessId>& ids);

// rss is anon + file + shmem but for rounding, so a line need not say it: it has moved by what they
// have moved by. `before` is what was carried forward.
Number implied_rss(const Memory& before, const Memory& now);

}  // namespace tidegauge::record
