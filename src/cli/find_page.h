// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "proc/root.h"
#include "record/ask_page.h"

namespace tidegauge::cli {

// The page for requests of the job that `pid` runs or is a part of.
Result<record::AskPage> find_page(const proc::Root& root, pid_t pid);

}  // namespace tidegauge::cli
