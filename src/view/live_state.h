// SPDX-License-Identifier: Apache-2.0
// What the live view shows, as data.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verdict/verdict.h"
#include "view/accounts.h"
#include "view/words.h"

namespace tidegauge::view {

// One line of the table: a process, or all workers of one role together.
struct ProcessRow {
  record::ProcessId id{};  // pid 0: several
  std::string name{};      // what people call it: its script, or as it calls itself; any bytes
  record::Role role = record::Role::Other;
  std::size_t count = 1;
  double now = 0;
  double floor = 0;
  double grown = 0;                  // since it was first seen
  std::optional<double> per_step{};  // of its floor, now
  std::optional<double> per_minute{};
  std::string verdict{};  // in a word
};

struct KindRow {
  std::string label{};
  double now = 0;
  double grown = 0;
};

struct LiveState {
  // What the history and the marks are read from; outlives the state.
  std::reference_wrapper<const Accounts> accounts;
  std::string subject{};  // the job's name
  std::optional<pid_t> pid{};
  std::vector<ProcessRow> rows{};
  std::vector<KindRow> kinds{};
  std::optional<verdict::Verdict> verdict{};  // the tree's; empty before the first judgement
  Words words{};
  std::string alarm{};  // more urgent than any verdict: the kernel has killed
  std::string note{};   // said by the program: "report written to …"
};

LiveState live_state(const Accounts& accounts, const verdict::Verdicts& verdicts);

}  // namespace tidegauge::view
