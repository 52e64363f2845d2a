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
  void add(const record::Event& held);

  // What has piled up in a process since the first census of it, or is there if there was but one:
  // largest first, each at least a tenth of `growth_bytes`.
  std::vector<Cause> causes(const record::ProcessId& process, double growth_bytes) const;
  // The same for whichever process has piled up most.
  std::vector<Cause> causes(double growth_bytes) const;

 private:
  struct Pile {
    std::string type{};
    std::string holder{};
    double bytes = 0;
    double count = 0;
  };
  struct Censuses {
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
    std::vector<Pile> first{};
    std::vector<Pile> last{};
  };
  static double grown(const Censuses& censuses, const Pile& pile);

  std::map<record::ProcessId, Censuses> processes_{};
};

}  // namespace tidegauge::verdict
