// SPDX-License-Identifier: Apache-2.0
#include "proc/examine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "proc/fake_proc.h"
#include "proc/findings.h"

namespace tidegauge::proc {
namespace {

using State = Finding::State;

constexpr pid_t kPid = 812;

const Finding* find(const std::vector<Finding>& findings, const std::string& what) {
  const auto at = std::find_if(findings.begin(), findings.end(),
                               [&](const Finding& finding) { return finding.what == what; });
  return at == findings.end() ? nullptr : &*at;
}

std::string found(const std::vector<Finding>& findings, const std::string& what) {
  const auto* const finding = find(findings, what);
  return finding ? finding->found : "(nothing about " + what + ")";
}

State state(const std::vector<Finding>& findings, const std::string& what) {
  const auto* const finding = find(findings, what);
  EXPECT_TRUE(finding) << what;
  return finding ? finding->state : State::Good;
}

// A machine of folders with one process in it.
struct Machine {
  FakeProc proc;
  FakeProc sys;

  explicit Machine(char process_state = 'S') {
    std::string stat = "812 (train.py) ";
    stat += process_state;
    stat += " 1";
    for (int field = 5; field <= 52; ++field) stat += field == 22 ? " 1000" : " 1";
    proc.file(kPid, "stat", stat + "\n")
        .file(kPid, "status", status("S (sleeping)"))
        .file(kPid, "cmdline", std::string("python\0train.py\0--token=abc\0", 28))
        .file(kPid, "limits",
              "Max data size             unlimited   unlimited    bytes\n"
              "Max open files            4           20000        files\n"
              "Max address space         4194304     unlimited    bytes\n")
        .file(kPid, "maps",
              "1-2 r--p 0 fe:00 1 /usr/bin/python3.11\n"
              "2-3 r--p 0 fe:00 2 /lib/ld-linux-x86-64.so.2\n"
              "3-4 r--p 0 fe:00 3 /lib/libc.so.6\n"
              "4-5 r--p 0 fe:00 4 /opt/libjemalloc.so.2\n"
              "5-6 r--p 0 fe:00 5 /opt/torch/lib/libtorch_cpu.so\n")
        .file(kPid, "environ", std::string("A=1\0TIDEGAUGE_MARKS=7\0", 22))
        .file(kPid, "fd/0", "")
        .file(kPid, "fd/1", "")
        .file(kPid, "smaps_rollup", "")
        .file(kPid, "cgroup", "0::/job\n")
        .file("uptime", "100.00 90.00\n")
        .file("meminfo", "MemTotal: 8000000 kB\nMemAvailable: 7000000 kB\nSwapTotal: 0 kB\n")
        .file("self/mountinfo", "35 23 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("900/comm", "gdb\n");
    sys.file("fs/cgroup/job/memory.max", "1073741824\n")
        .file("fs/cgroup/job/memory.current", "1070000000\n")
        .file("fs/cgroup/job/memory.stat", "anon 1\nfile 1000000\nshmem 0\n")
        .file("fs/cgroup/job/cgroup.procs", "812\n");
    EXPECT_EQ(::symlink("/usr/bin/python3.11", (proc.path() + "/812/exe").c_str()), 0);
  }

  static std::string status(const std::string& process_state) {
    return "Name:\ttrain.py\nState:\t" + process_state +
           "\nTgid:\t812\nPid:\t812\nTracerPid:\t900\nUid:\t0\t0\t0\t0\nNSpid:\t812\t7\n"
           "VmSize:\t    4000 kB\nVmRSS:\t   2000000 kB\nRssAnon:\t  1000000 kB\nVmData:\t  300 "
           "kB\n"
           "Threads:\t12\nSigCgt:\t0000000000004200\n";
  }

  CollectOptions options() const {
    CollectOptions options;
    options.roots = {.proc = proc.path(), .sys = sys.path(), .dev_shm = proc.path()};
    options.gpu = false;
    return options;
  }
};

TEST(ExamineProcess, SaysWhatAProcessIsMadeOf) {
  const Machine machine;
  const auto result = examine_process(kPid, machine.options());
  ASSERT_TRUE(result) << result.error().what;
  const auto& all = *result;
  EXPECT_EQ(found(all, "process 812").substr(0, 40), "train.py, of root, sleeping, 12 threads,");
  EXPECT_EQ(found(all, "command"), "python train.py --token=***");
  EXPECT_EQ(found(all, "pid namespace"), "its own, in which it is process 7");
  EXPECT_EQ(found(all, "PSS and private memory"), "readable; a walk takes about 10 ms");
  EXPECT_EQ(found(all, "interpreter"), "CPython 3.11");
  EXPECT_EQ(found(all, "allocator"), "jemalloc");
  EXPECT_EQ(found(all, "libraries"), "torch");
  EXPECT_EQ(found(all, "program"), "/usr/bin/python3.11, dynamically linked");
  EXPECT_EQ(found(all, "gauge"), "started under tidegauge run");
  EXPECT_EQ(found(all, "debugger"), "process 900 (gdb) is attached");
  EXPECT_EQ(found(all, "signals it catches"), "SIGTERM, SIGUSR1");
  EXPECT_EQ(found(all, "open files"), "2 of 4");
  for (const auto& finding : all) EXPECT_EQ(finding.section, "process");
}

TEST(ExamineProcess, WarnsOfLimitsThatAreNear) {
  const Machine machine;
  const auto all = *examine_process(kPid, machine.options());
  EXPECT_EQ(state(all, "address space (ulimit -v)"), State::Limited);
  EXPECT_FALSE(find(all, "data (ulimit -d)"));  // unlimited
  EXPECT_EQ(state(all, "limit that binds"), State::Limited);
  EXPECT_EQ(found(all, "limit that binds").rfind("/job"),
            found(all, "limit that binds").size() - 4);
}

TEST(ExamineProcess, OneThatDoesNotExistIsGone) {
  const Machine machine;
  EXPECT_EQ(examine_process(813, machine.options()).error().reason, Reason::Gone);
}

TEST(ExamineProcess, OneThatHasEndedCannotBeWatched) {
  const Machine machine('Z');
  const auto all = *examine_process(kPid, machine.options());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].state, State::Missing);
}

TEST(ExamineProcess, AStoppedOneIsSaidToBe) {
  const Machine machine('T');
  EXPECT_EQ(state(*examine_process(kPid, machine.options()), "process 812"), State::Limited);
}

TEST(ExamineProcess, KnowsOurselves) {
  const auto all = examine_process(::getpid(), {});
  ASSERT_TRUE(all);
  EXPECT_EQ(state(*all, "PSS and private memory"), State::Good);
  EXPECT_EQ(state(*all, "its memory"), State::Good);
  EXPECT_EQ(found(*all, "allocator").empty(), false);
}

TEST(ExamineRights, TellsOfHiddenProcesses) {
  Machine machine;
  machine.proc.file("self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw,hidepid=invisible\n")
      .file("self/status", "CapEff:\t0000000000000000\n");
  const auto all = examine_rights(machine.options());
  EXPECT_EQ(found(all, "processes in /proc"), "hidepid=invisible: only your own can be seen");
  EXPECT_FALSE(find(all, "processes in /proc")->advice.empty());

  machine.proc.file("self/status", "CapEff:\t0000000000080000\n");  // CAP_SYS_PTRACE sees all
  EXPECT_EQ(state(examine_rights(machine.options()), "processes in /proc"), State::Good);
}

TEST(ExamineRights, TellsOfContainers) {
  Machine machine;
  machine.proc.file("self/ns/x", "");
  ASSERT_EQ(::symlink("pid:[4026532201]", (machine.proc.path() + "/self/ns/pid").c_str()), 0);
  EXPECT_EQ(state(examine_rights(machine.options()), "processes in /proc"), State::Limited);
  EXPECT_TRUE(found(examine_rights(machine.options()), "container").ends_with("own pid namespace"));
  ASSERT_EQ(::symlink("user:[4026532202]", (machine.proc.path() + "/self/ns/user").c_str()), 0);
  EXPECT_TRUE(
      found(examine_rights(machine.options()), "container").ends_with("own pid, user namespaces"));
}

TEST(ExamineRights, ExplainsWhyMemoryCannotBeRead) {
  Machine machine;
  machine.proc.file("sys/kernel/yama/ptrace_scope", "1\n");
  machine.proc.file(kPid, "status",
                    "Uid:\t" + std::to_string(::geteuid()) + "\t0\t0\t0\nVmRSS:\t 1 kB\n");
  const auto all = examine_rights(machine.options());  // there is no 812/mem
  EXPECT_EQ(state(all, "PSS of your processes"), State::Good);
  EXPECT_EQ(state(all, "memory of your processes"), State::Limited);
  EXPECT_NE(found(all, "memory of your processes").find("ptrace_scope is 1"), std::string::npos);
}

TEST(ExamineRights, NoProcIsTheEnd) {
  CollectOptions options;
  options.roots.proc = "/no/such/folder";
  const auto all = examine_rights(options);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].state, State::Missing);
}

