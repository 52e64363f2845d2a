// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "proc/examine.h"

namespace tidegauge::proc {

// Findings of one section, as they are made.
class Findings {
 public:
  explicit Findings(std::string section) : section_(std::move(section)) {}

  void good(std::string what, std::string found) {
    add(Finding::State::Good, std::move(what), std::move(found), {});
  }
  void limited(std::string what, std::string found, std::string advice = {}) {
    add(Finding::State::Limited, std::move(what), std::move(found), std::move(advice));
  }
  void missing(std::string what, std::string found, std::string advice = {}) {
    add(Finding::State::Missing, std::move(what), std::move(found), std::move(advice));
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  void add(Finding::State state, std::string what, std::string found, std::string advice) {
    all_.push_back({state, section_, std::move(what), std::move(found), std::move(advice)});
  }
  std::string section_;
  std::vector<Finding> all_;
};

// What the files of examine_*.cc find; each is one section.
std::vector<Finding> examine_rights(const CollectOptions& options);
std::vector<Finding> examine_kernel(const CollectOptions& options);
std::vector<Finding> examine_memory(const CollectOptions& options);
std::vector<Finding> examine_gpu(const CollectOptions& options);

// The limit that binds a process first, and the groups that it is in.
void add_limit(Findings& findings, pid_t pid, const CollectOptions& options);

}  // namespace tidegauge::proc
