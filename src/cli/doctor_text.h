// SPDX-License-Identifier: Apache-2.0
// Findings as text and as JSON.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include "cli/command.h"
#include "proc/examine.h"

namespace tidegauge::cli {

std::string to_text(std::span<const proc::Finding> findings, const Paper& paper);

// {"schema": "tidegauge/doctor/1", "tool", "pid" or null, "findings": [{"section", "what", "state",
// "found", "advice" or null}]}
std::string to_json(std::span<const proc::Finding> findings, std::optional<pid_t> pid);

}  // namespace tidegauge::cli
