// SPDX-License-Identifier: Apache-2.0
#include "guard/plan.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

namespace tidegauge::guard {
namespace {

constexpr double kMiB = 1024.0 * 1024;

Situation situation() {
  return {
      .limits = {1000 * kMiB, 250 * kMiB},
      .limit_kind = "cgroup",
      .used = 500 * kMiB,
      .shape = {.floor = 500 * kMiB, .bytes_per_second = kMiB, .seen_seconds = 100, .rising = true},
      .outlook = {},
      .means = {.freeze = true, .limit = true, .kill = true, .asked = true}};
}

const Step& rung(const std::vector<Step>& steps, Step::Kind kind) {
  return *std::find_if(steps.begin(), steps.end(),
                       [&](const auto& step) { return step.kind == kind; });
}

TEST(Plan, HasEachRungWithItsLine) {
  const auto now = situation();
  const auto steps = plan(now, {});
  EXPECT_NEAR(rung(steps, Step::Kind::Freeze).at_bytes / kMiB, 964, 1);
  EXPECT_NEAR(*rung(steps, Step::Kind::Freeze).in_seconds, 464, 1);
  EXPECT_EQ(rung(steps, Step::Kind::Stop).at_bytes, 1000 * kMiB);
  EXPECT_NEAR(rung(steps, Step::Kind::Kill).at_bytes / kMiB, 1240, 1);
  for (const auto& step : steps) EXPECT_TRUE(step.possible) << step.words;
  const auto text = to_text(now, steps);
  EXPECT_NE(text.find("the limit of its group"), std::string::npos) << text;
  EXPECT_NE(text.find("+ lend"), std::string::npos) << text;
}

TEST(Plan, SaysWhatCannotBe) {
  auto now = situation();
  now.means = {};
  now.limits.lendable = 0;
  const auto text = to_text(now, plan(now, {}));
  for (const auto* rung : {"- freeze", "- lend", "- look", "- ask", "- kill"}) {
    EXPECT_NE(text.find(rung), std::string::npos) << text;
  }
  EXPECT_EQ(to_text({}, plan({}, {})),
            "No limit is known, so there is nothing to guard against.\n");
}

// The lines are in the order of the ladder, whatever the job does.
TEST(Plan, LinesAreInOrder) {
  EXPECT_TRUE(rc::check([] {
    const double limit = *rc::gen::inRange(64, 1'000'000) * kMiB;
    const auto part = [&] { return *rc::gen::inRange(0, 1000) / 1000.0 * limit; };
    const Limits limits{limit, *rc::gen::arbitrary<bool>() ? part() : 0};
    const Shape shape{.floor = part(), .spike = part(), .jump = part()};
    const Outlook outlook{.bytes_per_step = part(), .save_bytes = part()};
    const auto lines = lines_of(limits, shape, outlook, {});
    RC_ASSERT(lines.freeze > (shape.jump > shape.spike ? 0.49 : 0.6) * limit);
    RC_ASSERT(lines.freeze < limit);
    RC_ASSERT(lines.last >= limit);
    RC_ASSERT(lines.top > lines.freeze);
    RC_ASSERT(lines.top < limit + limits.lendable);
    const double used = part();
    RC_ASSERT(wait_ns(used, lines) >= 1'000'000 && wait_ns(used, lines) <= 1'000'000'000);
    // Nothing that was measured gets from here to the freeze line before the next look.
    if (lines.freeze - used > 10e6) {
      RC_ASSERT(static_cast<double>(wait_ns(used, lines)) * 10 <= lines.freeze - used + 1);
    }
  }));
}

// Whatever our own processes hold, a job is asked and told to end at the same; only where the limit
// is reached in fact moves.
TEST(Plan, WhatIsOursMovesNoLineButTheTop) {
  EXPECT_TRUE(rc::check([] {
    const double limit = *rc::gen::inRange(64, 1'000'000) * kMiB;
    const auto part = [&] { return *rc::gen::inRange(0, 1000) / 1000.0 * limit; };
    const Shape shape{.floor = part(), .spike = part(), .jump = part()};
    const Outlook outlook{.bytes_per_step = part(), .save_bytes = part()};
    const double ours = part();
    const auto without = lines_of({.bytes = limit, .with_us = true}, shape, outlook, {});
    const auto with = lines_of({.bytes = limit, .ours = ours, .with_us = true}, shape, outlook, {});
    RC_ASSERT(with.freeze == without.freeze && with.limit == without.limit);
    RC_ASSERT(with.last == without.last);
    RC_ASSERT(std::abs(with.top - (without.top - ours)) < 1);
    RC_ASSERT(wait_ns(part(), with) >= 1'000'000);
  }));
}

TEST(Plan, WhatTheMachineNeedsIsNotLent) {
  const double total = 16384 * kMiB;
  EXPECT_EQ(lendable_of(1000 * kMiB, total, 0.04 * total, {}), 0);
  EXPECT_EQ(lendable_of(1000 * kMiB, total, total, {}), 256 * kMiB);
  EXPECT_EQ(lendable_of(4000 * kMiB, total, total, {}), 1000 * kMiB);
  EXPECT_EQ(lendable_of(4000 * kMiB, total, total, {.lend_bytes = 5.0}), 5);
  EXPECT_EQ(lendable_of(4000 * kMiB, total, total, {.lend = false}), 0);
}

}  // namespace
}  // namespace tidegauge::guard
