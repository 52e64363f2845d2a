// SPDX-License-Identifier: Apache-2.0
// How `watch` and `run` begin and end a session.
#pragma once

#include <cstdio>
#include <string>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"

namespace tidegauge::cli {

// Warnings go to stderr as "tidegauge COMMAND: …".
SessionOptions session_options(std::string_view command, const SittingOptions& sitting,
                               const verdict::Rules& rules, std::string subject);

// True when --for or --until-decided say that enough was seen.
bool enough_seen(const Session& session, const SittingOptions& sitting);

// The summary of a session that has ended, and where its recording and report are.
void print_ending(const Session& session, const Session::Ending& ending, std::FILE* to);

}  // namespace tidegauge::cli
