// SPDX-License-Identifier: Apache-2.0
// What censuses said of who holds what, in bounded memory, and what that says about growth.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/recording.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {

class Holders {
 public:
  // `at`: seconds since the recording began.
  void add(const record::Event& held, double at);

  // What has piled up in a process while it grew by `growth_bytes` since `since`, or is there if
  // there was no census before that: largest first, each at least a tenth of the growth.
  std::vector<Cause> causes(const record::ProcessId& process, double growth_bytes,
                            double since) const;
  // The same for whichever process has piled up most.
  std::vector<Cause> causes(double growth_bytes, double since) const;

 private:
  struct Pile {
    std::string type{};
    std::string holder{};
    double bytes = 0;
    double count = 0;
  };
  struct Census {
    double at = 0;
    std::vector<Pile> piles{};
  };
  using Censuses = std::vector<Census>;
  static void thin(Censuses& censuses);
  static double grown(const Census* before, const Pile& pile);

  std::map<record::ProcessId, Censuses> processes_{};
};

}  // namespace tidegauge::verdict
