// SPDX-License-Identifier: Apache-2.0
// Makes a recording smaller without moving its floors and peaks: of every so many samples it keeps
// those in which the tree, the largest processes and every series were lowest and highest. What is
// kept is as it was; nothing is averaged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/ledger.h"
#include "record/recording.h"

namespace tidegauge::record {

struct ThinRules {
  std::size_t samples = 32;        // in a bucket, of which at most two per quantity survive
  std::size_t big_processes = 3;   // whose extremes survive too
  std::size_t most_events = 1000;  // of a bucket, besides steps
};

class Thinner {
 public:
  explicit Thinner(const ThinRules& rules) : rules_(rules) {}

  // The entries that survive, in order, as soon as they are known: the last bucket's.
  std::vector<Entry> add(const Entry& entry);
  std::vector<Entry> finish();

 private:
  // Something whose floor and peak matter.
  struct Quantity {
    enum class Of { Tree, Gpu, Process, Series } of = Of::Tree;
    ProcessId process{};
    std::string series{};
    double low = 0;
    double high = 0;
    std::uint64_t low_at = 0;  // number of the entry; 0: none yet
    std::uint64_t high_at = 0;
  };

  void add_sample(const Sample& sample, const Ledger& ledger);
  void choose_quantities(const Sample& sample);
  static std::optional<double> value_of(const Quantity& quantity, const Sample& sample,
                                        const Ledger& ledger);
  bool survives(const Event& event) const;
  void thin_steps();
  void thin_events();

  ThinRules rules_;
  LedgerKeeper keeper_{};
  std::uint64_t count_ = 0;     // entries so far
  std::uint64_t first_at_ = 0;  // the first sample of all, which survives
  std::size_t bucket_samples_ = 0;
  std::vector<Quantity> quantities_{};
  std::map<std::uint64_t, Sample> samples_{};  // by number of the entry: those that are extreme
  std::map<std::uint64_t, Process> processes_{};
  std::map<std::uint64_t, Event> events_{};
  std::map<std::uint64_t, Profile> profiles_{};
  std::map<ProcessId, std::uint64_t> profiles_met_{};
  std::map<ProcessId, bool> seen_{};  // in this bucket; true if in its last sample
};

}  // namespace tidegauge::record
