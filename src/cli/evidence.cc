// SPDX-License-Identifier: Apache-2.0
#include "cli/evidence.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>

#include "base/beside.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "base/write_all.h"
#include "census/aside.h"
#include "census/census.h"
#include "cli/holder_line.h"
#include "proc/probe.h"
#include "proc/root.h"
#include "proc/roots.h"
#include "proc/stat.h"

namespace tidegauge::cli {

namespace {

constexpr std::size_t kMostHolders = 12;
constexpr std::size_t kMostTypes = 8;
constexpr std::size_t kTypesInWords = 4;
constexpr std::string_view kNothing = "nothing\n\n";

constexpr double kShareOfRoom = 0.5;
// Less is not enough for the smallest of jobs, and there is better use for it then.
constexpr double kLeastRoom = 64.0 * 1024 * 1024;
// What is swapped out comes back when it is read, to a job that has no room for it.
constexpr std::uint64_t kMostSwapped = 1 << 20;
constexpr int kLookMs = 10;

Evidence evidence_of(const census::Census& census, const record::ProcessId& process, bool whole) {
  Evidence evidence{.process = process,
                    .seconds = census.seconds,
                    .objects = census.objects,
                    .bytes = census.bytes,
                    .holders_known = whole && !census.streaming,
                    .buffers_known = !census.streaming};
  const auto types = std::min(kMostTypes, census.types.size());
  evidence.types.assign(census.types.begin(),
                        census.types.begin() + static_cast<std::ptrdiff_t>(types));
  const auto holders = std::min(kMostHolders, census.retainers.size());
  evidence.holders.assign(census.retainers.begin(),
                          census.retainers.begin() + static_cast<std::ptrdiff_t>(holders));
  return evidence;
}

// Whoever that is now; nothing where it is another than was meant, or must not be read.
std::optional<record::ProcessId> identify(const guard::Board::Member& who) {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  if (!root) return {};
  const auto stat = proc::read_stat(*root, who.pid);
  if (!stat || (who.start_ticks != 0 && stat->id.start_ticks != who.start_ticks)) return {};
  const auto status = root->read(who.pid, "status");
  if (!status) return {};
  auto swapped = trimmed(proc::field_of(*status, "VmSwap:"));
  const auto kilobytes = to_number<std::uint64_t>(next_word(swapped)).value_or(0);
  if (kilobytes * 1024 > kMostSwapped) return {};
  return stat->id;
}

// In a process of its own, which is killed when the time is over. What is known first is said
// first.
void look_into(const record::ProcessId& process, int to, secrets::Keys keys) {
  const auto say = [&](const census::Census& census, bool whole) {
    (void)write_all(to, to_lines(evidence_of(census, process, whole)), "evidence");
  };
  try {
    const auto counted = [&](const census::Census& census) { say(census, false); };
    const auto all = census::take_census(
        process.pid, {.stands_still = true, .keys = keys, .on_counted = counted});
    if (all) say(*all, true);
    if (all || all.error().reason != Reason::NoRoom) return;
    const auto some = census::take_census(process.pid, {.stream = true, .stands_still = true});
    if (some) say(*some, false);
  } catch (const std::exception&) {  // no memory left, most likely: there will be no more
  }
}

// The last of what is said before its end, the end of the time, or the end of the freeze.
std::string listen_to(int from, const guard::EvidenceDesk& desk,
                      const guard::EvidenceDesk::Request& request) {
  Paragraphs heard;
  std::string best(kNothing);
  pollfd ready{from, POLLIN, 0};
  while (desk.stands_still(request)) {
    if (::poll(&ready, 1, kLookMs) <= 0) continue;
    char piece[4096];
    const ssize_t got = ::read(from, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    heard.add({piece, static_cast<std::size_t>(got)});
    while (auto text = heard.take()) {
      if (desk.stands_still(request)) best = *std::move(text);
    }
  }
  return best;
}

std::string answer_to(const guard::EvidenceDesk& desk, const guard::EvidenceDesk::Request& request,
                      secrets::Keys keys) {
  const auto room = desk.room_bytes() * kShareOfRoom;
  const auto process = identify(request.who);
  int ends[2];
  if (room < kLeastRoom || !process || ::pipe2(ends, O_CLOEXEC) != 0) return std::string(kNothing);
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    census::take_no_more_than(static_cast<std::uint64_t>(room));
    look_into(*process, to.get(), keys);
    ::_exit(0);
  }
  to = UniqueFd();
  if (child < 0) return std::string(kNothing);
  auto answer = listen_to(from.get(), desk, request);
  ::kill(child, SIGKILL);
  desk.done(request);  // its memory may be large, and take a moment to go
  ::waitpid(child, nullptr, 0);
  return answer;
}

[[noreturn]] void serve(const guard::EvidenceDesk& desk, int line, secrets::Keys keys) {
  census::stand_aside("tg-guard-look");
  let_go_of_terminal();
  desk.open();
  while (true) {
    pollfd fds[] = {{desk.fd(), POLLIN, 0}, {line, POLLIN, 0}};
    if (::poll(fds, std::size(fds), -1) < 0 && errno != EINTR) ::_exit(1);
    if (fds[1].revents != 0) ::_exit(0);  // whoever started us is gone
    const auto request = desk.take();
    if (!request) continue;
    const auto answer = answer_to(desk, *request, keys);
    desk.done(*request);
    (void)write_all(line, answer, "evidence");
    desk.wake_gauge();
  }
}

}  // namespace

std::string to_lines(const Evidence& evidence) {
  auto text =
      fmt::format("found {} {} {} {} {} {} {}\n", evidence.process.pid,
                  evidence.process.start_ticks, evidence.seconds, evidence.objects, evidence.bytes,
                  evidence.holders_known ? 1 : 0, evidence.buffers_known ? 1 : 0);
  for (const auto& type : evidence.types) {
    text += fmt::format("type {} {} {} {}\n", type.bytes, type.native_bytes, type.count,
                        printable(type.name));
  }
  for (const auto& holder : evidence.holders) text += "holder " + to_line(holder);
  return text + "\n";
}

std::optional<Evidence> parse_evidence(std::string_view lines) {
  auto head = next_line(lines);
  if (next_word(head) != "found") return {};
  const auto number = [&head] { return to_number<std::uint64_t>(next_word(head)).value_or(0); };
  Evidence evidence;
  evidence.process.pid = static_cast<pid_t>(number());
  evidence.process.start_ticks = number();
  evidence.seconds = to_number<double>(next_word(head)).value_or(0);
  evidence.objects = number();
  evidence.bytes = number();
  evidence.holders_known = number() != 0;
  evidence.buffers_known = number() != 0;
  while (!lines.empty()) {
    auto line = next_line(lines);
    const auto word = next_word(line);
    if (word == "holder") {
      if (auto holder = parse_holder(line)) evidence.holders.push_back(*std::move(holder));
    } else if (word == "type") {
      const auto amount = [&line] { return to_number<std::uint64_t>(next_word(line)).value_or(0); };
      record::Census::Type type;
      type.bytes = amount();
      type.native_bytes = amount();
      type.count = amount();
      type.name = trimmed(line);
      evidence.types.push_back(std::move(type));
    }
  }
  return evidence;
}

std::string words_of(const Evidence& evidence) {
  std::vector<std::string> most;
  for (const auto& type : evidence.types) {
    if (most.size() == kTypesInWords) break;
    most.push_back(fmt::format("{} in {} {}",
                               format_bytes(static_cast<double>(type.bytes + type.native_bytes)),
                               type.count, type.name));
  }
  auto words =
      fmt::format("in process {} while it stood still: {} in {} objects", evidence.process.pid,
                  format_bytes(static_cast<double>(evidence.bytes)), evidence.objects);
  if (!evidence.buffers_known) words += " of Python, tensors and arrays not counted";
  if (!most.empty()) words += fmt::format(": {}", fmt::join(most, ", "));
  if (!evidence.holders_known) return words + "; who holds that was not found in time";
  if (!evidence.holders.empty()) {
    const auto& first = evidence.holders.front();
    words += fmt::format("; most is held by {} ({})", first.path,
                         format_bytes(static_cast<double>(first.retained_bytes)));
  }
  return words;
}

std::optional<EvidenceTaker> EvidenceTaker::start(const guard::EvidenceDesk& desk,
                                                  secrets::Keys keys) {
  auto beside = start_beside(LineKind::Stream, [&, gauge = ::getpid()](UniqueFd line) {
    end_with(gauge);
    serve(desk, line.get(), keys);
  });
  if (!beside) return {};
  return EvidenceTaker(std::move(beside->line));
}

std::optional<EvidenceTaker::Answer> EvidenceTaker::take(double wait_seconds) {
  const auto next = heard_.take_from(line_.get(), wait_seconds);
  if (!next.text) return {};
  return Answer{parse_evidence(*next.text)};
}

}  // namespace tidegauge::cli