TEST(ExamineKernel, SaysWhatAnOldKernelLacks) {
  const Machine machine;
  const auto all = examine_kernel(machine.options());
  EXPECT_EQ(state(all, "PSS in one reading"), State::Missing);
  EXPECT_EQ(state(all, "page-table scan"), State::Missing);
  EXPECT_EQ(state(all, "children of a process"), State::Limited);
  EXPECT_EQ(state(all, "memory pressure"), State::Limited);
}

TEST(ExamineMemory, TellsOfStrictOvercommitAndHugePages) {
  Machine machine;
  machine.proc.file("sys/vm/overcommit_memory", "2\n")
      .file("meminfo", "MemTotal: 8 kB\nCommitLimit: 1024 kB\nCommitted_AS: 512 kB\n");
  machine.sys.file("kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  const auto all = examine_memory(machine.options());
  EXPECT_EQ(state(all, "overcommit"), State::Limited);
  EXPECT_EQ(found(all, "transparent huge pages").substr(0, 7), "always:");
  EXPECT_EQ(state(all, "shared memory (/dev/shm)"), State::Limited);  // a folder on a disk
}

TEST(ExamineMachine, EveryFindingSaysSomething) {
  for (const auto& finding : examine_machine({})) {
    EXPECT_FALSE(finding.section.empty());
    EXPECT_FALSE(finding.what.empty());
    EXPECT_FALSE(finding.found.empty()) << finding.what;
    EXPECT_TRUE(finding.state != State::Good || finding.advice.empty()) << finding.what;
  }
}

}  // namespace
}  // namespace tidegauge::proc
