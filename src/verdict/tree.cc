// SPDX-License-Identifier: Apache-2.0
#include "verdict/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

// The one that held most of the tree: when it goes, the job was restarted.
constexpr double kMostOfTheTree = 0.5;
// …unless what follows comes to less than this share of what it held: then the job is over, and
// whoever outlives it (a wrapper that tidies up) is not what was asked about.
constexpr double kTookOver = 0.5;
// Nor is whoever is left for the last moments, this share of the recording: a child that is about
// to be reaped, the copy that a census was reading. What is started again lives on.
constexpr double kLastMoments = 0.05;
// It counts as one of the first if it came within this share of the recording.
constexpr double kFromTheStart = 0.2;
// What a newcomer brings with it is what it holds once it has come up.
constexpr double kComingUp = 0.1;        // of its life…
constexpr double kComingUpSeconds = 30;  // …and no longer than this
// So many arrivals, at so many different times, the last of them lately, and nobody leaves.
constexpr std::size_t kManyArrivals = 6;
constexpr std::size_t kDifferentTimes = 4;
constexpr double kLately = 2.0 / 3;
// A member is named if it accounts for this much of the growth; in a group, it grows if it accounts
// for this much.
constexpr double kNamed = 0.6;
constexpr double kGrowsInGroup = 0.05;

struct Guest {  // was not there all the time
  const Member* member = nullptr;
  bool gone = false;
  double start_level = 0;
};

double level_after_coming_up(const Member& member) {
  const double life = member.last_seen - member.joined;
  const double until = member.joined + std::min(kComingUp * life, kComingUpSeconds);
  const auto points = member.own.points();
  std::vector<double> means;
  for (const auto& point : points) {
    if (point.at > until && means.size() >= 3) break;
    means.push_back(point.mean);
  }
  return means.empty() ? 0 : means.back();
}

// Of a guest, within one block of the total; one that stayed counts up to its start level.
struct Visit {
  double bytes = 0;  // sum over its samples
  double count = 0;
  double low = 0;
  double high = 0;
};

std::map<std::size_t, Visit> visits(const Guest& guest, double width) {
  std::map<std::size_t, Visit> out;
  const auto counted = [&](double bytes) {
    return guest.gone ? bytes : std::min(bytes, guest.start_level);
  };
  for (const auto& point : guest.member->own.points()) {
    Visit& visit = out[static_cast<std::size_t>(point.at / width)];
    const auto count = static_cast<double>(point.count);
    const bool first = visit.count == 0;
    visit.bytes += counted(point.mean) * count;
    visit.count += count;
    visit.low = first ? counted(point.low) : std::min(visit.low, counted(point.low));
    visit.high = first ? counted(point.high) : std::max(visit.high, counted(point.high));
  }
  return out;
}

// One that is gone is taken out; one that stayed is pretended to have been there from the start,
// at the level it came with.
void take_out(const Guest& guest, double width, std::vector<Point>& points) {
  const auto seen = visits(guest, width);
  const double before = guest.gone ? 0 : guest.start_level;
  for (auto& point : points) {
    const auto found = seen.find(static_cast<std::size_t>(point.at / width));
    if (found == seen.end()) {
      point.mean += before;
      point.low += before;
      point.high += before;
      continue;
    }
    const Visit& visit = found->second;
    point.mean += before - visit.bytes / std::max(1.0, static_cast<double>(point.count));
    const bool throughout = visit.count >= static_cast<double>(point.count);
    // The tree is lowest where the guest is, as far as the guest goes.
    point.low = throughout ? std::min(point.low + before - visit.low, point.mean)
                           : std::min(point.low + before, point.mean);
    point.high = std::max(point.high + before - visit.high, point.mean);
  }
}

// When the last one that held most of the tree has gone, late, and nobody took its place; otherwise
// `now`.
double end_of_the_job(const std::vector<Point>& points, const Members& members, double now) {
  double end = now;
  double held = 0;
  for (const auto& [id, member] : members.all()) {
    if (member.last_seen >= now || member.share_of_tree < kMostOfTheTree) continue;
    if (end == now || member.last_seen > end) {
      end = member.last_seen;
      held = member.own.peak();
    }
  }
  if (end == now || end - points.front().at < now - end) return now;
  if (now - end < kLastMoments * (now - points.front().at)) return end;
  for (const auto& point : points) {
    if (point.at > end && point.low > kTookOver * held) return now;
  }
  return end;
}

bool keeps_accumulating(const std::vector<Guest>& guests, double width, double duration) {
  std::set<std::size_t> times;
  std::size_t stayed = 0;
  double latest = 0;
  for (const auto& guest : guests) {
    if (guest.gone) return false;
    ++stayed;
    times.insert(static_cast<std::size_t>(guest.member->joined / width));
    latest = std::max(latest, guest.member->joined);
  }
  return stayed >= kManyArrivals && times.size() >= kDifferentTimes && latest > kLately * duration;
}

double near(const BlockSeries& series, double at) {
  const auto points = series.points();
  if (points.empty() || at < points.front().at - series.block_width()) return 0;
  const auto after = std::find_if(points.begin(), points.end(),
                                  [&](const Point& point) { return point.at >= at; });
  return after == points.end() ? points.back().mean : after->mean;
}

