// SPDX-License-Identifier: Apache-2.0
// Tests only.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "proc/fake_proc.h"
#include "proc/stat.h"

namespace tidegauge::proc {

// A process of our own making, as the files that a FakeProc has of it.
struct FakeProcess {
  pid_t pid = 0;
  pid_t parent = 1;
  std::uint64_t start_ticks = 100;
  std::string name = "job";
  std::string command = "job";  // one argument
  char state = 'S';
  pid_t group = 0;  // 0: its own
  int threads = 1;
  std::uint64_t anon_kb = 1000;
  std::uint64_t file_kb = 400;
  std::uint64_t shmem_kb = 0;
  std::uint64_t size_pages = 1000;  // of its address space
  Image image{4096, 8192};
  int wait_status = 0;
  int faults = 10;
  pid_t thread_group = 0;  // 0: it is a process; otherwise the one whose thread it is

  std::string stat() const {
    return fmt::format(
        "{} ({}) {} {} {} 1 0 -1 0 {} 0 {} 0 0 0 0 0 20 0 {} 0 {} {} {} 999 {} 0 {} 0 0 0 0 0 "
        "0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 {}\n",
        pid, name, state, parent, group == 0 ? pid : group, faults, faults / 5, threads,
        start_ticks, size_pages * 4096, rss_kb() / 4, image.code_start, image.stack_start,
        wait_status);
  }
  std::string statm() const {
    return fmt::format("{} {} {} 1 0 1 0\n", size_pages, rss_kb() / 4, (file_kb + shmem_kb) / 4);
  }
  std::string status() const {
    return fmt::format(
        "Name:\t{}\nState:\t{} (x)\nTgid:\t{}\nPid:\t{}\nPPid:\t{}\nNSpid:\t{}\nVmLck:\t0 kB\n"
        "VmHWM:\t{} kB\nVmRSS:\t{} kB\nRssAnon:\t{} kB\nRssFile:\t{} kB\nRssShmem:\t{} kB\n"
        "VmPTE:\t8 kB\nVmSwap:\t0 kB\nHugetlbPages:\t0 kB\nThreads:\t{}\n",
        name, state, thread_group == 0 ? pid : thread_group, pid, parent, pid, rss_kb(), rss_kb(),
        anon_kb, file_kb, shmem_kb, threads);
  }
  std::uint64_t rss_kb() const { return anon_kb + file_kb + shmem_kb; }

  void put_into(FakeProc& proc) const {
    proc.file(pid, "stat", stat()).file(pid, "statm", statm()).file(pid, "status", status());
    proc.file(pid, "cmdline", command + '\0');
  }
};

}  // namespace tidegauge::proc
