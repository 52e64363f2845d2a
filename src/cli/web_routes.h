// SPDX-License-Identifier: Apache-2.0
// What the live page may ask for, and what it gets. docs/serve.md has the list.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cli/report_maker.h"
#include "serve/http.h"
#include "serve/hub.h"

namespace tidegauge::cli {

// More tabs than anybody reads; each takes a thread (http/server.cc).
inline constexpr std::size_t kMostStreams = 16;

// Channels of the hub that are no job's.
inline constexpr const char* kJobsChannel = "jobs";
inline constexpr const char* kMetricsChannel = "metrics";

class WebRoutes {
 public:
  WebRoutes(std::string token, std::string boot, ReportMaker& reports, serve::Hub& hub)
      : token_(std::move(token)), boot_(std::move(boot)), reports_(reports), hub_(hub) {}

  void show_keys() { census_words_.emplace_back("--show-keys"); }  // before it is asked anything
  // Lines "KEY PID RUNNING RECORDING": the jobs there are.
  void take_known(std::string_view lines);
  serve::Reply answer(const serve::Request& request);  // called by several threads

 private:
  struct Known {
    pid_t pid = 0;
    bool running = false;
    std::string recording{};
  };
  serve::Reply route(const serve::Request& request);
  serve::Reply about_job(const serve::Request& request, std::string_view rest);
  serve::Reply about_recording(const serve::Request& request, std::string_view rest);
  serve::Reply stream(const serve::Request& request, const std::string& channel);
  serve::Reply recordings() const;
  serve::Reply report_of(const std::string& path, bool as_page);
  serve::Reply census_of(const Known& job);
  std::optional<Known> known(std::string_view key) const;

  const std::string token_;
  const std::string boot_;
  ReportMaker& reports_;
  std::vector<std::string> census_words_{};
  serve::Hub& hub_;
  mutable std::mutex mutex_{};
  std::map<std::string, Known, std::less<>> known_{};
  std::mutex counting_{};
};

}  // namespace tidegauge::cli