struct Group {  // members that do the same
  std::size_t size = 0;
  std::size_t growing = 0;
  double grown = 0;
};

std::string label(const record::ProcessId& id, const Member& member) {
  const std::string name = member.name.empty() ? "process" : printable(member.name);
  return fmt::format("{} (pid {})", name, id.pid);
}

const char* plural_of(record::Role role) {
  switch (role) {
    case record::Role::LoaderWorker:
      return "loader workers";
    case record::Role::CompileWorker:
      return "compile workers";
    default:
      return "processes of that name";
  }
}

// Of a group whose members grow alike; empty where it does not account for the growth.
std::string group_sentence(const Group& group, const Member& one, double grown) {
  if (group.growing < 2 || group.grown < kNamed * grown) return {};
  return fmt::format("{} of {} {} grow and account for {:.0f} % of the growth.", group.growing,
                     group.size, plural_of(one.role), 100 * std::min(1.0, group.grown / grown));
}

}  // namespace

SteadyTree steady_tree(const BlockSeries& total, const Members& members) {
  SteadyTree out;
  out.points = total.points();
  if (out.points.empty()) return out;
  const double width = total.block_width();
  const double begin = out.points.front().at;
  const double now = end_of_the_job(out.points, members, total.last_at());
  if (now < total.last_at()) {
    // The block in which it ended has some of what came after.
    const double last_block = std::floor(now / width);
    while (out.points.size() > 1 && out.points.back().at >= last_block * width) {
      out.points.pop_back();
    }
  }
  out.until = now;
  std::vector<Guest> guests;
  for (const auto& [id, member] : members.all()) {
    const bool gone = member.last_seen < now;
    const bool dominant = member.share_of_tree >= kMostOfTheTree;
    if (gone && dominant) {
      out.restarts.push_back(member.last_seen);
      continue;
    }
    const bool from_the_start =
        member.joined <= begin + (dominant ? kFromTheStart * (now - begin) : width);
    if (!gone && from_the_start) continue;
    guests.push_back({&member, gone, gone ? 0 : level_after_coming_up(member)});
    ++(gone ? out.left : out.joined);
  }
  std::sort(out.restarts.begin(), out.restarts.end());
  out.accumulates = keeps_accumulating(guests, width, now);
  if (out.accumulates) return out;
  for (const auto& guest : guests) take_out(guest, width, out.points);
  out.adjusted = !guests.empty();
  return out;
}

double share_of_growth(const Members& members, std::span<const record::ProcessId> who, double from,
                       double to) {
  double all = 0;
  double theirs = 0;
  for (const auto& [id, member] : members.all()) {
    if (member.last_seen < to) continue;
    const double own = near(member.own, to) - near(member.own, std::max(from, member.joined));
    all += std::max(0.0, own);
    if (std::find(who.begin(), who.end(), id) != who.end()) theirs += std::max(0.0, own);
  }
  return all > 0 ? theirs / all : 0;
}

Attribution attribute(const SteadyTree& tree, const Members& members, double from, double to) {
  Attribution out;
  const auto level_at = [&](double at) {
    const auto after = std::find_if(tree.points.begin(), tree.points.end(),
                                    [&](const Point& point) { return point.at >= at; });
    return after == tree.points.end() ? tree.points.back().mean : after->mean;
  };
  if (tree.points.empty() || members.all().size() < 2) return out;
  const double grown = level_at(to) - level_at(from);
  if (!(grown > 0)) return out;
  const Member* top = nullptr;
  record::ProcessId top_id{};
  double most = 0;
  std::map<std::pair<record::Role, std::string>, Group> groups;
  for (const auto& [id, member] : members.all()) {
    if (member.last_seen < to) continue;
    const double start = std::max(from, member.joined);
    const double own = near(member.own, to) - near(member.own, start);
    Group& group = groups[{member.role, member.name}];
    ++group.size;
    group.grown += std::max(0.0, own);
    if (own > kGrowsInGroup * grown) ++group.growing;
    if (own > most) {
      most = own;
      top = &member;
      top_id = id;
    }
  }
  if (top == nullptr) return out;
  if (most < kNamed * grown) {
    out.sentence = group_sentence(groups[{top->role, top->name}], *top, grown);
    return out;
  }
  out.share = std::min(1.0, most / grown);
  out.grower = Subject{
      .process = top_id, .name = printable(top->name), .role = top->role, .kind = Kind::Total};
  const Group& group = groups[{top->role, top->name}];
  if (group.size > 1) {
    out.sentence =
        fmt::format("{} of {} {} {}: {} accounts for {:.0f} % of the growth.", group.growing,
                    group.size, plural_of(top->role), group.growing == 1 ? "grows" : "grow",
                    label(top_id, *top), 100 * out.share);
  } else {
    out.sentence = fmt::format("{} accounts for {:.0f} % of the growth.", label(top_id, *top),
                               100 * out.share);
  }
  return out;
}

}  // namespace tidegauge::verdict
