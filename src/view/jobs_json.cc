// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "view/jobs.h"
#include "view/live_state.h"
#include "view/phrases.h"
#include "view/report_json.h"
#include "view/short_words.h"
#include "view/summary_text.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameColumns = 200;

const char* id_of(Tone tone) {
  switch (tone) {
    case Tone::Good:
      return "good";
    case Tone::Wait:
      return "wait";
    case Tone::Bad:
      return "bad";
  }
  return "good";
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

Json head_of(const JobNow& job) {
  return {{"key", job.key},
          {"pid", job.pid},
          {"ended", job.ended},
          {"recording", job.recording.empty() ? Json(nullptr) : Json(base_name(job.recording))}};
}

Tense tense_of(const JobNow& job) {
  return job.ended ? Tense::Over : Tense::GoingOn;
}

Json row_of(const JobNow& job) {
  const auto state = live_state(job.accounts, job.verdicts);
  const auto& total = job.accounts.line(Line::Total);
  const auto listed = listed_processes(job.accounts, 1);
  Json row = head_of(job);
  row["title"] =
      shown(listed.empty() ? state.subject : job_name(listed.front()->known), kNameColumns);
  row["seen"] = seen_phrase(job.accounts);
  row["class"] = state.verdict ? Json(verdict::id_of(state.verdict->klass)) : Json(nullptr);
  row["tone"] = id_of(state.words.tone);
  row["tag"] = state.words.tag;
  row["headline"] = state.words.headline;
  const auto killed = kill_sentence(job.accounts, tense_of(job));
  row["killed"] = killed.empty() ? Json(nullptr) : Json(killed);
  row["bytes"] = std::llround(total.last());
  row["floor"] = std::llround(total.floor());
  row["peak"] = std::llround(total.max());
  return row;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string jobs_json(std::span<const JobNow> jobs) {
  Json rows = Json::array();
  for (const auto& job : jobs) rows.push_back(row_of(job));
  return dumped({{"schema", "tidegauge/jobs/1"}, {"jobs", std::move(rows)}});
}

std::string live_json(const JobNow& job, const Timeline& timeline) {
  // The report is text already.
  const auto report = report_json({.accounts = job.accounts,
                                   .timeline = timeline,
                                   .verdicts = job.verdicts,
                                   .source = job.recording,
                                   .tense = tense_of(job)});
  return "{\"schema\":\"tidegauge/live/1\",\"job\":" + dumped(head_of(job)) +
         ",\"report\":" + report + "}";
}

}  // namespace tidegauge::view
