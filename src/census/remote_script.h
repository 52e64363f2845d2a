// SPDX-License-Identifier: Apache-2.0
// Lets a CPython that runs (3.14 and later) execute a file of Python code at its next safe point,
// as sys.remote_exec does (PEP 768). The only thing here that writes into another process; only on
// request.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "census/locate.h"
#include "census/memory.h"

namespace tidegauge::census {

// Where a thread looks for code that it is asked to execute.
struct RemoteSupport {
  Address breaker = 0;  // the word that makes it look
  Address pending = 0;  // an int: 1 until it has taken the path
  Address path = 0;
  std::uint64_t path_bytes = 0;
};

inline constexpr std::uint64_t kMostRemotePath = 4096;

// Of the main thread. Unsupported: a version without it. Denied: it was turned off.
Result<RemoteSupport> remote_support(const Memory& memory, const Interpreter& python);

// `path` is as the process sees it. Returns when the process has taken it; Failed: it has not
// within `patience_seconds`, and the request was withdrawn.
Result<> run_script(pid_t pid, const std::string& path, double patience_seconds);

}  // namespace tidegauge::census
