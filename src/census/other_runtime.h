// SPDX-License-Identifier: Apache-2.0
// What a process runs whose Python, if it is one, cannot be read: so that a refusal says what it
// is.
#pragma once

#include <string>
#include <vector>

#include "census/regions.h"

namespace tidegauge::census {

// By the names of the program and of the files that it has mapped, which are all there is to go by:
// "PyPy", "CPython 3.8", "GraalPy". Empty: nothing that is known here.
std::string other_runtime(const std::string& program, const std::vector<Region>& regions);

// A sentence's end: "PyPy (/usr/bin/pypy3), which is ...".
std::string why_not_read(const std::string& program, const std::vector<Region>& regions);

}  // namespace tidegauge::census
