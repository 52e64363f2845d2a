// SPDX-License-Identifier: Apache-2.0
#include "record/sharing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "record/walk.h"

namespace tidegauge::record {

namespace {

using Amount = std::int64_t;

// A child whose anonymous memory is this close to its parent's when we first see it was forked,
// whatever it calls itself by then.
constexpr double kAlikeLow = 0.9;
constexpr double kAlikeHigh = 1.1;
constexpr Amount kAlikeFrom = 8 << 20;  // small programs are alike by chance

// Processes of which something is known before they are in a sample.
constexpr std::size_t kMostDescribed = 65'536;
constexpr std::size_t kMostAncestors = 256;

// A cgroup's own count is believed if it lies between the largest process and the sum of all, give
// or take what changed while we read one after the other.
constexpr double kReadingSlack = 0.02;
constexpr double kReadingSlackBytes = 16 << 20;

Amount amount(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<Amount>::max() / 1'000'000;
  return static_cast<Amount>(std::min(bytes, kMost));  // a million processes still add up
}

Amount part_of(Amount whole, Amount numerator, Amount denominator) {
  if (denominator <= 0) return 0;
  return std::llround(static_cast<double>(whole) * static_cast<double>(numerator) /
                      static_cast<double>(denominator));
}

// New private pages are what a process's anonymous memory grows by; new file and shared pages are
// shared as those before them were.
bool grows_alone(Sharing::Kind kind) {
  return kind == Sharing::Anon || kind == Sharing::Unsplit;
}

std::array<Bytes, Sharing::kKinds> counters_of(const Memory& memory) {
  const auto resident = resident_kinds(memory);
  return {resident[WalkedAnon],    resident[WalkedFile], resident[WalkedShmem],
          resident[WalkedUnsplit], memory.hugetlb,       memory.swap};
}

std::size_t hash_of(const std::string& command) {
  return command.empty() ? 0 : std::hash<std::string>{}(command);
}

}  // namespace

void Sharing::add(const Process& process) {
  const Description description{process.parent, hash_of(process.command)};
  const auto found = members_.find(process.id);
  if (found == members_.end()) {
    if (described_.size() < kMostDescribed) described_[process.id] = description;
  } else {
    found->second.command_hash = description.command_hash;
  }
}

void Sharing::add(const Event& event) {
  if (event.kind != EventKind::Exec) return;
  const auto found = members_.find(event.process);
  if (found == members_.end()) return;
  // Another program in the same process: nothing that it had is there any more.
  found->second.forked = false;
  found->second.parts = {};
  ++generation_;
}

Sharing::Totals Sharing::add(const Sample& sample, Bytes counted_anon) {
  ++samples_;
  const auto joined = read_counters(sample);
  for (const auto& id : joined) join(id, members_[id]);
  remove_the_gone();
  for (auto& [id, member] : members_) inherit(member);
  const auto before_walks = modelled();
  const bool walked = take_walks(sample);
  described_.clear();
  own_of_sample_.clear();
  for (const auto& process : sample.processes) own_of_sample_.push_back(own(process.id));
  return settle(before_walks, walked, counted_anon);
}

std::vector<ProcessId> Sharing::read_counters(const Sample& sample) {
  std::vector<ProcessId> joined;
  for (const auto& process : sample.processes) {
    const auto [at, is_new] = members_.try_emplace(process.id);
    auto& member = at->second;
    if (is_new || member.gone) joined.push_back(process.id);
    member.gone = false;
    member.seen_in = samples_;
    const auto counters = counters_of(process.memory);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      member.parts[kind].known = counters[kind].has_value();
      member.parts[kind].counter = amount(counters[kind].value_or(0));
    }
  }
  return joined;
}

