// SPDX-License-Identifier: Apache-2.0
#include "record/ring_marks.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace tidegauge::record {
namespace {

Event step(pid_t pid, double number, MarkSource source = MarkSource::Explicit) {
  return {.kind = EventKind::Step, .process = {pid, 1}, .source = source, .value = number};
}
Event phase(const std::string& name) {
  return {.kind = EventKind::PhaseBegin, .process = {1, 1}, .name = name};
}

TEST(Thin, KeepsTheFirstAndTheLastStepOfEachProcessAndSource) {
  const auto thinned = thin({step(1, 1), step(2, 1), step(1, 2), step(1, 7, MarkSource::Optimizer),
                             step(1, 3), step(2, 2), step(1, 4), step(2, 3)});
  EXPECT_EQ(thinned.events,
            (std::vector<Event>{step(1, 1), step(2, 1), step(1, 7, MarkSource::Optimizer),
                                step(1, 4), step(2, 3)}));
  EXPECT_EQ(thinned.dropped, 0u);
}

TEST(Thin, KeepsOnlyTheLastCountOfDistinctExamples) {
  auto distinct = [](double count) {
    return Event{.kind = EventKind::Distinct, .process = {1, 1}, .value = count};
  };
  const auto thinned = thin({distinct(1), step(1, 1), distinct(2), distinct(3)});
  EXPECT_EQ(thinned.events, (std::vector<Event>{step(1, 1), distinct(3)}));
}

TEST(Thin, KeepsPhasesAndNotesButNotAFloodOfThem) {
  std::vector<Event> marks(3 * kMostOthers, phase("p"));
  marks.insert(marks.begin() + 5, step(1, 1));
  const auto thinned = thin(marks);
  EXPECT_EQ(thinned.events.size(), kMostOthers + 1);
  EXPECT_EQ(thinned.dropped, 2 * kMostOthers);
}

TEST(Thin, IsASubsequenceThatThinsNoFurther) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned char>& picks) {
    std::vector<Event> marks;
    for (std::size_t i = 0; i < picks.size(); ++i) {
      marks.push_back(picks[i] % 3 == 0 ? phase(std::to_string(i))
                                        : step(picks[i] % 5, static_cast<double>(i)));
    }
    const auto thinned = thin(marks);
    auto at = marks.begin();
    for (const auto& event : thinned.events) {
      at = std::find(at, marks.end(), event);
      RC_ASSERT(at != marks.end());
      ++at;
    }
    RC_ASSERT(thin(thinned.events).events == thinned.events);
    if (!marks.empty()) RC_ASSERT(thinned.events.back() == marks.back());
  }));
}

TEST(EventOf, AnUnknownProcessMakesItAMarkOfTheTree) {
  tidegauge_slot slot{};
  slot.kind = TIDEGAUGE_STEP;
  slot.source = TIDEGAUGE_FRAMEWORK;
  slot.pid = 77;
  slot.a = 5;
  const auto event = event_of({slot}, [](pid_t) { return ProcessId{}; });
  ASSERT_TRUE(event);
  EXPECT_EQ(event->process, ProcessId{});
  EXPECT_EQ(event->source, MarkSource::Framework);
}

}  // namespace
}  // namespace tidegauge::record
