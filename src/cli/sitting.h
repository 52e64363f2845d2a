// SPDX-License-Identifier: Apache-2.0
// How `watch` and `run` begin and end a session.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"

namespace tidegauge::cli {

// Warnings go to stderr as "tidegauge COMMAND: …".
SessionOptions session_options(std::string_view command, const SittingOptions& sitting,
                               const verdict::Rules& rules, std::string subject);

// When to wake up next, on the session's clock: for the next look, or because --for is over, which
// may be long before where looks are far apart.
std::int64_t wake_ns(const Session& session, const SittingOptions& sitting);

// Whether looking on would tell no more that matters: what was quiet for a few seconds may not have
// begun its work.
bool decides(verdict::Class klass, double watched_seconds);

// True when --for or --until-decided say that enough was seen.
bool enough_seen(const Session& session, const SittingOptions& sitting);

// The summary of a session that has ended, where its recording and report are, and what else there
// is to say of its causes.
void print_ending(const Session& session, const Session::Ending& ending, std::string_view causes,
                  std::FILE* to);

}  // namespace tidegauge::cli
