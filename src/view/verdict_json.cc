// SPDX-License-Identifier: Apache-2.0
#include "view/verdict_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "record/names.h"
#include "view/words.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;
using verdict::Verdict;

// Whole numbers from here on: a fraction of a byte is noise.
constexpr double kWholeFrom = 1000;
constexpr double kLargestWhole = 9e15;  // what a double still counts one by one

// JSON has no NaN and no infinity: what makes no sense is null.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (std::fabs(value) >= kWholeFrom && std::fabs(value) <= kLargestWhole) {
    return std::llround(value);
  }
  return value + 0.0;  // no "-0"
}

Json number(std::optional<double> value) {
  return value ? number(*value) : Json(nullptr);
}

Json share(double value) {
  return std::isfinite(value) ? std::clamp(value + 0.0, 0.0, 1.0) : 0.0;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json tie(verdict::Tie value) {
  const char* id = verdict::id_of(value);
  return id ? Json(id) : Json(nullptr);
}

Json interval(const std::optional<verdict::Interval>& value) {
  if (!value || !std::isfinite(value->value)) return nullptr;
  return {
      {"value", number(value->value)}, {"low", number(value->low)}, {"high", number(value->high)}};
}

Json subject(const verdict::Subject& value) {
  Json process = nullptr;
  if (value.process) {
    process = {{"pid", value.process->pid},
               {"start_ticks", value.process->start_ticks},
               {"name", value.name},
               {"role", record::id_of(value.role)}};
  }
  return {{"process", process}, {"name", value.name}, {"kind", verdict::id_of(value.kind)}};
}

Json settled(const std::optional<verdict::Settled>& value) {
  if (!value) return nullptr;
  return {{"at_time", number(value->at_seconds)},
          {"at_step", number(value->at_step)},
          {"level_bytes", number(value->level_bytes)},
          {"bytes_per_minute_before", number(value->bytes_per_minute_before)},
          {"bytes_per_step_before", number(value->bytes_per_step_before)}};
}

Json spikes(const verdict::Spikes& value) {
  return {{"count", value.count},
          {"height_bytes", number(value.height_bytes)},
          {"tied_to", tie(value.tied_to)},
          {"phase", text_or_null(value.phase)}};
}

Json forecast(const Verdict& verdict) {
  if (!verdict.forecast) return nullptr;
  const auto& value = *verdict.forecast;
  const Json ahead = {
      {"p5", number(value.p5)}, {"p50", number(value.p50)}, {"p95", number(value.p95)}};
  const bool by_time = verdict.duration_seconds > 0;
  return {{"limit_kind", value.limit_kind},
          {"limit_bytes", number(value.limit_bytes)},
          {"seconds", by_time ? ahead : Json(nullptr)},
          {"steps", by_time ? Json(nullptr) : ahead},
          {"probability", share(value.probability)}};
}

Json needs(const std::optional<verdict::Needs>& value) {
  if (!value) return nullptr;
  return {{"seconds", number(value->seconds)},
          {"steps", number(value->steps)},
          {"at_step", number(value->at_step)},
          {"why", value->why},
          {"may_run_out_before", value->may_run_out_before},
          {"may_not_suffice", value->may_not_suffice},
          {"if_bounded", settled(value->if_bounded)}};
}

// The clock of what piles up is that of the growth.
Json causes(const Verdict& verdict) {
  Json out = Json::array();
  for (const auto& cause : verdict.causes) {
    out.push_back({{"kind", cause.kind},
                   {"type", text_or_null(cause.type)},
                   {"count", number(cause.count)},
                   {"bytes", cause.bytes ? Json(*cause.bytes) : Json(nullptr)},
                   {"share", cause.share ? share(*cause.share) : Json(nullptr)},
                   {"tied_to", tie(verdict.tied_to)},
                   {"site", text_or_null(cause.site)},
                   {"retained_by", text_or_null(cause.retained_by)},
                   {"remedy", text_or_null(cause.remedy)}});
  }
  return out;
}

Json evidence(const std::vector<std::string>& sentences) {
  Json out = Json::array();
  for (const auto& sentence : sentences) out.push_back(sentence);
  return out;
}

const char* id_of(Tone tone) {
  return tone == Tone::Good ? "good" : tone == Tone::Wait ? "wait" : "bad";
}

Json spoken(const Verdict& verdict) {
  const auto said = words(verdict);
  Json facts = Json::array();
  for (const auto& fact : said.facts) {
    facts.push_back(
        {{"id", fact.id}, {"label", fact.label}, {"value", fact.value}, {"detail", fact.detail}});
  }
  return {{"tone", id_of(said.tone)},  {"tag", said.tag},   {"note", said.note},
          {"headline", said.headline}, {"lead", said.lead}, {"facts", facts}};
}

Json limit(const Verdict& verdict) {
  if (!verdict.limit_bytes) return nullptr;
  return {{"kind", verdict.limit_kind}, {"bytes", number(verdict.limit_bytes)}};
}

Json document_of(const Verdict& verdict) {
  return {{"subject", subject(verdict.subject)},
          {"class", verdict::id_of(verdict.klass)},
          {"confidence", share(verdict.confidence)},
          {"p_leak", share(verdict.p_leak)},
          {"not_excluded", number(verdict.not_excluded)},
          {"growth",
           {{"bytes_per_minute", interval(verdict.bytes_per_minute)},
            {"bytes_per_step", interval(verdict.bytes_per_step)}}},
          {"tied_to", tie(verdict.tied_to)},
          {"settled", settled(verdict.settled)},
          {"spikes", spikes(verdict.spikes)},
          {"forecast", forecast(verdict)},
          {"needs", needs(verdict.needs)},
          {"causes", causes(verdict)},
          {"unexplained_bytes", number(verdict.unexplained_bytes)},
          {"evidence", evidence(verdict.evidence)},
          {"words", spoken(verdict)},
          {"limit", limit(verdict)},
          {"levels",
           {{"first_bytes", number(verdict.first_bytes)},
            {"last_bytes", number(verdict.last_bytes)},
            {"floor_bytes", number(verdict.floor_bytes)},
            {"peak_bytes", number(verdict.peak_bytes)}}},
          {"duration_seconds",
           verdict.duration_seconds > 0 ? number(verdict.duration_seconds) : Json(nullptr)}};
}

Json kill(const std::optional<Killed>& value) {
  if (!value) return nullptr;
  return {{"words", value->words},
          {"of_job", value->of_job},
          {"at", number(value->at)},
          {"times", value->times},
          {"pid", value->pid ? Json(*value->pid) : Json(nullptr)},
          {"name", text_or_null(value->name)},
          {"cgroup", text_or_null(value->cgroup)},
          {"limit_bytes", value->limit_bytes ? Json(*value->limit_bytes) : Json(nullptr)}};
}

}  // namespace

std::string verdict_document(const std::string& source, const verdict::Verdicts& verdicts,
                             const std::optional<Killed>& killed, Layout layout) {
  Json all = Json::array();
  for (const auto& verdict : verdicts.all) all.push_back(document_of(verdict));
  const Json document = {{"schema", "tidegauge/verdict/1"},
                         {"source", source},
                         {"killed", kill(killed)},
                         {"verdicts", all}};
  // A name may hold any bytes: what is no UTF-8 is replaced instead of thrown over.
  return document.dump(layout == Layout::Indented ? 2 : -1, ' ', false,
                       Json::error_handler_t::replace) +
         "\n";
}

}  // namespace tidegauge::view
