// SPDX-License-Identifier: Apache-2.0
// What censuses said of who holds what, in bounded memory, and what that says about growth.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {

// The growth that causes are looked for.
struct Growth {
  double bytes = 0;
  double since = 0;      // seconds since the recording began
  bool is_leak = false;  // it goes on, and what had stopped growing before is not its cause
};

// What helps against objects of this type that pile up; empty: of any.
std::string remedy_for(const std::string& type);

class Holders {
 public:
  // `at`: seconds since the recording began.
  void add(const record::Event& held, double at);

  // When a process was last looked into, or any.
  std::optional<double> last_at(const std::optional<record::ProcessId>& process) const;

  // What has piled up in a process while it grew, or is there if there was no census before that:
  // largest first, each at least a tenth of the growth.
  std::vector<Cause> causes(const record::ProcessId& process, const Growth& growth) const;
  // The same for whichever process has piled up most.
  std::vector<Cause> causes(const Growth& growth) const;

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
  static const Pile* find(const Census* census, const Pile& pile);
  static double grown(const Census* before, const Pile& pile);
  static const Census* first_to_compare(const Censuses& censuses, double since);

  std::map<record::ProcessId, Censuses> processes_{};
};

}  // namespace tidegauge::verdict
