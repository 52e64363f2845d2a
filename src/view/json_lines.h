// SPDX-License-Identifier: Apache-2.0
// What `watch --json` prints: a line per sample, a line per event, and one whenever the verdict
// changes. docs/commands.md.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "record/ledger.h"
#include "record/recording.h"
#include "verdict/verdict.h"

namespace tidegauge::view {

class JsonLines {
 public:
  // A line with its newline, or nothing for entries that need none of their own.
  std::optional<std::string> add(const record::Entry& entry);
  // A line if class or subject of the tree's verdict is another than last time.
  std::optional<std::string> verdict(const verdict::Verdicts& verdicts, const std::string& source);

 private:
  std::string sample_line(const record::Sample& sample);

  std::map<record::ProcessId, record::Process> known_;
  record::LedgerKeeper ledger_;
  std::optional<verdict::Class> last_class_{};
  double seconds_ = 0;
};

}  // namespace tidegauge::view
