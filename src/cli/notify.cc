// SPDX-License-Identifier: Apache-2.0
#include "cli/notify.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <utility>

#include "base/inherited.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/job_environment.h"
#include "serve/load.h"

namespace tidegauge::cli {

namespace {

// A command that somebody gave must not outlive what it tells about.
constexpr unsigned kCommandSeconds = 30;
constexpr unsigned kWebhookSeconds = 10;

// What we hold, the recording's lock, the job's terminal, a pipe that somebody reads to its end,
// must not be held for as long as this takes.
void let_go_of_everything() {
  let_go_of_terminal();
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
}

[[noreturn]] void wait_with_empty_hands(pid_t worker, unsigned seconds) {
  constexpr unsigned kGraceSeconds = 2;
  ::alarm(seconds + kGraceSeconds);
  let_go_of_everything();
  if (worker > 0) ::waitpid(worker, nullptr, 0);
  ::_exit(0);
}

// In a process of its own that nobody has to wait for. Where orphans come to us it must not look
// like one of the job's: a copy of us stays its parent.
void aside(unsigned seconds, const std::function<void()>& what) {
  const pid_t middle = ::fork();
  if (middle > 0) ::waitpid(middle, nullptr, 0);
  if (middle != 0) return;
  if (::fork() != 0) ::_exit(0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  Inherited::at_start().give_back();
  std::signal(SIGALRM, SIG_DFL);
  if (const pid_t worker = ::fork(); worker != 0) wait_with_empty_hands(worker, seconds);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // where it does not heed its own alarm
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
      let_go_of_everything();
      (void)serve::post_json(library_path(serve::kLibrary), webhook_,
                             webhook_body(job_, words, ::time(nullptr)), kWebhookSeconds);
    });
  }
  if (desktop_) {
    aside(kWebhookSeconds, [&] {
      let_go_of_everything();
      ::execlp("notify-send", "notify-send", "--app-name=tidegauge", "--", "tidegauge guard",
               words.c_str(), nullptr);
    });
  }
}

}  // namespace tidegauge::cli
