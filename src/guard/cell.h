// SPDX-License-Identifier: Apache-2.0
// The control groups that a job is kept in: made below those that we are in ourselves, for this job
// alone, and the levers to them. No other group is ever written to. What cannot be had is missing,
// and said.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "guard/step_down.h"
#include "guard/world.h"
#include "proc/cgroup_place.h"
#include "proc/root.h"
#include "proc/roots.h"
#include "record/sample.h"

namespace tidegauge::guard {

class Cell : public Levers {
 public:
  // `limit_bytes`: what the memory group may use at most; 0: no limit of its own. Never fails: a
  // cell may be empty.
  static Cell make(const proc::Roots& roots, double limit_bytes);
  // For a tree that runs already: a group to freeze and kill it by, below the one it is in; empty
  // until take_in(). Its memory stays where it is charged, and limits are not changed.
  static Cell adopt(const proc::Roots& roots, record::ProcessId top);
  // The same without a group: its memory is measured, and nothing can be done to it.
  static Cell beside(const proc::Roots& roots, record::ProcessId top);
  // The levers of a group that is there, of memory too where it has that and is to have a limit.
  static Cell of_folder(const std::string& folder, int version, double limit_bytes = 0);
  Cell(Cell&& other) noexcept;
  Cell& operator=(Cell&&) = delete;
  ~Cell() override;  // removes what is empty

  bool can_freeze() const override { return static_cast<bool>(freeze_); }
  bool can_kill() const override { return static_cast<bool>(kill_) || freezer_version_ == 1; }
  bool can_limit() const override { return static_cast<bool>(limit_) && limited_; }
  // Why something is missing, for people; empty: nothing is.
  const std::vector<std::string>& missing() const { return missing_; }

  // Folders of the memory groups from the job's upwards, and their version.
  const std::vector<std::string>& memory_folders() const { return memory_folders_; }
  int memory_version() const { return memory_version_; }
  // The child that becomes the job writes "0" to each.
  std::vector<int> join_fds() const;
  std::vector<int> fds() const;  // all that it needs
  // In how many groups that is.
  int join_count() const override { return (memory_procs_ ? 1 : 0) + (freezer_procs_ ? 1 : 0); }

  // From here on nothing is opened or allocated.
  bool freeze() const override;  // begins; is_frozen() says when it has
  bool thaw() const override;
  bool is_frozen() const override;
  bool set_limit(double bytes) const override;
  // The whole tree, frozen or not.
  bool kill() const override;
  bool holds(pid_t pid) const override;
  // To a process that the cell holds, and to no other: a descriptor of it is opened first, so that
  // the pid that is then found in the cell is that process's and nobody else's.
  bool signal(pid_t pid, int number) const override;
  bool is_empty() const override;
  // Readable when the memory group passes `bytes` (with page cache), where the kernel says so. In
  // version 2 that is a brake too: beyond it memory comes slowly until release_brake().
  UniqueFd trip_wire(double bytes) const;
  bool has_brake() const override { return static_cast<bool>(high_); }
  bool set_brake(double bytes) const override;
  bool release_brake() const override;

  // What is empty of it. Nothing else could be. True: nothing is left.
  bool remove()
      const override;  // NOLINT(modernize-use-nodiscard): whoever cannot wait need not ask
  // To the group that we came from, once the job's own are gone: where we left that one for its
  // sake.
  void step_back() const override;
  bool is_adopted() const override { return static_cast<bool>(home_procs_); }
  // Of an adopted tree: brings it in, to where it was it goes back with release(). Whoever is to do
  // that must be there before: we may be killed in between. False: it cannot be moved.
  bool take_in(const proc::Roots& roots, const record::ProcessId& top) const;
  void release() const override;

 private:
  Cell() = default;
  struct Own;  // places that we are in
  // What groups of ours are called.
  static Result<std::string> own_name(const proc::Root& root);
  void add_memory_folders(const proc::CgroupPlace& place);
  // Where the process is charged, and the groups that it is in.
  std::vector<proc::CgroupPlace> find_memory_of(const proc::Roots& roots, pid_t pid);
  void make_memory(const std::string& proc, const Own& own, const std::string& name,
                   double limit_bytes);
  void make_freezer(const Own& own, const std::string& name);
  bool open_memory(const std::string& folder, double limit_bytes);
  bool open_levers(const std::string& folder, int version);
  void kill_one_by_one() const;
  // The list of processes, to be read now.
  const UniqueFd& procs() const { return freezer_procs_ ? freezer_procs_ : memory_procs_; }
  UniqueFd procs_anew() const;

  std::vector<std::string> folders_;  // that we made
  std::optional<StepDown> step_down_;
  std::vector<std::string> memory_folders_;
  std::vector<std::string> missing_;
  int memory_version_ = 0;   // 0: none that we can see
  int freezer_version_ = 0;  // 0: none
  bool limited_ = false;
  UniqueFd memory_procs_;
  UniqueFd limit_;
  UniqueFd high_;  // version 2
  UniqueFd freezer_procs_;
  UniqueFd freeze_;  // cgroup.freeze or freezer.state
  UniqueFd events_;  // version 2: cgroup.events
  UniqueFd kill_;
  UniqueFd home_procs_;     // of an adopted tree
  std::string procs_path_;  // version 1
};

// "tidegauge-812-93811": of a group whose owner has this pid and start time.
std::optional<record::ProcessId> owner_of(std::string_view folder_name);
// The gauge that guards `pid` already, found by the groups that it is in; 0: none that lives.
pid_t guard_of(const proc::Roots& roots, pid_t pid);

}  // namespace tidegauge::guard
