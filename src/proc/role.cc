// SPDX-License-Identifier: Apache-2.0
#include "proc/role.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "proc/member_kind.h"
#include "proc/program.h"

namespace tidegauge::proc {

namespace {

using record::Role;

// A program that nobody told us about starts the job, too, if what it has started holds so much
// more that nobody would ask about the program itself.
constexpr std::uint64_t kDwarfed = 4;
constexpr std::uint64_t kJobAtLeast = 128ull << 20;
// A program that forks itself is the job, and not one that starts ranks, if it holds so much more
// than any of those.
constexpr std::uint64_t kHoldsMost = 2;
// Of several trees, those whose job holds at least this part of the largest one have a Main too; a
// process that lost its parent and holds less is a left-over.
constexpr std::uint64_t kSmallestShare = 8;

class Tree {
 public:
  explicit Tree(std::span<const Member> members) : members_(members) {
    for (const auto& member : members) {
      programs_.push_back(program_of(member.arguments, member.name));
      kinds_.push_back(kind_of(member, programs_.back()));
    }
    roles_.assign(members.size(), Role::Other);
    link();
    order_from_roots();
    find_workers();
  }

  std::vector<Role> roles() {
    std::vector<std::size_t> jobs;
    for (const auto root : roots_) {
      if (const auto job = find_main(root)) jobs.push_back(*job);
    }
    drop_left_overs(jobs);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (roles_[i] == Role::Other && worker_[i]) roles_[i] = *worker_[i];
      if (roles_[i] == Role::Main && still_wrapper(i)) roles_[i] = Role::Wrapper;
    }
    return std::move(roles_);
  }

 private:
  void link() {
    std::map<record::ProcessId, std::size_t> places;
    for (std::size_t i = 0; i < members_.size(); ++i) places.emplace(members_[i].id, i);
    parents_.resize(members_.size());
    children_.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto parent = places.find(members_[i].parent);
      if (parent == places.end() || parent->second == i) {
        roots_.push_back(i);
        continue;
      }
      parents_[i] = parent->second;
      children_[parent->second].push_back(i);
    }
  }

