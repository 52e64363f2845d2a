// SPDX-License-Identifier: Apache-2.0
// A recording as it comes, sorted into series: all that a judgement needs, in bounded memory.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/ledger.h"
#include "record/recording.h"
#include "verdict/allocations.h"
#include "verdict/block_series.h"
#include "verdict/holders.h"
#include "verdict/limits.h"
#include "verdict/marks.h"
#include "verdict/members.h"

namespace tidegauge::verdict {

class Watched {
 public:
  void begin(const record::Header& header) { header_ = header; }
  void add(const record::Process& process);
  void add(const record::Event& event);
  void add(const record::Profile& profile);
  // `ledgers` was told of this sample and all that came before it.
  void add(const record::Sample& sample, const record::LedgerKeeper& ledgers);

  // To be called before anything is asked for: samples that repeat the one
  // before are put off, since each series of each process has its own place in
  // memory, and going there takes longest.
  void settle();

  // The same with the samples that still wait for what follows them.
  bool waits() const { return !falling_.empty(); }
  Watched with_what_waits() const;

  bool counts_steps() const { return header_.clock == record::Clock::Steps; }
  // All processes that there were have exited.
  bool job_ended() const { return saw_exit_ && living_.empty(); }
  const Limits& limits() const { return limits_; }
  const Marks& marks() const { return marks_; }
  const Members& members() const { return members_; }
  const Holders& holders() const { return holders_; }
  const Allocations& allocations() const { return allocations_; }
  const BlockSeries& total() const { return total_; }
  const BlockSeries& shmem() const { return shmem_; }
  const BlockSeries& gpu() const { return gpu_; }
  // Series of somebody's file, by column.
  const std::vector<std::pair<std::string, BlockSeries>>& columns() const { return columns_; }

 private:
  // What the ledger made of one sample.
  struct Seen {
    double at = 0;
    double held = 0;          // by the whole tree
    std::vector<double> own;  // of each process, its part of that
    record::Bytes shmem{};
    record::Bytes gpu{};
  };
  struct Waiting {
    record::Sample sample{};
    Seen seen{};
  };

  double since_origin(std::int64_t at_ns);
  Seen look_at(const record::Sample& sample, const record::LedgerKeeper& ledgers);
  // A job that ends gives its memory back, and what is seen of that is neither a restart nor a
  // plateau. So samples wait while the tree falls: if it is the end, they are dropped.
  bool falls(double held) const;
  double longest_ending() const;
  bool grows_again(double held) const;
  bool may_be_the_end(const record::Sample& sample, const Seen& seen) const;
  void left(const record::ProcessId& id);
  void only_these_live(const record::Sample& sample);
  void take_falling();
  void drop_falling();
  void take(const record::Sample& sample, const Seen& seen);
  void repeat(const record::Sample& sample);
  void add_column(const record::NamedBytes& column, double at);

  record::Header header_{};
  Limits limits_{};
  Marks marks_{};
  Members members_{};
  Holders holders_{};
  Allocations allocations_{};
  std::optional<std::int64_t> origin_ns_{};
  std::set<record::ProcessId> living_{};
  std::vector<record::ProcessId> sampled_{};  // in the last sample, in its order
  bool saw_exit_ = false;
  bool another_program_ = false;  // since the last sample, somebody called exec
  std::vector<Waiting> falling_{};
  std::size_t falling_processes_ = 0;  // in all of them
  double taken_at_ = 0;                // the last sample that was not put off
  std::vector<double> repeats_{};      // times of those since
  BlockSeries total_{};
  BlockSeries shmem_{};
  BlockSeries gpu_{};
  std::vector<std::pair<std::string, BlockSeries>> columns_{};
  std::map<std::string, std::size_t> place_of_column_{};
};

}  // namespace tidegauge::verdict
