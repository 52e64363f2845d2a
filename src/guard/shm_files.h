// SPDX-License-Identifier: Apache-2.0
// Files in /dev/shm that a job leaves behind when it is killed: memory that nobody gives back.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proc/root.h"
#include "proc/roots.h"

namespace tidegauge::guard {

// A name proves nothing, not even with a pid in it. A file is removed only if a process of the job
// that runs as its owner was seen to map or hold it, it is still the same file, it is ours, it is
// younger than the job, and nobody maps or holds it now.
class ShmFiles {
 public:
  // `began`: when the job did, by the wall clock.
  ShmFiles(proc::Roots roots, timespec began) : roots_(std::move(roots)), began_(began) {}

  // While it lives: what `pid` has there.
  void note(pid_t pid);
  // After its end; the names that were removed.
  std::vector<std::string> clean();

  std::size_t noted() const { return files_.size(); }

 private:
  using Identity = std::pair<dev_t, ino_t>;
  void note_path(const std::string& path, const Identity& expected, uid_t holder);
  bool is_ours(const std::string& path, const Identity& file) const;
  // Anybody's, as far as we can see; where we cannot the answer is yes.
  bool is_in_use(const proc::Root& root, const std::string& path, const Identity& file) const;

  proc::Roots roots_;
  timespec began_;
  std::map<std::string, Identity> files_;
};

}  // namespace tidegauge::guard
