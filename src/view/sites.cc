// SPDX-License-Identifier: Apache-2.0
#include "view/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/thin.h"
#include "view/phrases.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kNameColumns = 120;

constexpr double kNoise = 64 << 10;  // bytes: as little is told as no growth

double told_growth(double grown) {
  return std::abs(grown) < kNoise ? 0 : grown;
}

// The largest sites. Those without a stack say nothing of where.
record::Profile shortened(const record::Profile& profile) {
  record::Profile out = profile;
  std::erase_if(out.sites, [](const record::Site& site) { return site.stack.empty(); });
  if (out.sites.size() <= Sites::kMostSites) return out;
  std::stable_sort(out.sites.begin(), out.sites.end(),
                   [](const auto& a, const auto& b) { return a.live > b.live; });
  out.sites.resize(Sites::kMostSites);
  // Places that no site leads through any more.
  std::vector<std::uint32_t> moved(out.places.size(), 0);
  for (const auto& site : out.sites) {
    for (const auto place : site.stack) moved[place] = 1;
  }
  std::vector<record::CodePlace> places;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (moved[i] == 0) continue;
    moved[i] = static_cast<std::uint32_t>(places.size());
    places.push_back(std::move(out.places[i]));
  }
  for (auto& site : out.sites) {
    for (auto& place : site.stack) place = moved[place];
  }
  out.places = std::move(places);
  return out;
}

// Each profile numbers its places by itself: here they have one number each.
class Numbering {
 public:
  std::uint32_t of(const record::CodePlace& place) {
    const auto key = std::tuple(place.function, place.file, place.line, place.kind);
    const auto [found, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(places_.size()));
    if (is_new) places_.push_back(place);
    return found->second;
  }
  std::vector<record::CodePlace> take() { return std::move(places_); }

 private:
  std::map<std::tuple<std::string, std::string, std::uint32_t, record::CodeKind>, std::uint32_t>
      numbers_{};
  std::vector<record::CodePlace> places_{};
};

}  // namespace

void Sites::add(const record::Profile& profile) {
  auto of = std::find_if(all_.begin(), all_.end(),
                         [&](const auto& one) { return one.process == profile.process; });
  if (of == all_.end()) {
    if (all_.size() == kMostProcesses) return;
    of = all_.insert(all_.end(), OfProcess{.process = profile.process});
  }
  ++of->profiles;
  // The first stays: growth is told since then.
  if (of->kept.size() == kMostProfiles) keep_every_second(of->kept);
  of->kept.push_back(shortened(profile));
}

SiteCourses courses_of(const Sites::OfProcess& of) {
  Numbering numbering;
  std::map<std::vector<std::uint32_t>, SiteCourses::Course> found;
  for (std::size_t i = 0; i < of.kept.size(); ++i) {
    const auto& profile = of.kept[i];
    std::vector<std::uint32_t> number;
    for (const auto& place : profile.places) number.push_back(numbering.of(place));
    for (const auto& site : profile.sites) {
      std::vector<std::uint32_t> stack;
      for (const auto place : site.stack) stack.push_back(number[place]);
      auto& course = found[stack];
      const auto telling = record::telling_of(profile, site);
      course.telling = {number[telling.place], number[telling.own]};
      course.stack = std::move(stack);
      course.live_at.resize(of.kept.size(), 0);
      course.live_at[i] += static_cast<double>(site.live);
      if (i + 1 < of.kept.size()) continue;
      course.live_count = site.live_count;
      course.allocated = site.allocated;
      course.allocated_count = site.allocated_count;
    }
  }
  SiteCourses out{.places = numbering.take()};
  for (auto& [stack, course] : found) out.courses.push_back(std::move(course));
  std::stable_sort(out.courses.begin(), out.courses.end(), [](const auto& a, const auto& b) {
    return std::pair(told_growth(a.grown()), a.live()) >
           std::pair(told_growth(b.grown()), b.live());
  });
  return out;
}

std::vector<SiteRow> rows_of(const Sites::OfProcess& of, std::size_t most) {
  const auto sites = courses_of(of);
  std::map<std::pair<std::uint32_t, std::uint32_t>, SiteRow> found;
  for (const auto& course : sites.courses) {
    const auto [place, own] = course.telling;
    auto& row = found[{place, own}];
    row.where = shown(record::label_of(sites.places[place]), kNameColumns);
    if (own != place) row.from = shown(record::label_of(sites.places[own]), kNameColumns);
    row.live += course.live();
    if (of.kept.size() > 1) row.grown = row.grown.value_or(0) + course.grown();
    if (course.live_count) {
      row.count = row.count.value_or(0) + static_cast<double>(*course.live_count);
    }
  }
  std::vector<SiteRow> rows;
  rows.reserve(found.size());
  for (auto& [key, row] : found) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const SiteRow& a, const SiteRow& b) {
    return std::pair(told_growth(a.grown.value_or(0)), a.live) >
           std::pair(told_growth(b.grown.value_or(0)), b.live);
  });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

std::string sampling_phrase(const record::Profile& profile) {
  const auto who = shown(profile.sampler, kNameColumns);
  const auto what = profile.sampled_every == 0
                        ? "every allocation was counted"
                        : "one allocation in " +
                              size_or_dash(static_cast<double>(profile.sampled_every)) +
                              " was looked at";
  return who.empty() ? capitalised(what) : fmt::format("By {}: {}", who, what);
}

}  // namespace tidegauge::view
