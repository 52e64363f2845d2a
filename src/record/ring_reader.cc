// SPDX-License-Identifier: Apache-2.0
#include "record/ring_reader.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "record/mark_choice.h"
#include "record/sealed_memory.h"

namespace tidegauge::record {

namespace {

// A mark takes less than a microsecond; a writer that is preempted gets a few of the scheduler's
// turns. Longer than this and it was killed in between.
constexpr std::int64_t kWriterPatienceNs = 100'000'000;

tidegauge_ring_header header_for(std::uint32_t slots) {
  return {.magic = tidegauge_ring_magic(),
          .version = TIDEGAUGE_RING_VERSION,
          .header_bytes = TIDEGAUGE_RING_HEADER_BYTES,
          .size_bytes = tidegauge_ring_size(slots),
          .slots = slots,
          .slot_bytes = TIDEGAUGE_RING_SLOT_BYTES,
          .reserved = {},
          .head = 0};
}

// How many slots the text of this mark goes on for.
std::uint64_t more_slots(const tidegauge_slot& slot) {
  const bool text = slot.kind == TIDEGAUGE_PHASE_BEGIN || slot.kind == TIDEGAUGE_PHASE_END ||
                    slot.kind == TIDEGAUGE_NOTE;
  return text ? std::min<std::uint64_t>(slot.flags, TIDEGAUGE_RING_TEXT_SLOTS - 1) : 0;
}

enum class Found { Mark, Unfinished, Lost };

struct Look {
  Found found = Found::Lost;
  tidegauge_slot slot{};
};

// The mark with this index, if it is there, whole, and still there after it was copied.
Look look_at(std::uint64_t* ring, std::uint64_t mask, std::uint64_t index) {
  std::uint64_t* const slot = tidegauge_ring_slot(ring, mask, index);
  std::array<std::uint64_t, TIDEGAUGE_SLOT_WORDS> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = __atomic_load_n(slot + i, __ATOMIC_ACQUIRE);
  }
  const auto seq = words[0];
  if (seq <= index) return {Found::Unfinished, {}};
  if (seq != index + 1 || __atomic_load_n(slot, __ATOMIC_RELAXED) != seq) return {};
  if (words.back() != tidegauge_ring_check(words.data())) return {};
  Look look{Found::Mark, {}};
  std::memcpy(&look.slot, words.data(), sizeof look.slot);
  return look;
}

}  // namespace

struct RingReader::State {
  State(SealedMemory its_memory, std::uint32_t slots)
      : fd(std::move(its_memory.fd)), memory(std::move(its_memory.words)), mask(slots - 1) {}

  std::uint64_t begun();
  void note_head(std::uint64_t head, std::int64_t now_ns);
  void take_until(std::uint64_t head);
  void skip_overwritten(std::uint64_t head);
  bool take_one(std::uint64_t head);
  std::vector<Event> events(const RingClock& clock, const WhoIs& who_is);

  UniqueFd fd;
  SharedWords memory;
  std::uint64_t mask;
  std::uint64_t next = 0;  // index of the next mark to read
  // Marks below `overdue` were begun more than kWriterPatienceNs ago; those below `young` were when
  // we looked at young_since_ns.
  std::uint64_t overdue = 0;
  std::uint64_t young = 0;
  std::int64_t young_since_ns = 0;
  std::int64_t last_at_ns = 0;
  std::vector<std::vector<tidegauge_slot>> marks{};  // of this look
  MarkChoice choice{};
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;
  std::uint64_t lost_told = 0;
  std::uint64_t odd = 0;
};

void RingReader::State::skip_overwritten(std::uint64_t head) {
  if (head < next) {  // only somebody who scribbles in the ring can turn it back
    next = head;
    overdue = std::min(overdue, head);
    young = std::min(young, head);
  }
  const auto slots = mask + 1;
  if (head - next <= slots) return;
  lost += head - next - slots;
  next = head - slots;
}

std::uint64_t RingReader::State::begun() {
  return __atomic_load_n(tidegauge_ring_head(memory.get()), __ATOMIC_ACQUIRE);
}

void RingReader::State::take_until(std::uint64_t head) {
  skip_overwritten(head);
  while (next < head && take_one(head)) {
  }
}

