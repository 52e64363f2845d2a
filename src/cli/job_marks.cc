// SPDX-License-Identifier: Apache-2.0
#include "cli/job_marks.h"

#include <unistd.h>

#include <algorithm>

#include "proc/fd_path.h"
#include "record/ring.h"

namespace tidegauge::cli {

namespace {

// Between two looks a job may print much more; its last words tell where it is.
constexpr std::size_t kMostOutput = 256 << 10;

}  // namespace

JobMarks::JobMarks(const Options& options) {
  if (options.channel) {
    if (auto ring = record::RingReader::create()) ring_.emplace(*std::move(ring));
  }
  guess_ = options.guess && ::isatty(STDOUT_FILENO) == 1;
}

std::vector<std::pair<std::string, std::string>> JobMarks::environment() const {
  if (!ring_) return {};
  return {{tidegauge_ring_variable(), proc::fd_path(ring_->fd())}};
}

bool JobMarks::wants_terminal() const {
  return guess_;
}

void JobMarks::listen_to(guard::Job& job) {
  if (!guess_) return;
  job.on_output([this](std::string_view bytes) {
    output_ += bytes;
    if (output_.size() > kMostOutput) output_.erase(0, output_.size() - kMostOutput);
  });
}

void JobMarks::pass_on(Session& session) {
  if (ring_) {
    const auto marks =
        ring_->read(session.ring_clock(), [&session](pid_t pid) { return session.who_is(pid); });
    for (const auto& mark : marks) session.add(mark);
  }
  if (output_.empty()) return;
  for (const auto& mark : guesser_.feed(output_, session.now_ns())) session.add(mark);
  output_.clear();
}

}  // namespace tidegauge::cli
