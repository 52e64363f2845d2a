// SPDX-License-Identifier: Apache-2.0
// What a live CPython process holds, read from outside: nothing is put into it.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "record/census.h"

namespace tidegauge::census {

struct CensusOptions {
  bool stream = false;       // count without stopping anything; no retainers
  bool only_a_copy = false;  // give up where the process itself would have to stand still
};

using record::Census;

// Gone: no such process. Denied: not ours to read. Unsupported: no CPython that we know.
Result<Census> take_census(pid_t pid, const CensusOptions& options);

}  // namespace tidegauge::census
