// SPDX-License-Identifier: Apache-2.0
#include "view/holdings_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "view/census.h"
#include "view/phrases.h"
#include "view/short_words.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameColumns = 120;
constexpr std::size_t kPathColumns = 400;
constexpr std::size_t kMostLines = 200;  // of each table of a census

// A holder over all censuses that were kept.
struct Course {
  Holdings::Holder latest{};
  std::vector<double> bytes_at{};
};

// What is largest now first; what is gone last.
std::vector<Course> courses_of(const Holdings::OfProcess& of) {
  std::map<std::pair<std::string, std::string>, Course> found;
  for (std::size_t i = 0; i < of.kept.size(); ++i) {
    for (const auto& holder : of.kept[i].holders) {
      auto& course = found[{holder.type, holder.by}];
      course.latest = holder;
      course.bytes_at.resize(of.kept.size(), 0);
      course.bytes_at[i] = holder.bytes;
    }
  }
  std::vector<Course> out;
  out.reserve(found.size());
  for (auto& [name, course] : found) out.push_back(std::move(course));
  std::stable_sort(out.begin(), out.end(), [](const Course& a, const Course& b) {
    return std::pair(a.bytes_at.back(), a.latest.bytes) >
           std::pair(b.bytes_at.back(), b.latest.bytes);
  });
  if (out.size() > kMostLines) out.resize(kMostLines);
  return out;
}

Json holders_json(const Holdings::OfProcess& of) {
  Json out = Json::array();
  for (const auto& course : courses_of(of)) {
    const auto now = course.bytes_at.back();
    const bool there = now > 0 || of.kept.size() == 1;
    Json bytes_at = Json::array();
    for (const double bytes : course.bytes_at) bytes_at.push_back(std::llround(bytes));
    out.push_back({{"type", shown(course.latest.type, kNameColumns)},
                   {"by", shown(course.latest.by, kPathColumns)},
                   {"bytes", std::llround(now)},
                   {"count", there ? std::llround(course.latest.count) : 0},
                   {"grown", of.censuses > 1 ? Json(std::llround(now - course.bytes_at.front()))
                                             : Json(nullptr)},
                   {"bytes_at", bytes_at}});
  }
  return out;
}

Json times_json(const Holdings::OfProcess& of) {
  Json out = Json::array();
  for (const auto& census : of.kept) out.push_back(seconds_of(census.at_ns));
  return out;
}

}  // namespace

Json holdings_json(const Holdings& holdings, const Accounts& accounts) {
  Json out = Json::array();
  for (const auto& of : holdings.all()) {
    const auto found = accounts.processes.find(of.process);
    const auto name = found == accounts.processes.end() ? "" : job_name(found->second.known);
    out.push_back({{"pid", of.process.pid},
                   {"label", shown(name, kNameColumns)},
                   {"censuses", of.censuses},
                   {"first_at", seconds_of(of.first().at_ns)},
                   {"at", seconds_of(of.last().at_ns)},
                   {"times", times_json(of)},
                   {"holders", holders_json(of)}});
  }
  return out;
}

Json census_json(const record::Census& census) {
  auto cut = census;
  const auto shorten = [](auto& list) { list.resize(std::min(list.size(), kMostLines)); };
  shorten(cut.types);
  shorten(cut.tensors);
  shorten(cut.arrays);
  shorten(cut.images);
  shorten(cut.retainers);
  for (auto& type : cut.types) type.name = shown(type.name, kNameColumns);
  for (auto& holder : cut.retainers) {
    holder.type = shown(holder.type, kNameColumns);
    holder.path = shown(holder.path, kPathColumns);
  }
  return Json::parse(census_document(cut));
}

}  // namespace tidegauge::view
