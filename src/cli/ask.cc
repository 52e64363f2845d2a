// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/find_page.h"
#include "cli/options.h"
#include "proc/root.h"
#include "proc/roots.h"
#include "proc/stat.h"
#include "record/ask_page.h"

namespace tidegauge::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kExamples = R"(
examples:
  tidegauge ask 4711                  save a checkpoint and go on
  tidegauge ask 4711 --stop           save a checkpoint and end
  tidegauge ask 4711 --timeout 30s    wait so long for the answer

PID is the tidegauge that runs the job, or any process of the job. All of its training processes save
at the same step. They must listen: with a callback of the Python package, or by asking
tidegauge.checkpoint_requested() themselves.
Exit code 3: nobody listens, somebody could not save, or did not answer in time.
)";

constexpr double kPatienceSeconds = 600;

// How often the page is looked at: an answer takes at least a step.
constexpr auto kLookEvery = std::chrono::milliseconds(10);

struct AskOptions {
  pid_t pid = 0;
  bool stop = false;
  bool json = false;
  std::optional<double> timeout_seconds{};  // default: kPatienceSeconds
};

double patience_of(const AskOptions& options) {
  return options.timeout_seconds.value_or(kPatienceSeconds);
}

bool lives(const proc::Root& root, const record::ProcessId& who) {
  const auto stat = proc::read_stat(root, who.pid);
  return stat && stat->id == who;
}

bool has_answered(const record::Listener& one, std::uint64_t request) {
  return one.answered >= request && one.answer != record::Answer::Listens &&
         one.answer != record::Answer::Saving;
}

// What has become of a request, by process.
struct Outcome {
  std::map<record::ProcessId, record::Listener> answers{};
  std::vector<record::ProcessId> silent{};
  std::vector<record::ProcessId> gone{};  // before they had answered
};

Outcome look(const record::AskPage& page, const proc::Root& root,
             const std::vector<record::ProcessId>& asked, std::uint64_t request) {
  Outcome outcome;
  const auto listeners = page.listeners();
  for (const auto& who : asked) {
    const auto at = std::find_if(listeners.begin(), listeners.end(),
                                 [&](const auto& one) { return one.who == who; });
    if (at != listeners.end() && has_answered(*at, request)) {
      outcome.answers.emplace(who, *at);
    } else if (lives(root, who)) {
      outcome.silent.push_back(who);
    } else {
      outcome.gone.push_back(who);
    }
  }
  return outcome;
}

void print_answer(const record::Listener& one, double seconds) {
  if (one.answer != record::Answer::Saved) {
    warn("ask", fmt::format("{} could not save at step {}: {}", one.who.pid, one.step, one.text));
    return;
  }
  std::string details = one.step >= 0 ? fmt::format("step {}, ", one.step) : "";
  if (one.bytes > 0) details += format_bytes(static_cast<double>(one.bytes)) + ", ";
  put_words(stdout, fmt::format("{}  ({}{:.1f} s)\n", printable(one.text), details, seconds));
}

nlohmann::json json_of(const record::Listener& one) {
  const bool saved = one.answer == record::Answer::Saved;
  nlohmann::json answer = {{"pid", one.who.pid}, {"saved", saved}};
  answer["step"] = one.step >= 0 ? nlohmann::json(one.step) : nlohmann::json();
  answer[saved ? "path" : "error"] = printable(one.text);
  if (one.bytes > 0) answer["bytes"] = one.bytes;
  return answer;
}

void print_json(const Outcome& outcome, double seconds) {
  nlohmann::json document = {{"schema", "tidegauge/ask/1"}, {"seconds", seconds}};
  document["answers"] = nlohmann::json::array();
  for (const auto& [who, one] : outcome.answers) document["answers"].push_back(json_of(one));
  document["silent"] = nlohmann::json::array();
  for (const auto& who : outcome.silent) document["silent"].push_back(who.pid);
  document["gone"] = nlohmann::json::array();
  for (const auto& who : outcome.gone) document["gone"].push_back(who.pid);
  put(stdout, document.dump(2) + "\n");
}

void print_text(const Outcome& outcome, const AskOptions& options, double seconds) {
  for (const auto& [who, one] : outcome.answers) print_answer(one, seconds);
  for (const auto& who : outcome.gone) {
    warn("ask", fmt::format("{} ended without an answer", who.pid));
  }
  for (const auto& who : outcome.silent) {
    warn("ask", fmt::format("{} has not answered within {:g} s; it may still do so", who.pid,
                            patience_of(options)));
  }
}

bool all_saved(const Outcome& outcome) {
  return outcome.silent.empty() && outcome.gone.empty() &&
         std::all_of(outcome.answers.begin(), outcome.answers.end(), [](const auto& answer) {
           return answer.second.answer == record::Answer::Saved;
         });
}

int ask_and_wait(record::AskPage& page, const proc::Root& root, const AskOptions& options) {
  std::vector<record::ProcessId> asked;
  for (const auto& one : page.listeners()) {
    if (lives(root, one.who)) asked.push_back(one.who);
  }
  if (asked.empty()) {
    return fail("ask", kCouldNotLook,
                "nobody in that job listens for requests yet: see docs/asking.md");
  }
  const auto began = Clock::now();
  const auto request = page.ask(options.stop ? TIDEGAUGE_SAVE_AND_STOP : TIDEGAUGE_SAVE);
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  auto outcome = look(page, root, asked, request);
  while (!outcome.silent.empty() && seconds() < patience_of(options)) {
    std::this_thread::sleep_for(kLookEvery);
    outcome = look(page, root, asked, request);
  }
  if (options.json) {
    print_json(outcome, seconds());
  } else {
    print_text(outcome, options, seconds());
  }
  return all_saved(outcome) ? kNothingWrong : kCouldNotLook;
}

}  // namespace

int ask(Words words) {
  CommandLine app("Ask a job that runs under the gauge for a checkpoint, and say where it is.",
                  "ask");
  AskOptions options;
  app.add_option("PID", options.pid, "the gauge that runs the job, or a process of the job")
      ->required()
      ->check(no_process_id);
  app.add_flag("--stop", options.stop, "let the job end once it has saved");
  add_duration(app, "--timeout", options.timeout_seconds,
               "how long to wait for the answer; 10m by default");
  app.add_flag("--json", options.json, "the answers as a JSON document");
  app.footer(kExamples);
  if (const auto code = app.parse(words)) return *code;

  const auto root = proc::Root::open(proc::Roots{}.proc);
  if (!root) return fail("ask", kCouldNotLook, root.error().what);
  auto page = find_page(*root, options.pid);
  if (!page) return fail("ask", kCouldNotLook, page.error().what);
  return ask_and_wait(*page, *root, options);
}

}  // namespace tidegauge::cli
