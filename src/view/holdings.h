// SPDX-License-Identifier: Apache-2.0
// What the censuses of a recording found: of each process the first, the last, and some of those
// between, so that what grew in a stretch of time can be told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/recording.h"

namespace tidegauge::view {

class Holdings {
 public:
  struct Holder {
    std::string type{};
    std::string by{};
    double bytes = 0;
    double count = 0;
  };
  struct Census {
    std::int64_t at_ns = 0;
    std::vector<Holder> holders{};  // the largest first
  };
  struct OfProcess {
    record::ProcessId process{};
    std::size_t censuses = 0;    // that there were
    std::vector<Census> kept{};  // never empty, in order
    const Census& first() const { return kept.front(); }
    const Census& last() const { return kept.back(); }
  };
  static constexpr std::size_t kMostProcesses = 16;
  static constexpr std::size_t kMostHolders = 64;
  // Of a process; when there are more, every second one between is forgotten.
  static constexpr std::size_t kMostCensuses = 12;

  void add(const record::Event& event);
  const std::vector<OfProcess>& all() const { return all_; }

 private:
  std::vector<OfProcess> all_{};
};

}  // namespace tidegauge::view
