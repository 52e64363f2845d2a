// SPDX-License-Identifier: Apache-2.0
#include "guard/succession.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <vector>

#include "guard/decide.h"

namespace tidegauge::guard {
namespace {

constexpr std::int64_t kTick = kStandbyLooksNs;

TEST(Pulse, SilenceIsSeenInSeveralLooksAndNotInOneThatComesLate) {
  Pulse pulse;
  EXPECT_FALSE(pulse.is_silent(7, 0, false));
  // We were stopped ourselves.
  EXPECT_FALSE(pulse.is_silent(7, 60 * kSilentNs, false));
  EXPECT_FALSE(pulse.is_silent(8, 60 * kSilentNs + kTick, false));
  const auto since = 60 * kSilentNs + kTick;
  for (auto at = since + kTick; at < since + kSilentNs; at += kTick) {
    EXPECT_FALSE(pulse.is_silent(8, at, false));
  }
  EXPECT_FALSE(pulse.is_silent(8, since + kSilentNs, true)) << "it sets a limit";
  EXPECT_TRUE(pulse.is_silent(8, since + kSilentNs, false));
  EXPECT_FALSE(pulse.is_silent(9, since + 2 * kSilentNs, false));
}

TEST(Standby, TakesOverWhenAllBeforeItAreGone) {
  const std::array gone{State::Gone, State::Gone};
  const std::array second_lives{State::Gone, State::Lives};
  const std::array second_silent{State::Gone, State::Silent};
  EXPECT_TRUE(duty_of(StandbyLook{.ahead = gone}).take_over);
  EXPECT_FALSE(duty_of(StandbyLook{.ahead = second_lives}).take_over);
  const auto duty = duty_of(StandbyLook{.ahead = second_silent});
  EXPECT_TRUE(duty.thaw && duty.kill_silent && !duty.take_over) << "first it has to be dead";
  EXPECT_TRUE(duty_of(StandbyLook{.ahead = gone, .cleared = true}).leave);
  EXPECT_TRUE(
      duty_of(StandbyLook{.ahead = second_lives, .frozen_for_ns = kLongestFreezeNs + 1}).thaw);
}

TEST(Gauge, FillsTheLine) {
  const auto starts = [](const std::vector<GaugeLook::Member>& line) {
    const auto duty = duty_of(GaugeLook{.line = line});
    return std::vector<Kind>(duty.start.begin(), duty.start.begin() + duty.starts);
  };
  using Kinds = std::vector<Kind>;
  EXPECT_EQ(starts({}), (Kinds{Kind::Actor, Kind::Twin, Kind::Keeper}));
  EXPECT_EQ(starts({{State::Lives, Kind::Twin}, {State::Lives, Kind::Keeper}}), Kinds{Kind::Twin});
  EXPECT_EQ(starts({{State::Lives, Kind::Keeper}}), (Kinds{Kind::Twin, Kind::Keeper}));
  EXPECT_EQ(starts({{State::Silent, Kind::Actor}}), Kinds{}) << "it has to be dead first";
}

TEST(Gauge, LetsTheJobGoOnWhereNobodyElseCan) {
  const std::array silent{GaugeLook::Member{State::Silent, Kind::Actor},
                          GaugeLook::Member{State::Silent, Kind::Twin}};
  const auto duty = duty_of(GaugeLook{.line = silent});
  EXPECT_TRUE(duty.thaw && duty.kill[0] && duty.kill[1]);
  const std::array one_lives{GaugeLook::Member{State::Silent, Kind::Actor},
                             GaugeLook::Member{State::Lives, Kind::Twin},
                             GaugeLook::Member{State::Silent, Kind::Keeper}};
  const auto other = duty_of(GaugeLook{.line = one_lives});
  EXPECT_TRUE(!other.thaw && !other.kill[0] && other.kill[2]) << "its twin sees to the first";
}

TEST(Patience, EndsWhereOursDieAllTheTime) {
  Patience patience;
  for (int i = 0; i < 29; ++i) patience.died(i);
  EXPECT_FALSE(patience.is_over(30));
  patience.died(29);
  EXPECT_TRUE(patience.is_over(30));
  EXPECT_FALSE(patience.is_over(70'000'000'000));
}

Acts acts_of(std::initializer_list<Act> list) {
  Acts acts;
  for (const auto act : list) acts.add(act);
  return acts;
}

TEST(Resumption, WhatHasTakenEffectIsNotDoneAgain) {
  const auto asks = acts_of({Act::Freeze, Act::Lend, Act::AskStop, Act::Thaw, Act::TellNear});
  EXPECT_FALSE(resumption_of(asks, 2, false).took_effect);
  EXPECT_TRUE(resumption_of(asks, 2, true).took_effect) << "the request is on the page";
  EXPECT_TRUE(resumption_of(asks, 3, true).took_effect);
  EXPECT_TRUE(resumption_of(asks, 3, true).tell.has(Act::TellNear));
  const auto tells = acts_of({Act::TellSaved});
  EXPECT_FALSE(resumption_of(tells, 0, false).took_effect);
  EXPECT_TRUE(resumption_of(tells, 1, false).took_effect);
}

TEST(Resumption, AKillIsFinished) {
  const auto kills = acts_of({Act::Evidence, Act::Kill});
  EXPECT_TRUE(resumption_of(kills, 0, false).kill);
  EXPECT_TRUE(resumption_of(kills, 1, false).kill);
  EXPECT_FALSE(resumption_of(kills, 2, false).kill);
  EXPECT_TRUE(resumption_of(kills, 2, false).took_effect);
}

}  // namespace
}  // namespace tidegauge::guard
