// SPDX-License-Identifier: Apache-2.0
#include "view/holdings_json.h"

#include <algorithm>
#include <cmath>
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

double before(const Holdings::Census& first, const Holdings::Holder& holder) {
  const auto found = std::find_if(
      first.holders.begin(), first.holders.end(),
      [&](const auto& other) { return other.type == holder.type && other.by == holder.by; });
  return found == first.holders.end() ? 0 : found->bytes;
}

Json holders_json(const Holdings::OfProcess& of) {
  Json out = Json::array();
  for (const auto& holder : of.last.holders) {
    const auto grown = holder.bytes - before(of.first, holder);
    out.push_back({{"type", shown(holder.type, kNameColumns)},
                   {"by", shown(holder.by, kPathColumns)},
                   {"bytes", std::llround(holder.bytes)},
                   {"count", std::llround(holder.count)},
                   {"grown", of.censuses > 1 ? Json(std::llround(grown)) : Json(nullptr)}});
  }
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
                   {"first_at", seconds_of(of.first.at_ns)},
                   {"at", seconds_of(of.last.at_ns)},
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
