// SPDX-License-Identifier: Apache-2.0
// All that the page shows, "tidegauge/report/1": docs/report-format.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/census.h"
#include "verdict/verdict.h"
#include "view/accounts.h"
#include "view/kills.h"
#include "view/outlook.h"
#include "view/timeline.h"

namespace tidegauge::view {

struct Report {
  const Accounts& accounts;
  const Timeline& timeline;
  const verdict::Verdicts& verdicts;
  std::string source{};                    // path of the recording; empty: none
  std::vector<std::string> notes{};        // what was odd about the file
  std::optional<record::Census> census{};  // a whole one, where one was kept
  Tense tense = Tense::Over;
};

// What the page shows besides the past: further ahead than a terminal.
Outlook page_outlook(const Report& report);

// On one line, without a newline.
std::string report_json(const Report& report);

}  // namespace tidegauge::view
