// SPDX-License-Identifier: Apache-2.0
// What the page draws: the tree's memory over time by kind, by family of processes and by process,
// thinned as it comes in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/ledger.h"
#include "record/recording.h"
#include "view/accounts.h"
#include "view/bands.h"
#include "view/holdings.h"
#include "view/pace.h"
#include "view/thin_table.h"

namespace tidegauge::view {

class Timeline {
 public:
  // Rows kept of the tree, and of each process.
  struct Rows {
    std::size_t tree;
    std::size_t processes;
  };
  // What a wide screen can show, zoomed in four times, and a process's line in the table.
  static constexpr Rows kWhole{8192, 1024};
  // What is sent anew every second to whoever looks at a job that goes on.
  static constexpr Rows kLive{2048, 128};
  static constexpr std::size_t kMostProcesses = 64;

  struct Gap {
    double from = 0;
    double to = 0;
  };

  explicit Timeline(const Rows& rows = kWhole) : tree_(rows.tree), processes_(rows.processes) {}

  void begin(const record::Header& header);
  // `ledgers` was told of this entry and all before.
  void add(const record::Entry& entry, const record::LedgerKeeper& ledgers);

  // Columns: the kinds of kLines, then the bands, then series of a foreign file; the first is the
  // total, or the first foreign series where there is no tree.
  const ThinTable& tree() const { return tree_; }
  bool has_kinds() const { return kinds_; }
  std::size_t first_band() const { return kinds_ ? kLines.size() : 0; }
  const std::vector<Bands::Band>& bands() const { return bands_.all(); }
  const std::vector<std::string>& named() const { return named_; }

  // Columns in the order of `process_ids`.
  const ThinTable& processes() const { return processes_; }
  const std::vector<record::ProcessId>& process_ids() const { return process_ids_; }

  // What censuses found.
  const Holdings& holdings() const { return holdings_; }

  // How long steps take.
  const Pace& pace() const { return pace_; }

  // No process is left.
  bool over() const { return over_; }

  // Stretches without samples, longer than usual.
  const std::vector<Gap>& gaps() const { return gaps_; }

 private:
  void add(const record::Sample& sample, const record::LedgerKeeper& ledgers);
  void add_tree(const record::Sample& sample, const record::LedgerKeeper& ledgers, double at);
  void add_named(const record::Sample& sample, double at);
  void add_processes(const record::Sample& sample, const record::LedgerKeeper& ledgers, double at);
  void look_for_gap(double at);
  bool add_as_before(const record::LedgerKeeper& ledgers, double at);

  Progress progress_{};
  Bands bands_{};
  Holdings holdings_{};
  Pace pace_{};
  bool kinds_ = false;
  std::vector<std::string> named_{};
  ThinTable tree_;
  ThinTable processes_;
  std::vector<record::ProcessId> process_ids_{};
  std::map<record::ProcessId, std::size_t> column_of_{};
  // Of the last sample that was not as the one before.
  std::vector<float> values_{};
  std::vector<float> process_values_{};
  bool may_repeat_ = false;
  std::vector<Gap> gaps_{};
  double usual_ = 0;  // seconds between samples
  double last_at_ = -1;
  bool over_ = false;
};

// The tree's lowest, highest and floor, a column for each row.
std::vector<Column> tree_columns(const Timeline& timeline, const Progress& progress);

}  // namespace tidegauge::view
