// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "proc/files.h"
#include "record/sample.h"

namespace tidegauge::proc {

// Counts that cost too much to be taken at every look: open descriptors and mappings.
class RareCounts {
 public:
  // Both: Denied: not ours to read.
  Result<> count_fds(const Files& files, pid_t pid, std::int64_t now_ns);
  Result<> count_vmas(const Files& files, pid_t pid, const std::string& folder,
                      std::int64_t now_ns);
  bool fds_due(std::int64_t now_ns) const { return now_ns >= fds_due_ns_; }
  bool vmas_due(std::int64_t now_ns) const { return now_ns >= vmas_due_ns_; }
  bool is_due(std::int64_t now_ns) const { return fds_due(now_ns) || vmas_due(now_ns); }
  void start_over() { *this = {}; }  // another program runs in it now

  record::Count fds() const { return fds_; }
  record::Count vmas() const { return vmas_; }

 private:
  record::Count fds_{};
  record::Count vmas_{};
  std::int64_t fds_due_ns_ = 0;
  std::int64_t vmas_due_ns_ = 0;
};

}  // namespace tidegauge::proc
