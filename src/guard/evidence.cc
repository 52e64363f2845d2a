// SPDX-License-Identifier: Apache-2.0
#include "guard/evidence.h"

#include <poll.h>
#include <unistd.h>

#include <array>

#include "base/clock.h"

namespace tidegauge::guard {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// Who sleeps until then is on a machine that has other things to do, or dead.
constexpr std::int64_t kBeginsWithinNs = 200 * kMillisecond;

std::int64_t now_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

void ring(int bell) {
  const std::uint64_t one = 1;
  (void)!::write(bell, &one, sizeof one);
}

void hush(int bell) {
  std::uint64_t count = 0;
  (void)!::read(bell, &count, sizeof count);
}

}  // namespace

std::optional<EvidenceDesk::Request> EvidenceDesk::take() const {
  hush(bells_.asked);
  const Request request{.number = board_.evidence_asked,
                        .who = {board_.evidence_pid, board_.evidence_ticks},
                        .frozen_since_ns = board_.frozen_since_ns,
                        .until_ns = board_.evidence_until_ns};
  if (request.number == board_.evidence_begun) return {};
  board_.evidence_begun = request.number;
  return request;
}

bool EvidenceDesk::stands_still(const Request& request) const {
  return request.frozen_since_ns != 0 && board_.frozen_since_ns == request.frozen_since_ns &&
         board_.evidence_asked == request.number && now_ns() < request.until_ns;
}

void EvidenceDesk::done(const Request& request) const {
  board_.evidence_done = request.number;
  ring(bells_.done);
}

void EvidenceDesk::wake_gauge() const {
  ring(bells_.wake);
}

double EvidenceDesk::room_bytes() const {
  if (ours_ == nullptr) return 0;
  const auto reading = ours_->read(0);
  return reading.known ? reading.room : 0;
}

EvidenceWait::EvidenceWait(Board& board, const Machine& machine, const EvidenceBells& bells,
                           double seconds)
    : board_(board),
      machine_(machine),
      bells_(bells),
      began_ns_(machine.now_ns()),
      until_ns_(began_ns_) {
  if (!board_.evidence_ready) return;
  until_ns_ += static_cast<std::int64_t>(seconds * 1e9);
  board_.evidence_until_ns = until_ns_;
  number_ = ++board_.evidence_asked;
  machine_.ring(bells_.asked);
}

EvidenceWait::~EvidenceWait() {
  board_.evidence_ns += machine_.now_ns() - began_ns_;
}

bool EvidenceWait::goes_on() {
  const auto now = machine_.now_ns();
  if (now >= until_ns_ || board_.evidence_done == number_) return false;
  if (board_.evidence_begun != number_ && now >= began_ns_ + kBeginsWithinNs) return false;
  std::array<pollfd, 1> done{{{bells_.done, POLLIN, 0}}};
  if (machine_.wait(done, kMillisecond)) machine_.hush(bells_.done);
  return true;
}

}  // namespace tidegauge::guard