void Sharing::join(const ProcessId& id, Member& member) {
  ++generation_;
  const auto description = described_.find(id);
  if (description == described_.end()) return;
  member.command_hash = description->second.command_hash;
  const auto parent = place_of(description->second.parent);
  if (parent == members_.end() || parent->first == id) return;
  if (!member.children.empty() && descends_from(parent->first, id)) return;
  if (const auto before = place_of(member.parent); before != members_.end()) {
    before->second.children.erase(id);
  }
  member.parent = parent->first;
  parent->second.children.insert(id);

  const auto mine = member.parts[Anon].counter;
  const auto theirs = parent->second.parts[Anon].counter;
  const auto ratio = static_cast<double>(mine) / static_cast<double>(std::max<Amount>(theirs, 1));
  const bool alike = theirs >= kAlikeFrom && ratio >= kAlikeLow && ratio <= kAlikeHigh;
  const bool same_program =
      member.command_hash != 0 && member.command_hash == parent->second.command_hash;
  member.forked = alike || same_program;
  if (!member.forked) return;
  for (const auto kind : {Anon, Unsplit}) {
    member.parts[kind].inherited =
        std::min(member.parts[kind].counter, parent->second.parts[kind].counter);
  }
}

// Kernels have no circles, but files of others may say anything. A line of ancestors that is longer
// than any is taken for one: nobody follows it to its end for each process anew.
bool Sharing::descends_from(ProcessId id, const ProcessId& ancestor) const {
  std::size_t steps = 0;
  for (const auto* member = find(id); member != nullptr; member = find(id)) {
    if (id == ancestor || ++steps > kMostAncestors) return true;
    id = member->parent;
  }
  return false;
}

void Sharing::remove_the_gone() {
  std::vector<ProcessId> gone;
  for (auto& [id, member] : members_) {
    if (member.seen_in == samples_ || member.gone) continue;
    member.gone = true;
    for (auto& part : member.parts) part.counter = 0;
    gone.push_back(id);
    ++generation_;
  }
  for (const auto& id : gone) leave(id);
}

// Takes out a process that is gone and has no, or one, child that shared with it; then perhaps its
// parent, which may have waited for that.
void Sharing::leave(const ProcessId& id) {
  auto at = members_.find(id);
  while (at != members_.end() && at->second.gone && at->second.children.size() < 2) {
    const auto& member = at->second;
    const auto parent = place_of(member.parent);
    if (!member.children.empty()) {
      const auto heir = members_.find(*member.children.begin());
      heir->second.parent = parent == members_.end() ? ProcessId{} : parent->first;
      heir->second.forked = heir->second.forked && member.forked;
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        auto& part = heir->second.parts[kind];
        part.inherited = std::min(part.inherited, member.parts[kind].inherited);
        part.walked_inherited = std::min(part.walked_inherited, member.parts[kind].inherited);
      }
      if (parent != members_.end()) parent->second.children.insert(heir->first);
    }
    if (parent != members_.end()) parent->second.children.erase(at->first);
    members_.erase(at);
    at = parent;
  }
}

// What of its present counters a process has in common with its parent.
void Sharing::inherit(Member& member) const {
  if (member.gone) return;
  const auto* parent = find(member.parent);
  const bool parent_lives = parent != nullptr && !parent->gone;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    auto& part = member.parts[kind];
    if (parent == nullptr) {
      part.inherited = 0;
    } else if (kind == Swap) {
      // Pages go to swap without asking whose they are.
      const auto& anon = member.parts[Anon];
      part.inherited = anon.counter > 0 ? part_of(part.counter, anon.inherited, anon.counter)
                       : member.forked  ? std::min(part.counter, parent->parts[kind].counter)
                                        : 0;
    } else if (part.walked_generation != 0 && !grows_alone(static_cast<Kind>(kind))) {
      part.inherited = part_of(part.counter, part.walked_inherited, part.walked_counter);
    } else if (parent_lives && !grows_alone(static_cast<Kind>(kind))) {
      // A fork leaves file pages to be found again by the child, one by one: they are its parent's.
      const bool shares = kind == File || member.forked;
      part.inherited = shares ? std::min(part.counter, parent->parts[kind].counter) : 0;
    } else {
      part.inherited = std::min(part.inherited, part.counter);
    }
  }
}

bool Sharing::take_walks(const Sample& sample) {
  bool any = false;
  constexpr Kind kKindOf[kWalkedKinds] = {Anon, File, Shmem, Unsplit};
  for (const auto& process : sample.processes) {
    const auto walk = walk_of(process.memory, sample.processes.size());
    auto& member = members_[process.id];
    for (std::size_t i = 0; i < kWalkedKinds; ++i) {
      if (!walk[i]) continue;
      any = true;
      auto& part = member.parts[kKindOf[i]];
      const auto shared = std::max<Amount>(part.counter - walk[i]->own, 0);
      // Of a process that has children, some is shared with those and not with its parent.
      const bool leaf = member.children.empty();
      const bool has_parent = member.parent.pid != 0;
      part.inherited = !has_parent ? 0 : leaf ? shared : std::min(part.inherited, shared);
      part.walked_generation = generation_;
      part.walked_counter = part.counter;
      part.walked_share = std::min(walk[i]->share, part.counter);
      part.walked_inherited = part.inherited;
    }
  }
  return any;
}

