// SPDX-License-Identifier: Apache-2.0
// What `watch --json` prints: a line per sample, a line per event, and one whenever the verdict
// changes. docs/commands.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/ledger.h"
#include "record/recording.h"
#include "verdict/verdict.h"
#include "view/kills.h"

namespace tidegauge::view {

// Lines come with their newline, or empty where there is nothing to say, and are good until the
// next call.
class JsonLines {
 public:
  // `ledgers` was told of this entry and all before.
  std::string_view add(const record::Entry& entry, const record::LedgerKeeper& ledgers);
  // A line if the class of the tree's verdict is another than last time.
  std::string_view verdict(const verdict::Verdicts& verdicts, const std::string& source,
                           const std::optional<Killed>& killed);
  // Whatever was said before.
  std::string_view last_verdict(const verdict::Verdicts& verdicts, const std::string& source,
                                const std::optional<Killed>& killed);

 private:
  void put_sample(const record::Sample& sample, const record::LedgerKeeper& ledgers);
  // The list of a sample's processes, from its bracket on.
  const std::string& processes_of(const record::Sample& sample, bool as_before);

  std::map<record::ProcessId, std::string> names_;  // and roles, as fields of a line
  std::string line_;                                // its memory is used again
  // Most samples find all processes as the one before did, and numbers take longest to write.
  std::string last_text_;
  std::optional<verdict::Class> last_class_{};
  double seconds_ = 0;
};

}  // namespace tidegauge::view
