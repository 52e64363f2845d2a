// SPDX-License-Identifier: Apache-2.0
// What profiles said of where memory was allocated, in bounded memory, and which place grows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"
#include "verdict/holders.h"

namespace tidegauge::verdict {

class Allocations {
 public:
  // A place in the job's own code, and what lies behind it.
  struct Grower {
    std::string site{};  // "load (data.py:12)"
    double live = 0;     // bytes, now
    double grown = 0;
  };

  // `at`: seconds since the recording began.
  void add(const record::Profile& profile, double at);

  // The place that has grown, where it is clearly one: half of all that grew, and a part of the
  // growth that is worth naming. Two profiles are needed.
  std::optional<Grower> grower(const record::ProcessId& process, const Growth& growth) const;
  // The same for whichever process has grown most.
  std::optional<Grower> grower(const Growth& growth) const;

 private:
  struct Moment {
    double at = 0;
    std::map<std::string, double> live{};  // by site
  };
  std::map<record::ProcessId, std::vector<Moment>> processes_{};
};

}  // namespace tidegauge::verdict
