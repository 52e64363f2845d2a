// SPDX-License-Identifier: Apache-2.0
#include "cli/web_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <thread>

#include "base/terminal.h"
#include "base/text.h"
#include "census/aside.h"
#include "cli/job_environment.h"
#include "cli/report_maker.h"
#include "cli/web_routes.h"
#include "serve/hub.h"
#include "serve/load.h"
#include "serve/token.h"

namespace tidegauge::cli {

namespace {

constexpr int kUsualPort = 8433;  // T I D E on a telephone
constexpr std::size_t kBootLetters = 8;

Result<int> open_port(serve::HttpServer& server, const WebServer::Options& options) {
  const int wanted = options.port.value_or(kUsualPort);
  if (const auto port = server.open(wanted)) return *port;
  // Nor is another one taken by itself: whoever was told the usual one (a metrics store, a
  // bookmark) would show his token to the program that has it.
  return Error{
      Reason::Denied,
      fmt::format("port {} of 127.0.0.1 cannot be had: another program has it, or it is not "
                  "ours to take. Whatever sends your token to {} sends it to that program. "
                  "--port 0 takes one that is free",
                  wanted, wanted)};
}

// Called by any thread, one at a time.
void tell_followed(int line, const std::vector<std::string>& channels) {
  std::string text;
  for (const auto& channel : channels) text += channel + "\n";
  const auto bytes = serve::encoded({"followed", "channels", text});
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t sent = ::send(line, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // whoever started us is gone, and so are we in a moment
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

Result<int> serve_until_alone(serve::Link& link, const WebServer::Options& options) {
  auto reports = ReportMaker::start(options.rules, link.fd());
  if (!reports) return reports.error();
  auto server = serve::load_server(library_path(serve::kLibrary));
  if (!server) return server.error();
  const auto boot = serve::new_token();
  if (!boot) return boot.error();
  const auto port = open_port(**server, options);
  if (!port) return port.error();
  serve::Hub hub(kMostStreams,
                 [line = link.fd()](const auto& channels) { tell_followed(line, channels); });
  WebRoutes routes(options.token, boot->substr(0, kBootLetters), *reports, hub);
  if (options.show_keys) routes.show_keys();
  link.send({"open", "port", std::to_string(*port)});
  std::thread([&] {
    (*server)->run([&](const auto& request) { return routes.answer(request); });
  }).detach();
  while (!link.over()) {
    link.wait_for_more();
    while (auto message = link.take()) {
      if (message->kind == "known") routes.take_known(message->text);
      if (message->kind == "news") hub.publish(message->name, std::move(message->text));
    }
  }
  ::_exit(0);  // with all its threads
}

[[noreturn]] void be_server(serve::Link link, const WebServer::Options& options) {
  census::stand_aside("tidegauge-web");
  let_go_of_terminal();
  try {
    const auto ended = serve_until_alone(link, options);
    link.send({"failed", "why", ended ? "" : ended.error().what});
  } catch (const std::exception& error) {
    link.send({"failed", "why", error.what()});
  }
  ::_exit(1);
}

}  // namespace

Result<WebServer> WebServer::start(const Options& options) {
  auto pair = serve::Link::make();
  if (!pair) return from_errno(errno, "a pair of sockets");
  const pid_t pid = ::fork();
  if (pid < 0) return from_errno(errno, "a process to serve the page");
  if (pid == 0) {
    { const auto not_ours = std::move(pair->ours); }
    be_server(std::move(pair->theirs), options);
  }
  { const auto not_ours = std::move(pair->theirs); }
  auto& link = pair->ours;
  while (!link.over()) {
    if (const auto said = link.take()) {
      const auto port = to_number<int>(said->text);
      if (said->kind == "open" && port) return WebServer(std::move(link), *port);
      return Error{Reason::Failed, said->text};
    }
    link.wait_for_more();
  }
  return Error{Reason::Failed, "the process that serves the page died at once"};
}

bool WebServer::listen() {
  bool changed = false;
  link_.flush();
  while (auto message = link_.take()) {
    if (message->kind != "followed") continue;
    followed_.clear();
    std::string_view lines = message->text;
    while (!lines.empty()) followed_.emplace_back(next_line(lines));
    changed = true;
  }
  return changed;
}

bool WebServer::is_followed(const std::string& channel) const {
  return std::find(followed_.begin(), followed_.end(), channel) != followed_.end();
}

}  // namespace tidegauge::cli
