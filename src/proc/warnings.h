// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/recording.h"

namespace tidegauge::proc {

// What a person should know, each said once however often it is found.
class Warnings {
 public:
  enum class About { OthersProcess, Interval, DeepScan };

  void once(About about, std::string text) {
    if (said_.insert(about).second) say(std::move(text));
  }
  void say(std::string text) { waiting_.push_back(std::move(text)); }
  std::vector<std::string> take() { return std::exchange(waiting_, {}); }

 private:
  std::set<About> said_;
  std::vector<std::string> waiting_;
};

// That page tables, mappings and descriptors of this process are not ours to read, and what helps.
std::string not_ours_to_read(const record::Process& process);

}  // namespace tidegauge::proc
