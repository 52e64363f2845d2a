// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "record/names.h"
#include "view/summary_text.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

Json tally_json(const Tally& tally) {
  const auto whole = [](double bytes) { return static_cast<std::int64_t>(bytes); };
  return {{"min", whole(tally.min())},         {"max", whole(tally.max())},
          {"average", whole(tally.average())}, {"floor", whole(tally.floor())},
          {"growth", whole(tally.growth())},   {"first", whole(tally.first())},
          {"last", whole(tally.last())},       {"samples", tally.count()}};
}

Json process_json(const ProcessAccount& account) {
  Json kinds = Json::object();
  for (const auto part : kParts) {
    if (account.tally(part).count() > 0) kinds[id_of(part)] = tally_json(account.tally(part));
  }
  return {{"pid", account.known.id.pid},
          {"start_ticks", account.known.id.start_ticks},
          {"name", account.known.name},
          {"command", account.known.command},
          {"role", record::id_of(account.known.role)},
          {"first_seen", account.first_seen},
          {"last_seen", account.last_seen},
          {"gone", account.gone},
          {"peak_rss", account.peak_rss > 0 ? Json(account.peak_rss) : Json(nullptr)},
          {"kinds", kinds}};
}

}  // namespace

std::string summary_json(const Accounts& accounts) {
  Json processes = Json::array();
  for (const auto& [id, account] : accounts.processes) {
    if (account.tally(Part::Total).count() > 0) processes.push_back(process_json(account));
  }
  Json kinds = Json::object();
  for (const auto line : kLines) {
    if (accounts.line(line).count() > 0) kinds[id_of(line)] = tally_json(accounts.line(line));
  }
  Json roles = Json::object();
  for (std::size_t i = 0; i < accounts.roles.size(); ++i) {
    const auto& role = accounts.roles[i];
    if (role.most == 0) continue;
    roles[record::id_of(static_cast<record::Role>(i))] = {
        {"now", role.now}, {"most", role.most}, {"together", tally_json(role.together)}};
  }
  Json series = Json::object();
  for (const auto& [name, tally] : accounts.named) series[name] = tally_json(tally);
  std::size_t folded = 0;
  for (const auto& of_role : accounts.folded) folded += of_role.count;
  const Json document = {{"processes", processes},
                         {"tree",
                          {{"kinds", kinds},
                           {"roles", roles},
                           {"series", series},
                           {"samples", accounts.samples},
                           {"seconds", accounts.last_at - accounts.first_at},
                           {"processes_not_listed", folded}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tidegauge::view