void RingReader::State::note_head(std::uint64_t head, std::int64_t now_ns) {
  if (now_ns - young_since_ns < kWriterPatienceNs) return;
  overdue = young;
  young = head;
  young_since_ns = now_ns;
}

// Takes the mark at `next`, or passes over it; false if it has to be waited for.
bool RingReader::State::take_one(std::uint64_t head) {
  std::vector<tidegauge_slot> slots;
  // Only somebody who scribbles says that there is more than head does.
  std::uint64_t end = next + 1;
  for (auto index = next; index < std::min(end, head); ++index) {
    const auto look = look_at(memory.get(), mask, index);
    if (look.found == Found::Unfinished && index >= overdue) return false;
    if (look.found != Found::Mark) {
      lost += index + 1 - next;
      next = index + 1;
      return true;
    }
    if (index == next) {
      end += more_slots(look.slot);
    } else if (look.slot.kind != TIDEGAUGE_MORE_TEXT || look.slot.flags != index - next) {
      break;
    }
    slots.push_back(look.slot);
  }
  next += slots.size();
  marks.push_back(std::move(slots));
  return true;
}

std::vector<Event> RingReader::State::events(const RingClock& clock, const WhoIs& who_is) {
  const auto latest = std::max<std::int64_t>(clock.now_ns - clock.began_ns, 0);
  last_at_ns = std::min(last_at_ns, latest);
  std::vector<JobMark> all;
  all.reserve(marks.size());
  for (const auto& slots : marks) {
    auto event = event_of(slots, who_is);
    if (!event) {
      // The rest of a text whose beginning was lost is lost with it, and was not odd.
      ++(slots.front().kind == TIDEGAUGE_MORE_TEXT ? lost : odd);
      continue;
    }
    ++taken;
    // A writer's clock is only believed between its predecessor's word and now.
    const auto at = std::clamp(event->at_ns, clock.began_ns, clock.began_ns + latest);
    event->at_ns = last_at_ns = std::max(at - clock.began_ns, last_at_ns);
    constexpr unsigned kWhichShift = 8;  // of tidegauge_slot::source
    all.push_back({*std::move(event), slots.front().source >> kWhichShift, slots.front().c});
  }
  marks.clear();
  auto thinned = thin(choice.choose(std::move(all)));
  lost += thinned.dropped;
  if (lost > lost_told) {
    thinned.events.push_back({.at_ns = latest,
                              .kind = EventKind::MarksLost,
                              .value = static_cast<double>(lost - lost_told)});
    lost_told = lost;
    last_at_ns = latest;
  }
  return std::move(thinned.events);
}

RingReader::RingReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RingReader::RingReader(RingReader&&) noexcept = default;
RingReader& RingReader::operator=(RingReader&&) noexcept = default;
RingReader::~RingReader() = default;

Result<RingReader> RingReader::create(std::uint32_t slots) {
  const auto bytes = static_cast<std::size_t>(tidegauge_ring_size(slots));
  auto memory = sealed_memory("tidegauge-ring", bytes);
  if (!memory) return memory.error();
  const auto header = header_for(slots);
  std::memcpy(memory->words.get(), &header, sizeof header);
  // From here on we only read: a mistake of ours cannot disturb the job.
  if (::mprotect(memory->words.get(), bytes, PROT_READ) != 0) {
    return from_errno(errno, "mapping the memory for marks");
  }
  return RingReader(std::make_unique<State>(*std::move(memory), slots));
}

int RingReader::fd() const {
  return state_->fd.get();
}

std::vector<Event> RingReader::read(const RingClock& clock, const WhoIs& who_is) {
  auto& state = *state_;
  const auto head = state.begun();
  state.note_head(head, clock.now_ns);
  state.take_until(head);
  return state.events(clock, who_is);
}

std::vector<Event> RingReader::read_rest(const RingClock& clock, const WhoIs& who_is) {
  auto& state = *state_;
  const auto head = state.begun();
  state.overdue = head;
  state.take_until(head);
  return state.events(clock, who_is);
}

std::uint64_t RingReader::taken() const {
  return state_->taken;
}
std::uint64_t RingReader::lost() const {
  return state_->lost;
}
std::uint64_t RingReader::odd() const {
  return state_->odd;
}

}  // namespace tidegauge::record
