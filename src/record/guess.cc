// SPDX-License-Identifier: Apache-2.0
#include "record/guess.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidegauge::record {

namespace {

constexpr std::size_t kMostCounters = 32;
// A number that has risen this often is a count and no accident.
constexpr std::uint64_t kRisesToBelieve = 3;
// A pass has ended if it came this far before it started again.
constexpr double kNearlyDone = 0.8;
// Ranks that write to one terminal are a few steps apart.
constexpr double kRanksApart = 5;
constexpr std::uint64_t kFallsToForgive = 2;
// Of a bar's postfix ("loss=[0.1]") there may be a few before its own; of a printed array
// thousands.
constexpr int kBracketsOfABar = 8;
constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';

bool ends_line(char byte) {
  return byte == '\n' || byte == '\r' || byte == '\b';
}

}  // namespace

bool LineCutter::add(char byte) {
  ended_ = false;
  switch (state_) {
    case State::Text:
      return add_text(byte);
    case State::Escape:
      state_ = byte == '[' ? State::Sequence : byte == ']' ? State::Title : State::Text;
      return false;
    case State::Sequence:
      if (byte < '@' || byte > '~') return false;
      state_ = State::Text;
      // Colours (m) and modes (h, l) leave the cursor where it is.
      ended_ = byte != 'm' && byte != 'h' && byte != 'l';
      return ended_;
    case State::Title:
      if (byte == kBell) state_ = State::Text;
      if (byte == kEscape) state_ = State::TitleEscape;
      return false;
    case State::TitleEscape:
      state_ = State::Text;
      return false;
  }
  return false;
}

bool LineCutter::add_text(char byte) {
  if (byte == kEscape) {
    state_ = State::Escape;
    return false;
  }
  if (ends_line(byte)) return ended_ = true;
  if (line_.size() >= kLongestLine) return false;
  if (byte == '|' && line_.ends_with('%')) brackets_left_ = kBracketsOfABar;
  line_ += byte;
  return byte == ']' && brackets_left_-- > 0;
}

void LineCutter::next() {
  line_.clear();
  brackets_left_ = 0;
}

std::vector<Event> MarkGuesser::feed(std::string_view bytes, std::int64_t at_ns) {
  for (const char byte : bytes) {
    if (!cutter_.add(byte)) continue;
    // A bar is only followed by the next one, so it is read when its bracket closes.
    const auto told =
        cutter_.ended() ? parse_output_line(cutter_.line()) : parse_bar(cutter_.line());
    if (told) look_at(*told, at_ns);
    if (told || cutter_.ended()) cutter_.next();
  }
  return std::exchange(found_, {});
}

void MarkGuesser::look_at(const Told& told, std::int64_t at_ns) {
  const bool new_epoch = told.epoch && note_epoch(*told.epoch, at_ns);
  if (!told.step) return;
  auto* const counter = counter_of(told, at_ns);
  if (counter == nullptr || !advance(*counter, told.step->number, new_epoch)) return;
  counter->last_ns = at_ns;
  if (!counter->done_ns && counter->total == counter->last) counter->done_ns = at_ns;
  const auto index = static_cast<std::size_t>(counter - counters_.data());
  in_a_row_ = std::exchange(latest_, index) == index ? in_a_row_ + 1 : 1;
  if (!leads(*counter)) return;
  const auto step = counter->offset + counter->last;
  if (step <= told_step_) return;
  told_step_ = step;
  found_.push_back(
      {.at_ns = at_ns, .kind = EventKind::Step, .source = MarkSource::Output, .value = step});
}

MarkGuesser::Counter* MarkGuesser::counter_of(const Told& told, std::int64_t at_ns) {
  for (auto& counter : counters_) {
    if (counter.name == told.counter && counter.total == told.step->total) return &counter;
  }
  if (counters_.size() >= kMostCounters) return nullptr;
  counters_.push_back(
      {.name = told.counter, .total = told.step->total, .first_ns = at_ns, .last_ns = at_ns});
  return &counters_.back();
}

// True if the count went on.
bool MarkGuesser::advance(Counter& counter, double number, bool new_epoch) {
  if (number > counter.last) {
    if (counter.last >= 0) ++counter.rises;
    counter.last = number;
    return true;
  }
  if (counter.last - number <= kRanksApart && number > 0) return false;
  const double whole = counter.total.value_or(counter.last);
  if (new_epoch || (counter.total && counter.last >= kNearlyDone * whole)) {
    counter.offset += whole;
    counter.last = number;
    return true;
  }
  ++counter.falls;
  return false;
}

// Whether this counter is the step: the first one that is believed, until another takes over.
bool MarkGuesser::leads(Counter& counter) {
  if (counter.rises < kRisesToBelieve || counter.falls > kFallsToForgive + counter.rises / 10) {
    return false;
  }
  if (leader_ == SIZE_MAX) leader_ = latest_;
  if (leader_ != latest_ && takes_over(counter, counters_[leader_])) leader_ = latest_;
  return leader_ == latest_;
}

bool MarkGuesser::takes_over(Counter& counter, const Counter& leader) const {
  if (!leader.done_ns || leader.last < *leader.total) return false;
  // What was there before the leader was done, has not started anew since and goes on without it is
  // the loop around it: the leader was an evaluation before the first step.
  if (counter.first_ns < *leader.done_ns) {
    return counter.offset == 0 && in_a_row_ >= kRisesToBelieve;
  }
  // What came afterwards and lasts longer is the work that the leader had prepared; a last
  // evaluation does not.
  if (counter.last_ns - counter.first_ns <= leader.last_ns - leader.first_ns) return false;
  counter.offset += told_step_;
  return true;
}

// True if another epoch than before has begun. The first fraction of an epoch says nothing about
// when it began.
bool MarkGuesser::note_epoch(const Tally& epoch, std::int64_t at_ns) {
  const auto number = std::floor(epoch.number);
  const bool first = !epoch_;
  if (!first && number == *epoch_) return false;
  const bool next = first ? number == epoch.number : number == *epoch_ + 1;
  epoch_ = number;
  if (next && number > told_epoch_) {
    told_epoch_ = number;
    found_.push_back({.at_ns = at_ns,
                      .kind = EventKind::Epoch,
                      .source = MarkSource::Output,
                      .value = number,
                      .total = epoch.total});
  }
  return !first;
}

}  // namespace tidegauge::record
