// SPDX-License-Identifier: Apache-2.0
// What a live CPython process holds, read from outside: nothing is put into it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

#include "base/result.h"
#include "census/target.h"
#include "record/census.h"
#include "secrets/shown.h"

namespace tidegauge::census {

using record::Census;

struct CensusOptions {
  bool stream = false;       // count without stopping anything; no retainers
  bool only_a_copy = false;  // give up where the process itself would have to stand still
  // Somebody holds it, and all its threads, until we are done: it is read as it stands. Nothing is
  // made to run in it, and no page is added to it.
  bool stands_still = false;
  // How a person's own build of CPython lays out its objects (census/learn_layout.h): tried where
  // no version that is known fits.
  std::optional<KeptLayout> named_layout{};
  // Keys of dicts that look like data are not shown, unless somebody asks for them.
  secrets::Keys keys = secrets::Keys::WithoutData;
  // Hears what was counted, before it is found out who holds it: the longer part.
  std::function<void(const Census&)> on_counted{};
};

// Gone: no such process. Denied: not ours to read. Unsupported: no CPython that we know.
Result<Census> take_census(pid_t pid, const CensusOptions& options);
Result<Census> take_census(Target target, const CensusOptions& options);

}  // namespace tidegauge::census
