// SPDX-License-Identifier: Apache-2.0
#include "cli/web_routes.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/text.h"
#include "cli/job_environment.h"
#include "cli/output_file.h"
#include "cli/output_of.h"
#include "cli/page_file.h"
#include "record/store.h"
#include "serve/access.h"
#include "serve/event_stream.h"
#include "view/page.h"

namespace tidegauge::cli {

namespace {

using serve::Reply;
using serve::Request;

constexpr std::string_view kJobs = "/api/jobs/";
constexpr std::string_view kRecordings = "/api/recordings/";
constexpr const char* kJson = "application/json; charset=utf-8";
constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kOpenMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
constexpr auto kPingAfter = std::chrono::seconds(5);
constexpr double kCensusSeconds = 300;

Reply sorry(int status, std::string why) {
  return {.status = status, .body = std::move(why) + "\n"};
}

Reply not_there() {
  return sorry(404, "There is nothing of that name.");
}

// "NAME" and "/what" of "NAME/what".
std::pair<std::string_view, std::string_view> split(std::string_view rest) {
  const auto slash = std::min(rest.find('/'), rest.size());
  return {rest.substr(0, slash), rest.substr(slash)};
}

// A stream that is counted while it lives.
class Stream : public serve::Source {
 public:
  Stream(serve::Hub& hub, std::string channel, serve::EventId from)
      : hub_(hub), channel_(std::move(channel)), at_(std::move(from)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() override { hub_.end_stream(channel_); }

  std::string next() override {
    const auto news = hub_.wait(channel_, at_.number, kPingAfter);
    if (!news) return std::string(serve::kPing);
    at_.number = news->number;
    return serve::event_of(at_, news->text);
  }

 private:
  serve::Hub& hub_;
  const std::string channel_;
  serve::EventId at_;
};

}  // namespace

void WebRoutes::take_known(std::string_view lines) {
  std::map<std::string, Known, std::less<>> now;
  while (!lines.empty()) {
    auto line = next_line(lines);
    const auto key = next_word(line);
    const auto pid = to_number<pid_t>(next_word(line));
    const bool running = next_word(line) == "1";
    if (pid) now.emplace(key, Known{*pid, running, std::string(trimmed(line))});
  }
  const std::lock_guard lock(mutex_);
  known_ = std::move(now);
}

std::optional<WebRoutes::Known> WebRoutes::known(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? std::optional<Known>() : found->second;
}

Reply WebRoutes::answer(const Request& request) {
  auto refused = serve::refusal_of(request, token_);
  auto reply = refused ? *std::move(refused) : route(request);
  for (auto& header : serve::careful_headers()) reply.headers.push_back(std::move(header));
  return reply;
}

Reply WebRoutes::route(const Request& request) {
  const std::string_view path = request.path;
  if (path.starts_with(kJobs)) return about_job(request, path.substr(kJobs.size()));
  if (request.method != "GET") return sorry(405, "This can only be read.");
  if (path == "/") {
    return {.type = kHtml, .body = view::live_page(view::page_template())};
  }
  if (path == "/api/stream") return stream(request, kJobsChannel);
  if (path == "/metrics") return {.type = kOpenMetrics, .body = hub_.latest(kMetricsChannel)};
  if (path == "/api/recordings") return recordings();
  if (path.starts_with(kRecordings))
    return about_recording(request, path.substr(kRecordings.size()));
  return not_there();
}

Reply WebRoutes::about_job(const Request& request, std::string_view rest) {
  const auto [key, what] = split(rest);
  const auto job = known(key);
  if (!job) return not_there();
  if (what == "/census") {
    if (request.method != "POST") return sorry(405, "A census is taken by POST.");
    return census_of(*job);
  }
  if (request.method != "GET") return sorry(405, "This can only be read.");
  if (what == "/stream") return stream(request, std::string(key));
  if (what == "/page" && !job->recording.empty()) return report_of(job->recording, true);
  return not_there();
}

Reply WebRoutes::stream(const Request& request, const std::string& channel) {
  if (!hub_.begin_stream(channel)) {
    auto reply = sorry(503, "Too many pages are open.");
    reply.headers.emplace_back("Retry-After", "5");
    return reply;
  }
  // Of another start than ours: what was told then no longer counts.
  const auto last = serve::parse_event_id(request.header("last-event-id"));
  const std::uint64_t after = last && last->boot == boot_ ? last->number : 0;
  Reply reply{.type = "text/event-stream"};
  reply.more = std::make_unique<Stream>(hub_, channel, serve::EventId{boot_, after});
  return reply;
}

Reply WebRoutes::recordings() const {
  const auto folder = record::store_folder();
  if (!folder) return sorry(500, folder.error().what);
  std::string body = "{\"schema\":\"tidegauge/recordings/1\",\"recordings\":[";
  const auto all = record::stored_in(*folder);
  for (std::size_t i = 0; i < all.size(); ++i) {
    body += i > 0 ? ",{\"name\":" : "{\"name\":";
    append_json_string(body, all[i].name);
    body += fmt::format(",\"bytes\":{},\"written_unix_ms\":{},\"being_written\":{}}}", all[i].bytes,
                        all[i].written_unix_s * 1000, all[i].being_written);
  }
  return {.type = kJson, .body = body + "]}"};
}

Reply WebRoutes::about_recording(const Request& /*request*/, std::string_view rest) {
  const auto [name, what] = split(rest);
  const auto folder = record::store_folder();
  if (!folder) return sorry(500, folder.error().what);
  // Only what is in the list: nobody walks out of the folder by dots.
  for (const auto& one : record::stored_in(*folder)) {
    if (one.name != name || !(what.empty() || what == "/page")) continue;
    return report_of(*folder + "/" + one.name, what == "/page");
  }
  return not_there();
}

Reply WebRoutes::report_of(const std::string& path, bool as_page) {
  using Outcome = ReportMaker::Outcome;
  auto made = reports_.make(path, as_page);
  switch (made.outcome) {
    case Outcome::Made:
      return {.type = as_page ? kHtml : kJson, .body = std::move(made.text)};
    case Outcome::NotThere:
      return not_there();
    case Outcome::NoRecording:
      return sorry(422, "This file is no recording, or makes no sense: tidegauge judge says why.");
    case Outcome::TooMuch:
      return sorry(504, fmt::format("This report took more than {} s or {} MiB and was given up: "
                                    "tidegauge report makes it without these limits.",
                                    ReportMaker::kMostSeconds, ReportMaker::kMostBytes >> 20));
    case Outcome::Busy: {
      auto reply = sorry(503, "Other reports are being made: try again in a few seconds.");
      reply.headers.emplace_back("Retry-After", "5");
      return reply;
    }
    case Outcome::Failed:
      break;
  }
  return sorry(500, "The report could not be made: " + made.text);
}

Reply WebRoutes::census_of(const Known& job) {
  if (!job.running) return sorry(410, "The job has ended.");
  const std::unique_lock lock(counting_, std::try_to_lock);
  if (!lock) return sorry(409, "A census is being taken already.");
  std::vector<std::string> words{own_program(), "census", std::to_string(job.pid), "--json"};
  words.insert(words.end(), census_words_.begin(), census_words_.end());
  const auto census = output_of(words, kCensusSeconds);
  if (!census) return sorry(422, census.error().what);
  // Reports of this job have it from now on.
  if (!job.recording.empty()) {
    const auto ignored =
        write_file(census_path(job.recording), *census, rights_of({&job.recording, 1}));
  }
  return {.type = kJson, .body = *census};
}

}  // namespace tidegauge::cli
