// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace tidegauge {

// Of files that have command lines in them.
inline constexpr mode_t kOwnerOnly = 0600;

}  // namespace tidegauge
