// SPDX-License-Identifier: Apache-2.0
#include "verdict/earlier.h"

#include <gtest/gtest.h>

#include "verdict/fake_recording.h"

namespace tidegauge::verdict {
namespace {

constexpr double kGibibyte = 1073741824;

EarlierRun settled_at(double seconds, std::optional<double> step = {}) {
  return {.klass = Class::WarmUp,
          .level_bytes = 17 * kGibibyte,
          .settled_seconds = seconds,
          .settled_step = step};
}

TEST(Earlier, ThreeRunsThatSettledAreAHabit) {
  const auto minutes = [](std::vector<EarlierRun> runs) {
    return learned_from(std::move(runs), {}).longest_warm_up_minutes;
  };
  EXPECT_EQ(minutes({settled_at(600), settled_at(600)}), 40);
  EXPECT_EQ(minutes({settled_at(600), settled_at(480), settled_at(500)}), 15);
  EXPECT_EQ(minutes({settled_at(6000), settled_at(5000), settled_at(5500)}), 150);
  EXPECT_EQ(minutes({settled_at(5), settled_at(5), settled_at(5)}), 10) << "short tries";
  const std::vector<EarlierRun> by_step(3, settled_at(900, 83));
  EXPECT_EQ(learned_from(by_step, {}).longest_warm_up_steps, 124.5);
}

TEST(Earlier, RunsThatLeakedTeachNothing) {
  EarlierRun leaked = settled_at(9000);
  leaked.klass = Class::Leak;
  EXPECT_EQ(learned_from({leaked, leaked}, {}).longest_warm_up_minutes, 40);
  EXPECT_EQ(say_earlier({settled_at(1), leaked}), "The last run of this command leaked.");
}

TEST(Earlier, SaysWhatIsUsual) {
  EXPECT_EQ(say_earlier({settled_at(700, 83), settled_at(700, 83), settled_at(710, 84)}),
            "The last 3 runs of this command settled at 17.0\u00a0GiB, step 83 to 84.");
  EXPECT_EQ(say_earlier({}), "");
}

// A ramp of eight minutes is nothing odd, unless this command always settled within four.
TEST(Earlier, DecidesWhatOneRunCannot) {
  FakeRecording recording;
  for (int i = 0; i < 480; ++i) recording.anon(i, {{{10, 1}, (500.0 + 0.5 * i) * 1048576}});
  const auto alone = judge(recording.get(), {}).all.front();
  EXPECT_EQ(alone.klass, Class::Undecided) << alone.p_leak;
  const auto rules = learned_from({settled_at(200), settled_at(190), settled_at(210)}, {});
  const auto knowing = judge(recording.get(), rules).all.front();
  EXPECT_EQ(knowing.klass, Class::Leak) << knowing.p_leak;
  const auto& said = knowing.evidence;
  EXPECT_NE(std::find_if(said.begin(), said.end(),
                         [](const auto& sentence) {
                           return sentence.find("of this command settled") != std::string::npos;
                         }),
            said.end());
}

}  // namespace
}  // namespace tidegauge::verdict
