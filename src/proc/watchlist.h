// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "proc/files.h"
#include "proc/roots.h"
#include "proc/tree.h"
#include "proc/warnings.h"
#include "proc/watched.h"
#include "record/recording.h"

namespace tidegauge::proc {

// What has happened to the members of a tree since the last look.
struct Changes {
  std::vector<record::Process> processes{};  // new, or not what they were
  std::vector<record::Event> events{};       // Started, Exited, Exec
  bool membership = false;                   // somebody joined or left
};

// The members of the watched trees, kept up to date.
class Watchlist {
 public:
  Watchlist(Root root, std::size_t most_kept_files);

  // Gone: no such process. Denied: not ours to read.
  Result<> add_root(pid_t pid);
  // Membership by cgroup instead: whoever is in it. Gone: no such group.
  Result<> follow_cgroup(const Roots& roots, const std::string& path);

  // How a member ended that we have waited for ourselves, as a shell says it: nobody else can be
  // asked any more.
  void told_end(pid_t pid, int status);

  // Reads counters, finds out who is new, who has left and who runs another program.
  Changes look(std::int64_t now_ns, double interval_seconds);
  // Takes counts that are due, of as many members as a fraction of a millisecond is enough for, and
  // more the first time.
  void look_rarely(std::int64_t now_ns, Warnings& warnings);
  // True as soon as a member is seen to use a GPU, or is not ours to know; asks those that are due,
  // as far as 2 ms are enough.
  bool finds_gpu_use(std::int64_t now_ns);

  std::span<Watched> members() { return members_; }
  std::span<const Watched> members() const { return members_; }
  std::vector<pid_t> pids() const;  // ascending
  Files& files() { return files_; }

 private:
  void watch(Joined joined);
  void find_new(std::int64_t now_ns);
  void look_at(Watched& watched, std::int64_t now_ns, double interval_seconds);
  void take_note(Watched& watched, const Stat& stat, std::int64_t now_ns);
  void leave(Watched& watched, std::optional<double> status, std::int64_t now_ns);
  void read_command(Watched& watched);
  void read_missing_command(Watched& watched);
  Result<> count_rarely(Watched& watched, std::int64_t now_ns);
  void tell_families();
  bool sizes_have_changed() const;
  void name_all_roles();
  void tell(std::int64_t now_ns);

  struct FollowedCgroup {
    Roots roots;
    std::string path;
  };

  Files files_;
  Tree tree_;
  std::vector<Watched> members_;  // in the order in which they joined
  std::optional<FollowedCgroup> cgroup_;
  Changes changes_;  // of the look that is going on
  std::map<record::ProcessId, int> told_ends_{};
  std::vector<pid_t> gone_;              // in this look, ascending
  std::vector<Image> changed_families_;  // in this look
  record::ProcessId biggest_{};          // when roles were named last
  std::uint64_t biggest_when_named_ = 0;
  std::size_t next_rare_ = 0;  // whose turn it is
  std::size_t next_gpu_ = 0;   // the same
  bool first_rare_look_ = true;
};

}  // namespace tidegauge::proc