// The sum of what everybody owns. What a parent has let go of and its children still share is
// theirs together, once.
Sharing::Sums Sharing::modelled() const {
  Sums sums{};
  for (const auto& [id, member] : members_) {
    Sums here{};
    for (std::size_t kind = 0; kind < kKinds; ++kind) here[kind] = member.parts[kind].counter;
    for (const auto& child_id : member.children) {
      const auto* child = find(child_id);
      for (std::size_t kind = 0; child != nullptr && kind < kKinds; ++kind) {
        here[kind] = std::max(here[kind], child->parts[kind].inherited);
      }
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      sums[kind] += std::max<Amount>(here[kind] - member.parts[kind].inherited, 0);
    }
  }
  return sums;
}

std::uint64_t Sharing::own(const ProcessId& id) const {
  const auto* member = find(id);
  if (member == nullptr) return 0;
  Amount sum = 0;
  for (const auto& part : member->parts) sum += std::max<Amount>(part.counter - part.inherited, 0);
  return static_cast<std::uint64_t>(sum);
}

Sharing::Tally Sharing::tally(Kind kind) const {
  Tally tally;
  for (const auto& [id, member] : members_) {
    const auto& part = member.parts[kind];
    if (member.gone || !part.known) continue;
    tally.known = true;
    tally.largest = std::max(tally.largest, part.counter);
    tally.counters += part.counter;
    if (part.counter == 0) continue;
    tally.complete = tally.complete && part.walked_generation == generation_;
    const auto grown = part.walked_share + part.counter - part.walked_counter;
    tally.shares += grows_alone(kind)
                        ? std::max<Amount>(grown, 0)
                        : part_of(part.counter, part.walked_share, part.walked_counter);
  }
  return tally;
}

Sharing::Totals Sharing::settle(const Sums& before_walks, bool walked, Bytes counted_anon) {
  const auto model = modelled();
  Totals totals;
  for (const auto kind : {Anon, File, Shmem, Unsplit, Hugetlb, Swap}) {
    const auto sum = tally(kind);
    auto& unmodelled = unmodelled_[kind];
    if (!sum.known) {
      unmodelled = 0;
    } else if (kind == Anon && counted_anon && sum.allows(*counted_anon)) {
      unmodelled = amount(*counted_anon) - model[kind];
      totals[kind] = *counted_anon;
    } else {
      // What a walk has just found was part of what the model had been lacking.
      const auto found = model[kind] - before_walks[kind];
      // Pages shared with strangers (the same library in another job, the copy that a census reads)
      // are all the tree's: it never holds less than its largest member.
      const auto held = std::max(sum.shares, sum.largest);
      unmodelled = sum.complete && walked ? held - model[kind]
                   : found > 0            ? unmodelled - std::clamp<Amount>(unmodelled, 0, found)
                                          : unmodelled - std::clamp<Amount>(unmodelled, found, 0);
      totals[kind] =
          static_cast<std::uint64_t>(std::clamp<Amount>(model[kind] + unmodelled, 0, sum.counters));
    }
  }
  return totals;
}

bool Sharing::Tally::allows(std::uint64_t counted) const {
  const double slack = kReadingSlackBytes + kReadingSlack * static_cast<double>(counters);
  const auto value = static_cast<double>(counted);
  return value >= static_cast<double>(largest) - slack &&
         value <= static_cast<double>(counters) + slack;
}

// Pid 0 is nobody's parent, whatever a file says.
std::map<ProcessId, Sharing::Member>::iterator Sharing::place_of(const ProcessId& id) {
  return id.pid == 0 ? members_.end() : members_.find(id);
}

const Sharing::Member* Sharing::find(const ProcessId& id) const {
  const auto found = id.pid == 0 ? members_.end() : members_.find(id);
  return found == members_.end() ? nullptr : &found->second;
}

}  // namespace tidegauge::record
