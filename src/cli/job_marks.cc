// SPDX-License-Identifier: Apache-2.0
#include "cli/job_marks.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "proc/fd_path.h"
#include "proc/roots.h"
#include "proc/stat.h"

namespace tidegauge::cli {

namespace {

// A job may print thousands of steps between two looks.
constexpr std::size_t kMostGuesses = 1024;

}  // namespace

JobMarks::JobMarks(const Options& options) {
  if (options.channel) {
    auto ring = record::RingReader::create();
    if (!ring) missing_ = ring.error().what;
    if (ring) ring_.emplace(*std::move(ring));
    if (auto page = record::AskPage::create()) requests_.emplace(*std::move(page));
    if (auto root = proc::Root::open(proc::Roots{}.proc)) processes_.emplace(*std::move(root));
  }
  guess_ = options.guess && ::isatty(STDOUT_FILENO) == 1;
}

std::string JobMarks::ring() const {
  return ring_ ? proc::fd_path(ring_->fd()) : std::string();
}

std::string JobMarks::ask_page() const {
  return requests_ ? proc::fd_path(requests_->fd()) : std::string();
}

bool JobMarks::wants_terminal() const {
  return guess_;
}

void JobMarks::listen_to(guard::Job& job, const Session& session) {
  if (!guess_) return;
  job.on_output([this, &session](std::string_view bytes) {
    for (auto& guess : guesser_.feed(bytes, session.now_ns())) guesses_.push_back(std::move(guess));
    if (guesses_.size() > kMostGuesses) guesses_ = record::thin(std::move(guesses_)).events;
  });
}

// A process that marks before it was first sampled is asked for its name itself.
record::ProcessId JobMarks::who_is(const Session& session, pid_t pid) {
  if (const auto known = session.who_is(pid); known.pid != 0) return known;
  const auto [at, is_new] = newcomers_.try_emplace(pid);
  if (!is_new || !processes_) return at->second;
  if (const auto stat = proc::read_stat(*processes_, pid)) at->second = stat->id;
  return at->second;
}

void JobMarks::pass_on(Session& session) {
  const auto who = [this, &session](pid_t pid) { return who_is(session, pid); };
  pass_on(session, ring_ ? ring_->read(session.ring_clock(), who) : std::vector<record::Event>{});
}

void JobMarks::pass_on_rest(Session& session) {
  const auto who = [this, &session](pid_t pid) { return who_is(session, pid); };
  pass_on(session,
          ring_ ? ring_->read_rest(session.ring_clock(), who) : std::vector<record::Event>{});
}

void JobMarks::pass_on(Session& session, std::vector<record::Event> marks) {
  newcomers_.clear();  // a pid may be another's by the next look
  auto guesses = record::thin(std::exchange(guesses_, {})).events;
  marks.insert(marks.end(), std::make_move_iterator(guesses.begin()),
               std::make_move_iterator(guesses.end()));
  std::stable_sort(marks.begin(), marks.end(),
                   [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
  for (const auto& mark : marks) session.add(mark);
}

}  // namespace tidegauge::cli
