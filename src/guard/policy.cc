// SPDX-License-Identifier: Apache-2.0
#include "guard/policy.h"

#include <algorithm>

namespace tidegauge::guard {

namespace {

constexpr double kMiB = 1024.0 * 1024;

// Room for what runs on between the decision to freeze and its effect, and for the kernel's own
// accounting in batches: 1 to 3 MB were seen.
constexpr double kSlackShare = 0.02;
constexpr double kLeastSlack = 4 * kMiB;
constexpr double kMostSlack = 16 * kMiB;

// A freeze takes effect on the way back from the kernel: one large read() or populate runs to its
// end.
constexpr double kCallShare = 0.02;
constexpr double kLargestCall = 256 * kMiB;

// torch.save and transformers' Trainer need 30 MB to write a checkpoint of any size.
constexpr double kLeastSave = 32 * kMiB;

// The reserve must not eat up what the job was given. One that was seen to take more than that at
// once, where nothing can be lent to it, needs more: what it takes next would be its end.
constexpr double kLargestReserve = 0.3;
constexpr double kLargestForJumps = 0.5;

// Within this of what there is at all the kernel's killer is next.
constexpr double kTopShare = 0.01;
constexpr double kLeastTop = 2 * kMiB;
constexpr double kMostTop = 16 * kMiB;

constexpr double kLendShare = 0.25;
constexpr double kLeastLoan = 256 * kMiB;
// What is left for our own processes where they count against the same limit. No more and no less
// than that, whatever they hold now: else a job would be asked, or told to end, for what we take.
constexpr double kRoomForUs = 16 * kMiB;

constexpr double kMachineKeeps = 0.05;  // of all its memory, for everybody else

// Writing huge pages fills memory at 6 to 10 GB/s on any machine that was measured.
constexpr double kFastest = 10e9;
constexpr double kShortestWait = 1e-3;
constexpr double kLongestWait = 1;
constexpr double kLongestWaitAbove = 0.01;

constexpr double kHorizonSeconds = 5;
constexpr double kHorizonShare = 0.05;  // of what was seen
constexpr double kHorizonSteps = 2;

constexpr double kSure = 0.9;

double slack_of(double limit) {
  return std::clamp(limit * kSlackShare, kLeastSlack, kMostSlack);
}

// What the rest of the step and the save after it may take.
double rest_of(const Shape& shape, const Outlook& outlook) {
  return std::max(shape.spike, shape.jump) + std::max(outlook.bytes_per_step, 0.0) +
         std::max(outlook.save_bytes, kLeastSave);
}

double reserve_of(const Limits& limits, const Shape& shape, const Outlook& outlook,
                  const Settings& settings) {
  if (settings.reserve_bytes) return *settings.reserve_bytes;
  const double call = std::min(limits.bytes * kCallShare, kLargestCall);
  const double uncovered = std::max(rest_of(shape, outlook) - limits.lendable, 0.0);
  const double most = shape.jump > shape.spike ? kLargestForJumps : kLargestReserve;
  const double for_us = limits.with_us ? kRoomForUs : 0;
  return std::min(slack_of(limits.bytes) + call + uncovered + for_us, limits.bytes * most);
}

}  // namespace

Outlook::Word word_of(const verdict::Verdict& verdict) {
  using verdict::Class;
  if (verdict.klass == Class::Leak) return Outlook::Word::Grows;
  const bool bounded = verdict.klass == Class::WarmUp || verdict.klass == Class::Spikes ||
                       verdict.klass == Class::Sawtooth;
  return bounded && verdict.confidence >= kSure ? Outlook::Word::Ends : Outlook::Word::None;
}

Lines lines_of(const Limits& limits, const Shape& shape, const Outlook& outlook,
               const Settings& settings) {
  Lines lines;
  lines.limit = limits.bytes;
  lines.freeze = limits.bytes - reserve_of(limits, shape, outlook, settings);
  const double most = limits.bytes + limits.lendable;
  const double need = slack_of(limits.bytes) + rest_of({}, outlook);
  lines.last = std::max(limits.bytes, most - need);
  // There the limit is reached in fact, by whomever.
  lines.top = most - limits.ours - std::clamp(limits.bytes * kTopShare, kLeastTop, kMostTop);
  return lines;
}

double lendable_of(double limit, double machine_total, double machine_available,
                   const Settings& settings) {
  if (!settings.lend) return 0;
  const double most = settings.lend_bytes.value_or(std::max(limit * kLendShare, kLeastLoan));
  const double spare = machine_available - machine_total * kMachineKeeps;
  return std::clamp(spare, 0.0, most);
}

double uncovered_save(const Limits& limits, const Outlook& outlook) {
  return std::max(std::max(outlook.save_bytes, kLeastSave) - limits.lendable, 0.0);
}

bool reaches(double line, const Shape& shape, const Outlook& outlook) {
  const double horizon = kHorizonSteps * outlook.step_seconds +
                         std::min(kHorizonSeconds, shape.seen_seconds * kHorizonShare);
  // A spike that is under way is not taken for a floor with another one on top.
  const double peak = std::min(shape.floor + shape.spike, shape.lately);
  return peak + shape.bytes_per_second * horizon >= line;
}

bool is_leak(const Shape& shape, const Outlook& outlook) {
  if (outlook.word == Outlook::Word::Ends) return false;
  if (outlook.word == Outlook::Word::Grows) return shape.bytes_per_second > 0;
  return shape.rising;
}

std::int64_t wait_ns(double used, const Lines& lines) {
  const bool below = used < lines.freeze;
  const double room = (below ? std::min(lines.freeze, lines.top) : lines.top) - used;
  const double seconds =
      std::clamp(room / kFastest, kShortestWait, below ? kLongestWait : kLongestWaitAbove);
  return static_cast<std::int64_t>(seconds * 1e9);
}

}  // namespace tidegauge::guard
