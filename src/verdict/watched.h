// SPDX-License-Identifier: Apache-2.0
// A recording as it comes, sorted into series: all that a judgement needs, in bounded memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/ledger.h"
#include "record/recording.h"
#include "verdict/block_series.h"
#include "verdict/limits.h"
#include "verdict/marks.h"
#include "verdict/members.h"

namespace tidegauge::verdict {

class Watched {
 public:
  void begin(const record::Header& header) { header_ = header; }
  void add(const record::Process& process);
  void add(const record::Event& event);
  void add(const record::Sample& sample);

  bool counts_steps() const { return header_.clock == record::Clock::Steps; }
  const Limits& limits() const { return limits_; }
  const Marks& marks() const { return marks_; }
  const Members& members() const { return members_; }
  const BlockSeries& total() const { return total_; }
  const BlockSeries& shmem() const { return shmem_; }
  const BlockSeries& gpu() const { return gpu_; }
  // Series of somebody's file, by column.
  const std::vector<std::pair<std::string, BlockSeries>>& columns() const { return columns_; }

 private:
  double since_origin(std::int64_t at_ns);
  // A process that ends gives its memory back, and what is seen of that is neither a restart nor a
  // plateau. So a sample in which one falls waits for what follows: it is dropped if that is the
  // end.
  bool anyone_falls(const record::Sample& sample) const;
  bool falls(const record::ProcessSample& process) const;
  void settle_waiting(const record::Sample& next);
  void take(const record::Sample& sample);
  void add_column(const record::NamedBytes& column, double at);

  record::Header header_{};
  record::LedgerKeeper keeper_{};
  Limits limits_{};
  Marks marks_{};
  Members members_{};
  std::optional<std::int64_t> origin_ns_{};
  std::optional<record::Sample> waiting_{};
  std::map<record::ProcessId, double> resident_{};  // in the last sample taken
  BlockSeries total_{};
  BlockSeries shmem_{};
  BlockSeries gpu_{};
  std::vector<std::pair<std::string, BlockSeries>> columns_{};
};

}  // namespace tidegauge::verdict
