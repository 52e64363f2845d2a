// SPDX-License-Identifier: Apache-2.0
// What `watch` and `run` end with: per process and for the tree the minimum, maximum, average,
// floor, peak and growth of each kind of memory, and the verdict.
#pragma once

#include <memory>
#include <string>

#include "record/ledger.h"
#include "record/recording.h"
#include "verdict/verdict.h"

namespace tidegauge::view {

struct Accounts;

// Streaming: bounded memory per process. Processes that are long gone are folded into one line.
class Summary {
 public:
  Summary();
  Summary(Summary&&) noexcept;
  Summary& operator=(Summary&&) noexcept;
  ~Summary();

  void begin(const record::Header& header);
  void add(const record::Entry& entry);
  // The same with a ledger that was told of this entry and all before: one for several readers.
  void add(const record::Entry& entry, const record::LedgerKeeper& ledgers);

  struct Paint {
    bool colour = false;
    bool few_colours = false;  // the terminal has the eight alone
    bool unicode = true;
    int columns = 100;
    bool terminal = true;    // else nobody's screen is too narrow for a table
    bool all_kinds = false;  // of all processes, not of the main one alone
  };
  // Verdict first, then the tables.
  std::string text(const verdict::Verdicts& verdicts, const Paint& paint) const;
  // The report as Markdown. `recording`: the path of the file, where there is one. `picture`: the
  // name of a picture of its course that lies beside it; without one the course is drawn in text.
  std::string markdown(const verdict::Verdicts& verdicts, const std::string& recording = {},
                       const std::string& picture = {}) const;
  // {"processes": [...], "tree": {...}} for --json.
  std::string json() const;
  // What the live view draws from (live_state.h).
  const Accounts& accounts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::view
