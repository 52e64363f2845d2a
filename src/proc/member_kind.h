// SPDX-License-Identifier: Apache-2.0
// What a process's own command line says about it, before its place in the tree is looked at.
#pragma once

#include "proc/program.h"
#include "proc/role.h"

namespace tidegauge::proc {

enum class MemberKind {
  Plain,
  Starter,        // uv run, sh -c, torchrun: starts others and waits, if it has any
  CompileWorker,  // torch inductor's pool: its own process and what that has forked
  DataWorker,     // torch gives it that name
  Spawned,        // by Python's multiprocessing, with an interpreter of its own
  ForkServer,     // of multiprocessing, or what it has forked
  Tracker,        // of multiprocessing: cleans up after the others
};

MemberKind kind_of(const Member& member, const Program& program);

}  // namespace tidegauge::proc
