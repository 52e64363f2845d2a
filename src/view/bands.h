// SPDX-License-Identifier: Apache-2.0
// Which processes are drawn as one band. Forked processes share pages, so what each of them holds
// jumps when another comes or goes; what the family holds together does not.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "record/recording.h"

namespace tidegauge::view {

class Bands {
 public:
  struct Band {
    std::string name{};  // of the process that it began with
    record::Role role = record::Role::Other;
    bool by_role = false;     // all workers of one kind, whoever started them
    std::size_t members = 0;  // so far
  };
  static constexpr std::size_t kMost = 32;  // the last one holds whoever came later

  void add(const record::Process& process);
  std::size_t band_of(const record::ProcessId& id);
  const std::vector<Band>& all() const { return bands_; }

 private:
  struct Known {
    record::ProcessId parent{};
    std::string name{};
    std::size_t command_hash = 0;
    record::Role role = record::Role::Other;
  };
  std::size_t find_band(const record::ProcessId& id);
  std::size_t open_band(Band band);

  std::map<record::ProcessId, Known> known_{};
  std::map<record::ProcessId, std::size_t> band_of_{};
  std::vector<Band> bands_{};
};

// "train.py and 4 forks", "20 compile workers".
std::string label_of(const Bands::Band& band);

}  // namespace tidegauge::view
