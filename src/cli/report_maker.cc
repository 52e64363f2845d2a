// SPDX-License-Identifier: Apache-2.0
#include "cli/report_maker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <optional>
#include <span>
#include <string_view>

#include "base/beside.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/write_all.h"
#include "census/aside.h"
#include "census/confined.h"
#include "cli/judged.h"
#include "cli/page_file.h"
#include "record/census_reader.h"
#include "record/file.h"
#include "view/report_json.h"

namespace tidegauge::cli {

namespace {

using Made = ReportMaker::Made;
using Outcome = ReportMaker::Outcome;

// How long somebody waits for his turn, and for an answer beyond what its process may take.
constexpr auto kWaitForTurn = std::chrono::seconds(10);
constexpr double kGrace = 2;
constexpr std::size_t kMostAnswer = 256 << 20;
// A request is "page PATH" or "json PATH", with the descriptor that the answer is written to. An
// answer is a word of these, how many bytes follow, a newline, and those.
constexpr std::string_view kPage = "page ";
constexpr std::string_view kJson = "json ";
constexpr std::array<std::pair<std::string_view, Outcome>, 4> kWords = {
    {{"made", Outcome::Made},
     {"gone", Outcome::NotThere},
     {"none", Outcome::NoRecording},
     {"failed", Outcome::Failed}}};

void answer(int to, std::string_view word, std::string_view text) {
  const auto head = fmt::format("{} {}\n", word, text.size());
  if (write_all(to, head, "a report")) const auto ignored = write_all(to, text, "a report");
}

struct File {
  UniqueFd fd{};
  std::uint64_t bytes = 0;
};

// A regular file under its own name: a link in the folder would lead out of it.
std::optional<File> open_file(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return File{std::move(fd), static_cast<std::uint64_t>(status.st_size)};
}

// From here on this process can read what it has open, compute, answer, and end: by itself, or by
// the kernel when its time is up.
Result<> confine(std::span<const int> keep) {
  constexpr int kNiceness = 10;  // below those that watch and answer
  (void)::setpriority(PRIO_PROCESS, 0, kNiceness);
  ::tzset();  // reads a file
  std::signal(SIGALRM, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::alarm(ReportMaker::kMostSeconds);
  return census::confine_ourselves({.keep = keep,
                                    .most_bytes = ReportMaker::kMostBytes,
                                    .most_cpu_seconds = ReportMaker::kMostSeconds});
}

void make_report(const std::string& path, bool as_page, const verdict::Rules& rules, int to) {
  const auto recording = open_file(path);
  const auto census = open_file(census_path(path));
  if (!recording) return answer(to, "gone", "");
  const int keep[] = {to, recording->fd.get(), census ? census->fd.get() : to};
  if (const auto done = confine(keep); !done) return answer(to, "failed", done.error().what);
  const auto judged = judge_open_recording(recording->fd.get(), recording->bytes, path, rules);
  // What is wrong with it would be told with words from it.
  if (!judged) return answer(to, "none", "");
  auto found = census ? record::read_census(census->fd.get()) : Result<record::Census>(Error{});
  const view::Report report{judged->summary.accounts(),
                            judged->timeline,
                            judged->verdicts,
                            path,
                            judged->notes,
                            found ? std::optional(*std::move(found)) : std::nullopt};
  answer(to, "made", as_page ? page_of(report) : view::report_json(report));
}

struct Wish {
  std::string text{};
  UniqueFd answer_to{};
};

// Nothing: whoever asks is gone.
std::optional<Wish> take_wish(int line) {
  std::array<char, PATH_MAX + 16> text{};
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(line, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return {};
  Wish wish{.text = std::string(text.data(), static_cast<std::size_t>(got))};
  if (const auto* head = CMSG_FIRSTHDR(&message);
      head != nullptr && head->cmsg_type == SCM_RIGHTS && head->cmsg_level == SOL_SOCKET) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
    wish.answer_to = UniqueFd(fd);
  }
  return wish;
}

bool send_wish(int line, const std::string& text, int answer_to) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  auto* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &answer_to, sizeof answer_to);
  return ::sendmsg(line, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

// Forks a process for each wish until nobody is there to wish.
void make_reports(UniqueFd line, const verdict::Rules& rules) {
  census::stand_aside("tidegauge-reports");
  std::signal(SIGCHLD, SIG_IGN);  // nobody asks how they ended
  while (const auto wish = take_wish(line.get())) {
    const std::string_view text = wish->text;
    if (!wish->answer_to || text.size() < kPage.size()) continue;
    if (::fork() != 0) continue;  // of one that could not be started, the answer ends at once
    line = UniqueFd();
    ::prctl(PR_SET_NAME, "tidegauge-report");
    try {
      make_report(std::string(text.substr(kPage.size())), text.starts_with(kPage), rules,
                  wish->answer_to.get());
    } catch (const std::exception&) {  // no memory left: the answer ends without a word
      ::_exit(1);
    }
    ::_exit(0);
  }
}

// What comes until the other end is closed; nothing: not in time, or too much.
std::optional<std::string> read_answer(int from) {
  const double until = clock_seconds(CLOCK_MONOTONIC) + ReportMaker::kMostSeconds + kGrace;
  std::string text;
  while (text.size() <= kMostAnswer) {
    const double left = until - clock_seconds(CLOCK_MONOTONIC);
    pollfd one{from, POLLIN, 0};
    if (left <= 0) return {};
    if (::poll(&one, 1, static_cast<int>(left * 1e3) + 1) <= 0) continue;
    std::array<char, 1 << 16> piece{};
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
    if (got == 0) return text;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return {};
  }
  return {};
}

Made understood(std::string text) {
  const auto end = text.find('\n');
  std::string_view head = std::string_view(text).substr(0, end);
  const auto word = next_word(head);
  const auto bytes = to_number<std::size_t>(trimmed(head));
  // One that was ended says nothing, or half of it.
  if (end == text.npos || !bytes || text.size() - end - 1 != *bytes) return {Outcome::TooMuch};
  auto outcome = Outcome::Failed;
  for (const auto& [known, meaning] : kWords) {
    if (word == known) outcome = meaning;
  }
  text.erase(0, end + 1);
  return {outcome, std::move(text)};
}

}  // namespace

Result<ReportMaker> ReportMaker::start(const verdict::Rules& rules, int not_theirs) {
  auto begun = start_beside(LineKind::Packets, [&](UniqueFd line) {
    ::close(not_theirs);
    make_reports(std::move(line), rules);
  });
  if (!begun) return begun.error();
  return ReportMaker(std::move(begun->line));
}

// False: it is not his turn in time.
bool ReportMaker::begin(const std::string& path) {
  std::unique_lock lock(mutex_);
  const auto may = [&] { return making_.size() < kAtOnce && !making_.contains(path); };
  if (!may()) {
    if (waiting_ == kMostWaiting) return false;
    ++waiting_;
    const bool turn = ended_.wait_for(lock, kWaitForTurn, may);
    --waiting_;
    if (!turn) return false;
  }
  making_.insert(path);
  return true;
}

void ReportMaker::end(const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    making_.erase(path);
  }
  ended_.notify_all();
}

Made ReportMaker::ask_for(const std::string& path, bool as_page) const {
  auto pipe = make_line(LineKind::Stream);
  if (!pipe) return {Outcome::Failed, pipe.error().what};
  const auto wish = std::string(as_page ? kPage : kJson) + path;
  if (!send_wish(line_.get(), wish, pipe->theirs.get())) {
    return {Outcome::Failed, "the process that makes reports is gone"};
  }
  pipe->theirs = UniqueFd();
  auto text = read_answer(pipe->ours.get());
  return text ? understood(*std::move(text)) : Made{Outcome::TooMuch};
}

Made ReportMaker::make(const std::string& path, bool as_page) {
  if (!begin(path)) return {Outcome::Busy};
  auto made = ask_for(path, as_page);
  end(path);
  return made;
}

}  // namespace tidegauge::cli
