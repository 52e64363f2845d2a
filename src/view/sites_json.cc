// SPDX-License-Identifier: Apache-2.0
#include "view/sites_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "view/phrases.h"
#include "view/short_words.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameColumns = 120;
constexpr std::size_t kPathColumns = 200;
constexpr std::size_t kMostCourses = 500;  // of a process

Json whole_numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(std::llround(value));
  return out;
}

Json count_or_null(const std::optional<std::uint64_t>& count) {
  return count ? Json(*count) : Json(nullptr);
}

Json places_json(const std::vector<record::CodePlace>& places) {
  Json out = Json::array();
  for (const auto& place : places) {
    out.push_back({{"label", shown(record::label_of(place), kNameColumns)},
                   {"file", shown(place.file, kPathColumns)},
                   {"line", place.line},
                   {"native", place.kind == record::CodeKind::Native}});
  }
  return out;
}

Json course_json(const SiteCourses::Course& course) {
  return {{"stack", course.stack},
          {"place", course.telling.place},
          {"own", course.telling.own},
          {"live_at", whole_numbers(course.live_at)},
          {"count", count_or_null(course.live_count)},
          {"allocated", count_or_null(course.allocated)},
          {"allocated_count", count_or_null(course.allocated_count)}};
}

// The largest and those that grew most: half the list each.
std::vector<SiteCourses::Course> worth_showing(std::vector<SiteCourses::Course> courses) {
  if (courses.size() <= kMostCourses) return courses;
  std::stable_sort(courses.begin() + kMostCourses / 2, courses.end(),
                   [](const auto& a, const auto& b) { return a.live() > b.live(); });
  courses.resize(kMostCourses);
  return courses;
}

Json of_process_json(const Sites::OfProcess& of, const Accounts& accounts) {
  const auto found = accounts.processes.find(of.process);
  const auto name = found == accounts.processes.end() ? "" : job_name(found->second.known);
  auto sites = courses_of(of);
  std::vector<double> others(of.kept.size(), 0);
  for (const auto& course : sites.courses) {
    for (std::size_t i = 0; i < others.size(); ++i) others[i] += course.live_at[i];
  }
  Json courses = Json::array();
  for (const auto& course : worth_showing(std::move(sites.courses))) {
    for (std::size_t i = 0; i < others.size(); ++i) others[i] -= course.live_at[i];
    courses.push_back(course_json(course));
  }
  Json times = Json::array();
  for (const auto& profile : of.kept) times.push_back(seconds_of(profile.at_ns));
  return {{"pid", of.process.pid},
          {"label", shown(name, kNameColumns)},
          {"sampling", sampling_phrase(of.kept.back())},
          {"sampled_every", of.kept.back().sampled_every},
          {"profiles", of.profiles},
          {"times", times},
          {"places", places_json(sites.places)},
          {"sites", courses},
          {"others_at", whole_numbers(others)}};
}

}  // namespace

Json sites_json(const Accounts& accounts) {
  Json out = Json::array();
  for (const auto& of : accounts.sites.all()) {
    const bool any = std::any_of(of.kept.begin(), of.kept.end(),
                                 [](const auto& profile) { return !profile.sites.empty(); });
    if (any) out.push_back(of_process_json(of, accounts));
  }
  return out;
}

}  // namespace tidegauge::view
