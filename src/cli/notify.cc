// SPDX-License-Identifier: Apache-2.0
#include "cli/notify.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <utility>

#include "base/terminal.h"
#include "base/text.h"
#include "cli/job_environment.h"
#include "serve/load.h"

namespace tidegauge::cli {

namespace {

// A command that somebody gave must not outlive what it tells about.
constexpr unsigned kCommandSeconds = 30;
constexpr unsigned kWebhookSeconds = 10;

// In a process of its own that nobody has to wait for. Where orphans come to us it must not look
// like one of the job's: a copy of us stays its parent.
void aside(unsigned seconds, const std::function<void()>& what) {
  const pid_t middle = ::fork();
  if (middle > 0) ::waitpid(middle, nullptr, 0);
  if (middle != 0) return;
  if (::fork() != 0) ::_exit(0);
  if (const pid_t worker = ::fork(); worker != 0) {
    if (worker > 0) ::waitpid(worker, nullptr, 0);
    ::_exit(0);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  ::alarm(seconds);
  what();
  ::_exit(127);
}

std::string host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

std::string webhook_body(const std::string& job, const std::string& words,
                         std::int64_t unix_seconds) {
  std::array<char, 32> time{};
  const auto seconds = static_cast<time_t>(unix_seconds);
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  std::string body = R"({"schema": "tidegauge/guard/1", "time": ")";
  body += time.data();
  for (const auto& [name, text] :
       {std::pair("host", host()), std::pair("job", job), std::pair("news", words)}) {
    body += name == std::string_view("host") ? "\", \"" : ", \"";
    body += name;
    body += "\": ";
    append_json_string(body, text);
  }
  return body + "}\n";
}

Notifier::Notifier(const GuardOptions& options, std::string job)
    : command_(options.notify),
      webhook_(options.webhook),
      desktop_(options.desktop),
      job_(std::move(job)) {}

void Notifier::tell(const std::string& words) const {
  if (!command_.empty()) {
    aside(kCommandSeconds, [&] {
      ::setenv("TIDEGAUGE_NEWS", words.c_str(), 1);
      ::execl("/bin/sh", "sh", "-c", command_.c_str(), nullptr);
    });
  }
  if (!webhook_.empty()) {
    aside(kWebhookSeconds, [&] {
      let_go_of_terminal();
      (void)serve::post_json(library_path(serve::kLibrary), webhook_,
                             webhook_body(job_, words, ::time(nullptr)), kWebhookSeconds);
    });
  }
  if (desktop_) {
    aside(kWebhookSeconds, [&] {
      let_go_of_terminal();
      ::execlp("notify-send", "notify-send", "--app-name=tidegauge", "--", "tidegauge guard",
               words.c_str(), nullptr);
    });
  }
}

}  // namespace tidegauge::cli
