// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/fd.h"
#include "proc/root.h"

namespace tidegauge::proc {

// Finds pids that may have come into being since the last look, without asking every process on
// the machine. The kernel gives pids out in order and tells the last one in loadavg (15 us, where a
// walk over the children of 25 processes takes 400 and one over all processes more): only the
// numbers in between can be new. Where that does not speak of the same pids as this /proc (a /proc
// of another pid namespace, a folder made by a test) the pids listed now are compared with those
// listed before.
class Newcomers {
 public:
  explicit Newcomers(const Root& root);

  // True if pids in the folder are those of our own pid namespace, and the kernel's.
  bool pids_are_ours() const { return is_the_kernels_; }

  // Candidates: all that is new, and more: threads, processes that have ended again, and each of
  // the newcomers of the last look once more, since a pid is given out a moment before its process
  // can be seen.
  std::vector<pid_t> look(const Root& root);

  // Everything that there is: what the numbers cannot tell (a pid chosen by hand, as a restored
  // checkpoint has; all pids given out once around between two looks).
  std::vector<pid_t> look_at_all(const Root& root);

 private:
  std::optional<pid_t> last_given_out();
  std::vector<pid_t> between(const Root& root, pid_t after, pid_t last) const;
  std::vector<pid_t> compare_listings(const Root& root);

  UniqueFd loadavg_;             // none: compare listings
  bool is_the_kernels_ = false;  // and not a folder that a test made
  pid_t last_ = 0;
  pid_t last_but_one_ = 0;
  std::vector<pid_t> listed_;         // at the last look, ascending
  std::vector<pid_t> listed_before_;  // at the one before that
};

}  // namespace tidegauge::proc
