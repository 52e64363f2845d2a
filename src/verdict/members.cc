// SPDX-License-Identifier: Apache-2.0
#include "verdict/members.h"

#include <algorithm>

namespace tidegauge::verdict {

namespace {

// Descriptions that wait for their first sample; more only come from processes too short-lived to
// be seen.
constexpr std::size_t kMostDescribed = 4096;
constexpr std::size_t kMostColumns = 16;
constexpr std::size_t kMostNameBytes = 512;  // the kernel's have 15
constexpr std::size_t kMostRestarts = 16;
// A newcomer takes the place of one that holds half as much, or of one that is gone and held a
// hundred times as much.
constexpr double kRoomForNewcomer = 0.5;
constexpr double kGoneCounts = 0.01;
// A kind of memory gets a series once it comes to this much: less never matters (gauge.cc).
constexpr double kWorthASeries = 4.0 * 1024 * 1024;

double value_of(const record::Bytes& bytes) {
  return static_cast<double>(*bytes);
}

void add_kind(Member& member, Kind kind, const record::Bytes& bytes, double at) {
  if (!bytes) return;
  const double value = value_of(bytes);
  const auto found = member.kinds.find(kind);
  if (found != member.kinds.end()) {
    found->second.add(at, value);
  } else if (value >= kWorthASeries) {
    member.kinds[kind].add(at, value);
  }
}

}  // namespace

record::Bytes bytes_of(const record::Memory& memory, Kind kind) {
  switch (kind) {
    case Kind::Rss:
      return memory.rss;
    case Kind::Anon:
      return memory.anon ? *memory.anon + memory.swap.value_or(0) : memory.anon;
    case Kind::File:
      return memory.file;
    case Kind::Shmem:
      return memory.shmem;
    case Kind::Private:
      return memory.uss;
    case Kind::Pss:
      return memory.pss;
    case Kind::Gpu:
      return memory.gpu;
    default:
      return {};
  }
}

void Members::add(const record::Process& process) {
  const auto found = members_.find(process.id);
  if (found != members_.end()) {
    found->second.name = process.name.substr(0, kMostNameBytes);
    found->second.role = process.role;
  } else if (described_.size() < kMostDescribed) {
    described_[process.id] = {process.name.substr(0, kMostNameBytes), process.role};
  }
}

void Members::restart(const record::ProcessId& id, double at) {
  const auto found = members_.find(id);
  if (found != members_.end() && found->second.restarts.size() < kMostRestarts) {
    found->second.restarts.push_back(at);
  }
}

// Of a large tree, nearly all are too small to replace anybody: looked for once for all of them.
const Members::Least& Members::least_at(double at) {
  if (least_known_ && least_.at == at) return least_;
  const auto weight = [&](const Member& member) {
    return member.last_seen < at ? kGoneCounts * member.held : member.held;
  };
  const auto least = std::min_element(
      members_.begin(), members_.end(),
      [&](const auto& a, const auto& b) { return weight(a.second) < weight(b.second); });
  least_ = {least->first, weight(least->second), at};
  least_known_ = true;
  return least_;
}

Member* Members::find(const record::ProcessId& id, double held, double at) {
  const auto found = members_.find(id);
  if (found != members_.end()) return &found->second;
  if (members_.size() >= kMost) {
    const auto& least = least_at(at);
    if (least.weight > kRoomForNewcomer * held) return nullptr;
    members_.erase(least.id);
  }
  least_known_ = false;
  Member& member = members_[id];
  member.joined = at;
  const auto description = described_.find(id);
  if (description != described_.end()) {
    member.name = description->second.name;
    member.role = description->second.role;
    described_.erase(description);
  }
  return &member;
}

void Members::add(const record::ProcessSample& process, double at, double own, double total) {
  const auto& memory = process.memory;
  double held = own;
  for (const auto& column : process.others) held = std::max(held, column.bytes);
  Member* member = find(process.id, held, at);
  if (member == nullptr) return;
  least_known_ = false;
  member->held = held;
  member->share_of_tree = total > 0 ? own / total : 0;
  member->last_seen = at;
  member->own.add(at, own);
  const auto add = [&](Kind kind) { add_kind(*member, kind, bytes_of(memory, kind), at); };
  if (memory.anon) {
    for (const auto kind : {Kind::Anon, Kind::File, Kind::Shmem}) add(kind);
  } else if (memory.rss) {
    add(Kind::Rss);
  } else if (memory.uss) {
    add(Kind::Private);
  } else if (memory.pss) {
    add(Kind::Pss);
  }
  add(Kind::Gpu);
  for (const auto& column : process.others) {
    if (member->others.size() < kMostColumns || member->others.contains(column.name)) {
      member->others[column.name].add(at, column.bytes);
    }
  }
}

void Members::repeat(double since, std::span<const double> times) {
  least_known_ = false;
  for (auto& [id, member] : members_) {
    if (member.last_seen < since) continue;
    member.own.repeat(since, times);
    for (auto& [kind, series] : member.kinds) series.repeat(since, times);
    member.last_seen = times.back();
  }
}

std::vector<std::pair<record::ProcessId, const Member*>> Members::ordered() const {
  std::vector<std::pair<record::ProcessId, const Member*>> out;
  for (const auto& [id, member] : members_) out.emplace_back(id, &member);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    const bool a_main = a.second->role == record::Role::Main;
    const bool b_main = b.second->role == record::Role::Main;
    return a_main != b_main ? a_main : a.second->held > b.second->held;
  });
  return out;
}

}  // namespace tidegauge::verdict
