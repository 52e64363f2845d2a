// SPDX-License-Identifier: Apache-2.0
#include "cli/census_server.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <mutex>
#include <thread>

#include "base/beside.h"
#include "base/terminal.h"
#include "base/text.h"
#include "census/aside.h"
#include "census/census.h"
#include "cli/holder_line.h"
#include "cli/training_listener.h"

namespace tidegauge::cli {

namespace {

constexpr std::size_t kMostHolders = 12;

double cpu_seconds_of(int who) {
  rusage used{};
  ::getrusage(who, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double cpu_seconds() {
  return cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN);
}

// "none", "denied" or "taken CPU_SECONDS PAUSE_MS", then a line for each holder, then an empty one.
std::string told(const Result<census::Census>& taken, double cpu_seconds) {
  if (!taken) return taken.error().reason == Reason::Denied ? "denied\n\n" : "none\n\n";
  auto text = fmt::format("taken {} {}\n", cpu_seconds, taken->pause_ms);
  for (std::size_t i = 0; i < std::min(kMostHolders, taken->retainers.size()); ++i) {
    text += to_line(taken->retainers[i]);
  }
  return text + "\n";
}

std::string census_of(pid_t pid, secrets::Keys keys) {
  try {
    const double before = cpu_seconds();
    const auto taken = census::take_census(pid, {.only_a_copy = true, .keys = keys});
    return told(taken, cpu_seconds() - before);
  } catch (const std::exception&) {  // no memory left, most likely: no census is worth more
    return "none\n\n";
  }
}

// "training STEP STEPS PASSES PHASE", or nothing behind the first word.
std::string training_of(pid_t pid, TrainingListener& listener) {
  try {
    const auto found = listener.hear(pid);
    if (!found) return "training\n\n";
    return fmt::format("training {} {} {} {}\n\n", found->step, found->steps, found->passes,
                       found->phase);
  } catch (const std::exception&) {
    return "training\n\n";
  }
}

void put_all(int line, std::mutex& mutex, std::string_view text) {
  const std::lock_guard lock(mutex);  // one answer after the other
  while (!text.empty()) {
    const ssize_t sent = ::send(line, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) ::_exit(0);
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

[[noreturn]] void serve(int line, secrets::Keys keys) {
  census::stand_aside("tidegauge-census");
  let_go_of_terminal();
  ::setpriority(PRIO_PROCESS, 0, 10);  // the job comes first
  std::mutex mutex;
  std::thread census;
  TrainingListener listener;
  pid_t request = 0;
  while (true) {
    const ssize_t got = ::read(line, &request, sizeof request);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof request) ::_exit(0);  // whoever started us is gone
    if (request < 0) {                      // a pid asks for a census, its negative for a training
      put_all(line, mutex, training_of(-request, listener));
      continue;
    }
    if (census.joinable()) census.join();  // it has answered before
    census = std::thread(
        [line, &mutex, keys, pid = request] { put_all(line, mutex, census_of(pid, keys)); });
  }
}

std::optional<census::Training> parse_training(std::string_view words) {
  const auto number = [&] { return to_number<double>(next_word(words)); };
  const auto step = number();
  const auto steps = number();
  const auto passes = number();
  if (!step || !steps || !passes) return {};
  return census::Training{*step, *steps, *passes, std::string(trimmed(words))};
}

CensusServer::Answer parse_answer(std::string_view text) {
  CensusServer::Answer answer;
  auto head = next_line(text);
  const auto word = next_word(head);
  if (word == "training") {
    answer.to = CensusServer::Answer::To::Training;
    answer.training = parse_training(head);
    return answer;
  }
  answer.denied = word == "denied";
  if (word != "taken") return answer;
  answer.taken = true;
  answer.cpu_seconds = to_number<double>(next_word(head)).value_or(0);
  answer.pause_ms = to_number<double>(next_word(head)).value_or(0);
  while (!text.empty()) {
    if (auto holder = parse_holder(next_line(text))) answer.holders.push_back(*std::move(holder));
  }
  return answer;
}

}  // namespace

Result<CensusServer> CensusServer::start(secrets::Keys keys) {
  auto beside = start_beside(LineKind::Stream, [keys, gauge = ::getpid()](UniqueFd line) {
    end_with(gauge);
    serve(line.get(), keys);
  });
  if (!beside) return beside.error();
  return CensusServer(std::move(beside->line));
}

void CensusServer::ask(pid_t pid) {
  busy_ = send(pid);
}

void CensusServer::ask_training(pid_t pid) {
  asked_for_training_ = send(-pid);
}

bool CensusServer::send(pid_t request) {
  return ::send(line_.get(), &request, sizeof request, MSG_NOSIGNAL) == sizeof request;
}

std::optional<CensusServer::Answer> CensusServer::take(double wait_seconds) {
  if (!busy_ && !asked_for_training_) return {};
  const auto next = heard_.take_from(line_.get(), wait_seconds);
  if (next.gone) {  // there will be no more
    busy_ = asked_for_training_ = false;
    return Answer{};
  }
  if (!next.text) return {};
  const auto answer = parse_answer(*next.text);
  (answer.to == Answer::To::Census ? busy_ : asked_for_training_) = false;
  return answer;
}

}  // namespace tidegauge::cli
