// SPDX-License-Identifier: Apache-2.0
// Jobs that are watched side by side: what the live page and a metrics store are told of them.
#pragma once

#include <span>
#include <string>

#include "verdict/verdict.h"
#include "view/accounts.h"
#include "view/timeline.h"

namespace tidegauge::view {

struct JobNow {
  std::string key{};  // names the job, also after a restart of whoever watches it
  pid_t pid = 0;
  bool ended = false;
  std::string recording{};  // path of its file; empty: none is kept
  const Accounts& accounts;
  const verdict::Verdicts& verdicts;
};

// "tidegauge/jobs/1", on one line: a row for each.
std::string jobs_json(std::span<const JobNow> jobs);

// "tidegauge/live/1", on one line: all about one of them, with its "tidegauge/report/1".
std::string live_json(const JobNow& job, const Timeline& timeline);

// OpenMetrics text, docs/serve.md.
std::string metrics_text(std::span<const JobNow> jobs, std::string_view version);

}  // namespace tidegauge::view
