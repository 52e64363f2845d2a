// SPDX-License-Identifier: Apache-2.0
// What our own processes hold of memory that has a limit together with the job's. A job is not to
// be told to end for what we take.
#pragma once

#include <string>

#include "proc/roots.h"

namespace tidegauge::guard {

struct Ours {
  double beside = 0;  // we, and what we have started to work for us
  double inside = 0;  // in the job's own groups: pages that only the copies of a census have
};
// As of now. `job_folder`: of the memory group that the job is in.
Ours measure_ours(const proc::Roots& roots, const std::string& job_folder);

}  // namespace tidegauge::guard
