// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "proc/newcomers.h"
#include "proc/root.h"
#include "proc/stat.h"
#include "record/sample.h"

namespace tidegauge::proc {

struct Joined {
  Stat stat{};
  record::ProcessId parent{};  // the one that started it; pid 0 where that cannot be known any more
};

// Who belongs: the roots, all that they start, all that those start. A member stays one when its
// parent ends and somebody else becomes its parent. We ourselves and the processes that work for us
// do not, wherever we were started, unless our own pid is one of the roots.
class Tree {
 public:
  explicit Tree(const Root& root);

  // Gone: there is no such process, or it has ended. Unsupported: it is a part of the kernel.
  Result<Joined> add_root(const Root& root, pid_t pid);
  // Processes that are members from now on, parents before their children.
  std::vector<Joined> grow(const Root& root, std::int64_t now_ns);
  // The same where membership is given by somebody else: all of `pids` belong, nobody else does.
  std::vector<Joined> grow_to(const Root& root, std::span<const pid_t> pids);
  // It has ended, or its pid is another's now.
  void leave(const record::ProcessId& id);
  // What may have changed while it lives.
  void note(const Stat& stat);

  bool pids_are_ours() const { return newcomers_.pids_are_ours(); }
  bool contains(const record::ProcessId& id) const;
  std::size_t size() const { return members_.size(); }

 private:
  struct Node {
    std::uint64_t start_ticks = 0;
    pid_t group = 0;
  };

  std::vector<Stat> strangers_among(const Root& root, std::span<const pid_t> pids);
  void begin(std::uint64_t youngest, std::span<const Stat> strangers);
  bool works_for_us(const Stat& stat) const;
  bool is_older_than_us(const Stat& stat) const;
  bool is_older_than_our_job(const Stat& stat) const;
  bool belongs(const Stat& stat) const;
  bool is_orphan_of_ours(const Stat& stat) const;
  Joined join(const Root& root, Stat stat);
  record::ProcessId parent_of(const Root& root, const Stat& stat) const;
  std::vector<pid_t> candidates(const Root& root, std::int64_t now_ns);

  Newcomers newcomers_;
  Image our_image_{};                           // unknown: these are not our pids
  std::optional<record::ProcessId> our_job_{};  // the root that we have started ourselves
  std::unordered_map<pid_t, Node> members_;
  std::unordered_map<pid_t, std::size_t> groups_;  // process groups of members, and how many
  std::vector<pid_t> known_strangers_;  // of the last look, ascending: not to be asked again
  std::vector<pid_t> vacated_;          // pids of those who left: they may be somebody else's now
  bool all_wanted_ = true;              // a root is new: its children may be old
  std::int64_t all_due_ns_ = 0;
  std::uint64_t began_ticks_ = 0;  // start of the youngest process of the first look
  std::vector<pid_t> born_then_;   // those who were no members then, and as young
};

}  // namespace tidegauge::proc
