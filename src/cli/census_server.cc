// SPDX-License-Identifier: Apache-2.0
#include "cli/census_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iterator>

#include "base/beside.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/write_all.h"
#include "census/aside.h"
#include "census/census.h"
#include "cli/holder_line.h"
#include "cli/training_listener.h"
#include "guard/meter.h"
#include "proc/roots.h"

namespace tidegauge::cli {

namespace {

constexpr std::size_t kMostHolders = 12;

constexpr std::string_view kNone = "none\n\n";
constexpr double kShareOfRoom = 0.7;
// Less is not enough for the smallest of jobs, and there is better use for it then.
constexpr double kLeastRoom = 64.0 * 1024 * 1024;
// It is given up when less of the room is left, here or where the job is.
constexpr double kRoomToKeep = 0.25;
constexpr int kLookMs = 10;

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
    return std::string(kNone);
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

void put_all(int line, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(line, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) ::_exit(0);
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Memory that is left where a process is, against what was left when the census began.
class Room {
 public:
  explicit Room(pid_t pid) : meter_(guard::meter_around(proc::Roots{}, pid)), at_first_(left()) {}

  double left() const { return meter_ ? meter_->read(0).room : 0; }
  double at_first() const { return at_first_; }
  bool is_short() const { return meter_ && left() < kRoomToKeep * at_first_; }

 private:
  std::optional<guard::Meter> meter_;
  double at_first_;
};

// A census takes memory twice: here, for what is known of each object, and where the job is, for a
// second copy of each page that the job writes to meanwhile. In a container both count against the
// limit of the job. So it is taken in a process of its own that can be ended at any moment.
class Taking {
 public:
  Taking(pid_t target, secrets::Keys keys, int line) : ours_(::getpid()), theirs_(target) {
    const double most = kShareOfRoom * ours_.at_first();
    int ends[2];
    if (most < kLeastRoom || ::pipe2(ends, O_CLOEXEC) != 0) return;
    from_ = UniqueFd(ends[0]);
    const UniqueFd to(ends[1]);
    const pid_t server = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != server) ::_exit(1);
    ::close(line);
    census::take_no_more_than(static_cast<std::uint64_t>(most));
    (void)write_all(to.get(), census_of(target, keys), "census");
    ::_exit(0);
  }
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;
  ~Taking() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  int fd() const { return from_.get(); }
  // What it has to say; nothing yet: it is at it.
  std::optional<std::string> look(bool readable) {
    if (pid_ <= 0 || ours_.is_short() || theirs_.is_short()) return std::string(kNone);
    if (!readable) return {};
    char piece[4096];
    const ssize_t got = ::read(from_.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) return {};
    if (got > 0) {
      text_.append(piece, static_cast<std::size_t>(got));
      return {};
    }
    return text_.ends_with("\n\n") ? text_ : std::string(kNone);
  }

 private:
  Room ours_;
  Room theirs_;
  UniqueFd from_{};
  pid_t pid_ = -1;
  std::string text_{};
};

[[noreturn]] void serve(int line, secrets::Keys keys) {
  census::stand_aside("tidegauge-census");
  let_go_of_terminal();
  ::setpriority(PRIO_PROCESS, 0, 10);  // the job comes first
  TrainingListener listener;
  std::optional<Taking> taking;
  while (true) {
    pollfd fds[] = {{line, POLLIN, 0}, {taking ? taking->fd() : -1, POLLIN, 0}};
    if (::poll(fds, std::size(fds), taking ? kLookMs : -1) < 0 && errno != EINTR) ::_exit(1);
    if (taking) {
      if (const auto text = taking->look(fds[1].revents != 0)) {
        taking.reset();
        put_all(line, *text);
      }
    }
    if (fds[0].revents == 0) continue;
    pid_t request = 0;
    const ssize_t got = ::read(line, &request, sizeof request);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof request) {  // whoever started us is gone
      taking.reset();
      ::_exit(0);
    }
    if (request < 0) {  // a pid asks for a census, its negative for a training
      put_all(line, training_of(-request, listener));
    } else {
      taking.emplace(request, keys, line);
    }
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
