// SPDX-License-Identifier: Apache-2.0
#include "record/disk_queue.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace tidegauge::record {

namespace {

// Some hours of a usual recording.
constexpr std::size_t kMostWaitingBytes = 8 << 20;
// How often a disk that could not be written to is asked again.
constexpr std::chrono::seconds kRetry(5);

// The thread takes no signals: they are the watching's, and SIGXFSZ (a limit on the size of files)
// must be an error of write() and not the end of the process.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

struct DiskQueue::State {
  State(DiskFile its_file, AfterFrame its_after_frame)
      : file(std::move(its_file)), after_frame(std::move(its_after_frame)) {}

  DiskFile file;  // the thread's
  AfterFrame after_frame;

  mutable std::mutex mutex{};
  std::condition_variable changed{};
  std::deque<Chunk> waiting{};
  std::size_t waiting_bytes = 0;
  std::optional<Chunk> in_hand{};  // being written, or to be tried again; the thread's
  bool stopping = false;
  bool in_hurry = false;  // somebody waits: do not put off the next try
  bool in_frame = false;  // the file ends in the middle of a frame
  std::uint64_t failures = 0;
  std::optional<Error> failing{};
  std::optional<Error> unreported{};
  std::optional<Loss> loss{};
  std::uint64_t file_size = 0;
  std::int64_t written_ns = 0;
  std::thread thread{};

  void run();
  bool idle() const { return waiting.empty() && !in_hand; }
  void write_next(std::unique_lock<std::mutex>& lock);
  void fail(const Error& error);
  void drop_what_does_not_fit();
};

DiskQueue::DiskQueue(DiskFile file, AfterFrame after_frame)
    : state_(std::make_unique<State>(std::move(file), std::move(after_frame))) {
  const NoSignals inherited;
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

DiskQueue::~DiskQueue() {
  static_cast<void>(close());
}

void DiskQueue::State::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return !idle() || stopping; });
    if (failing) {  // wait for the next try, unless somebody cannot
      changed.wait_for(lock, kRetry, [&] { return stopping || in_hurry; });
    }
    in_hurry = false;
    if (!idle()) write_next(lock);
    if (stopping && (idle() || failing)) return;
  }
}

void DiskQueue::State::write_next(std::unique_lock<std::mutex>& lock) {
  if (!in_hand) {
    in_hand = std::move(waiting.front());
    waiting.pop_front();
    waiting_bytes -= in_hand->bytes.size();
  }
  lock.unlock();
  const auto appended = file.append(in_hand->bytes);
  auto size = file.size();
  lock.lock();
  if (!appended) return fail(appended.error());
  const auto written = *std::exchange(in_hand, {});
  failing.reset();
  file_size = size;
  written_ns = written.last_ns;
  in_frame = !written.ends_frame;
  changed.notify_all();
  if (!written.ends_frame) return;
  lock.unlock();
  const auto done = after_frame(file, written);
  size = file.size();
  lock.lock();
  file_size = size;
  if (!done) unreported = done.error();
}

void DiskQueue::State::fail(const Error& error) {
  if (!failing) unreported = error;
  failing = error;
  ++failures;
  changed.notify_all();
}

// Whole frames, oldest first, but for the one of which a part is in the file already.
void DiskQueue::State::drop_what_does_not_fit() {
  while (waiting_bytes > kMostWaitingBytes) {
    auto first = waiting.begin();
    if (in_hand ? !in_hand->ends_frame : in_frame) {
      first =
          std::find_if(first, waiting.end(), [](const Chunk& chunk) { return chunk.ends_frame; });
      if (first != waiting.end()) ++first;
    }
    auto last =
        std::find_if(first, waiting.end(), [](const Chunk& chunk) { return chunk.ends_frame; });
    if (last == waiting.end()) return;
    ++last;
    for (auto chunk = first; chunk != last; ++chunk) {
      if (!loss) loss = Loss{.first_ns = chunk->first_ns};
      loss->entries += chunk->entries;
      loss->last_ns = chunk->last_ns;
      waiting_bytes -= chunk->bytes.size();
    }
    waiting.erase(first, last);
  }
}

void DiskQueue::push(Chunk chunk) {
  const std::lock_guard lock(state_->mutex);
  state_->waiting_bytes += chunk.bytes.size();
  state_->waiting.push_back(std::move(chunk));
  state_->drop_what_does_not_fit();
  state_->changed.notify_all();
}

std::optional<Error> DiskQueue::take_error() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->unreported, {});
}

std::optional<Loss> DiskQueue::take_loss() {
  const std::lock_guard lock(state_->mutex);
  if (state_->failing) return {};
  return std::exchange(state_->loss, {});
}

Result<> DiskQueue::wait() {
  std::unique_lock lock(state_->mutex);
  const auto failures = state_->failures;
  state_->in_hurry = true;
  state_->changed.notify_all();
  state_->changed.wait(lock, [&] { return state_->idle() || state_->failures > failures; });
  if (state_->idle()) return Ok{};
  state_->unreported.reset();  // the caller is told right now
  return *state_->failing;
}

Result<> DiskQueue::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_all();
  }
  if (state_->thread.joinable()) state_->thread.join();
  state_->file.remove_if_empty();
  if (state_->idle()) return Ok{};
  return state_->failing.value_or(Error{Reason::Failed, "the recording could not be written"});
}

std::int64_t DiskQueue::written_ns() const {
  const std::lock_guard lock(state_->mutex);
  return state_->written_ns;
}

std::uint64_t DiskQueue::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->file_size;
}

}  // namespace tidegauge::record
