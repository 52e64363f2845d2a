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
  // Both: Denied: not ours to read. `size_bytes`: of the address space, which is the same as long
  // as the mappings are, as a rule.
  Result<> count_fds(const Files& files, pid_t pid, std::int64_t now_ns);
  Result<> count_vmas(const Files& files, pid_t pid, const std::string& folder,
                      std::uint64_t size_bytes, std::int64_t now_ns);
  bool fds_due(std::int64_t now_ns) const { return now_ns >= fds_due_ns_; }
  bool vmas_due(std::int64_t now_ns, std::uint64_t size_bytes) const;
  bool is_due(std::int64_t now_ns, std::uint64_t size_bytes) const {
    return fds_due(now_ns) || vmas_due(now_ns, size_bytes);
  }
  void start_over() { *this = {}; }  // another program runs in it now

  record::Count fds() const { return fds_; }
  record::Count vmas() const { return vmas_; }

 private:
  record::Count fds_{};
  record::Count vmas_{};
  std::int64_t fds_due_ns_ = 0;
  std::int64_t vmas_due_ns_ = 0;
  std::int64_t same_size_due_ns_ = 0;  // the same for an address space of the size it had
  std::uint64_t counted_size_bytes_ = 0;
};

}  // namespace tidegauge::proc
