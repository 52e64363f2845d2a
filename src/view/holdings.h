// SPDX-License-Identifier: Apache-2.0
// What the censuses of a recording found: of each process the first and the last.
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
    std::size_t censuses = 0;
    Census first{};
    Census last{};
  };
  static constexpr std::size_t kMostProcesses = 16;
  static constexpr std::size_t kMostHolders = 64;

  void add(const record::Event& event);
  const std::vector<OfProcess>& all() const { return all_; }

 private:
  std::vector<OfProcess> all_{};
};

}  // namespace tidegauge::view