  // Parents before their children. What is only reached in a circle, which no kernel makes, is left
  // out.
  void order_from_roots() {
    order_ = roots_;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const auto& children = children_[order_[i]];
      order_.insert(order_.end(), children.begin(), children.end());
    }
  }

  std::uint64_t size_of(std::size_t i) const { return members_[i].anon.value_or(0); }

  // Has the arguments of the one that started it: it was forked and runs the same program.
  bool is_forked(std::size_t i) const {
    return parents_[i] && !members_[i].arguments.empty() &&
           members_[i].arguments == members_[*parents_[i]].arguments;
  }

  std::optional<Role> worker_role(std::size_t i) const {
    switch (kinds_[i]) {
      case MemberKind::CompileWorker:
        return Role::CompileWorker;
      case MemberKind::DataWorker:
      case MemberKind::Spawned:
        return Role::LoaderWorker;
      case MemberKind::ForkServer:
        return is_forked(i) ? Role::LoaderWorker : Role::Other;
      case MemberKind::Tracker:
        return Role::Other;
      case MemberKind::Starter:
      case MemberKind::Plain:
        break;
    }
    if (is_forked(i) && programs_[i].language == Language::Python) return Role::LoaderWorker;
    return {};
  }

  // Workers, but for those that have workers of their own: they are ranks, which multiprocessing
  // has started, and torch would have given a DataLoader's worker its name.
  void find_workers() {
    worker_.resize(members_.size());
    for (const auto i : order_) worker_[i] = worker_role(i);
    for (const auto i : order_) {
      const bool can_be_rank = kinds_[i] == MemberKind::Spawned || kinds_[i] == MemberKind::Plain;
      if (worker_[i] && can_be_rank && has_workers(i)) worker_[i].reset();
    }
  }

  bool has_workers(std::size_t i) const {
    return std::any_of(children_[i].begin(), children_[i].end(), [&](std::size_t child) {
      return kinds_[child] == MemberKind::DataWorker ||
             kinds_[child] == MemberKind::CompileWorker || worker_[child] == Role::LoaderWorker;
    });
  }

  // Candidates below `i`, which are no workers.
  std::vector<std::size_t> jobs_of(std::size_t i) const {
    std::vector<std::size_t> jobs;
    for (const auto child : children_[i]) {
      if (!worker_[child]) jobs.push_back(child);
    }
    return jobs;
  }

  // The most that any of those below `i` holds, workers and what is below them left out.
  std::uint64_t largest_below(std::size_t i) const {
    std::uint64_t largest = 0;
    auto open = jobs_of(i);
    while (!open.empty()) {
      const auto job = open.back();
      open.pop_back();
      largest = std::max(largest, size_of(job));
      const auto more = jobs_of(job);
      open.insert(open.end(), more.begin(), more.end());
    }
    return largest;
  }

  bool is_wrapper(std::size_t i, const std::vector<std::size_t>& jobs) const {
    if (jobs.empty()) return false;
    if (kinds_[i] == MemberKind::Starter) return true;
    const auto below = largest_below(i);
    const bool holds_most = size_of(i) > kHoldsMost * below;
    const bool started_ranks = std::any_of(jobs.begin(), jobs.end(), [&](std::size_t job) {
      return kinds_[job] == MemberKind::Spawned || (is_forked(job) && !holds_most);
    });
    if (started_ranks) return true;
    if (!members_[i].anon) return false;
    return below >= kJobAtLeast && below / kDwarfed > size_of(i);
  }

  // What it has started is gone; if it goes on to work itself, it will not stay small.
  bool still_wrapper(std::size_t i) const {
    return members_[i].was_wrapper && size_of(i) < kJobAtLeast;
  }

  // Names wrappers from `root` down. Of the first ones below that are none, the largest and those
  // that run the same program, the ranks, are Main. The largest one, if there is any.
  std::optional<std::size_t> find_main(std::size_t root) {
    std::vector<std::size_t> open{root};
    std::vector<std::size_t> candidates;
    while (!open.empty()) {
      const auto i = open.back();
      open.pop_back();
      const auto jobs = jobs_of(i);
      if (!is_wrapper(i, jobs)) {
        candidates.push_back(i);
        continue;
      }
      roles_[i] = Role::Wrapper;
      open.insert(open.end(), jobs.begin(), jobs.end());
    }
    const auto largest =
        *std::max_element(candidates.begin(), candidates.end(),
                          [&](std::size_t a, std::size_t b) { return goes_before(b, a); });
    for (const auto i : candidates) {
      if (programs_[i].name == programs_[largest].name) roles_[i] = Role::Main;
    }
    return largest;
  }

  // The larger one is the likelier job; of two the same, the older one.
  bool goes_before(std::size_t a, std::size_t b) const {
    if (worker_[a].has_value() != worker_[b].has_value()) return !worker_[a];
    if (size_of(a) != size_of(b)) return size_of(a) > size_of(b);
    return members_[a].id < members_[b].id;
  }

  // `jobs`: the largest Main of each tree.
  void drop_left_overs(const std::vector<std::size_t>& jobs) {
    if (jobs.empty()) return;
    const auto first = *std::min_element(
        jobs.begin(), jobs.end(), [&](std::size_t a, std::size_t b) { return goes_before(a, b); });
    for (const auto job : jobs) {
      const bool worker = worker_[job] && !worker_[first];
      if (job == first || (!worker && size_of(job) >= size_of(first) / kSmallestShare)) continue;
      for (const auto i : order_) {
        if (roles_[i] == Role::Main && root_of(i) == root_of(job)) roles_[i] = Role::Other;
      }
    }
  }

  std::size_t root_of(std::size_t i) const {
    while (parents_[i]) i = *parents_[i];
    return i;
  }

  std::span<const Member> members_;
  std::vector<Program> programs_;
  std::vector<MemberKind> kinds_;
  std::vector<std::optional<std::size_t>> parents_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> roots_;
  std::vector<std::size_t> order_;           // all, parents before children
  std::vector<std::optional<Role>> worker_;  // what it is if it is not the job
  std::vector<Role> roles_;
};

}  // namespace

std::vector<Role> name_roles(std::span<const Member> members) {
  return Tree(members).roles();
}

}  // namespace tidegauge::proc
