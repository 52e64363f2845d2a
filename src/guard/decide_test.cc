// SPDX-License-Identifier: Apache-2.0
#include "guard/decide.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace tidegauge::guard {
namespace {

constexpr double kMiB = 1024.0 * 1024;
constexpr double kLimit = 1000 * kMiB;
constexpr Means kAll{.freeze = true, .limit = true, .kill = true, .asked = true};

// A job whose memory is a function of time, and that answers requests after a while.
class World {
 public:
  World(const Settings& settings, double lendable, const Means& means)
      : ladder_(settings), lendable_(lendable), means_(means) {}

  double answers_after = 0.2;
  bool ends_when_asked = true;
  bool saves = true;
  bool catches_term = false;
  bool somebody_looks = false;
  double ran_before = 0;
  Outlook outlook{};
  // What our own processes hold of the same limit; empty: it is the job's alone.
  std::function<double(double)> ours{};

  // Runs until the job has ended or `seconds` are over.
  void run(double seconds, const std::function<double(double)>& used) {
    for (now_ = 0; now_ < seconds && !ended; now_ += 0.01) {
      const auto at = static_cast<std::int64_t>(now_ * 1e9);
      track_.add(at, used(now_));
      if (requested_ && now_ >= requested_at_ + answers_after) answer();
      Look look{.at_ns = at,
                .used = used(now_),
                .limits = {.bytes = kLimit,
                           .lendable = lendable_,
                           .ours = ours ? ours(now_) : 0,
                           .with_us = static_cast<bool>(ours)},
                .shape = track_.shape(),
                .outlook = outlook,
                .means = means_,
                .heard = heard_,
                .frozen = frozen_,
                .lent = lent_,
                .catches_term = catches_term,
                .evidence = somebody_looks,
                .evidence_seconds = looked_seconds,
                .ran_seconds = now_ + ran_before};
      for (bool again = true; again;) {
        again = false;
        look.frozen = frozen_;
        look.lent = lent_;
        const auto acts = ladder_.decide(look);
        if (acts.has(Act::Evidence)) looked_seconds += acts.evidence_seconds;
        for (std::size_t i = 0; i < acts.count; ++i) again = apply(acts.list[i]) || again;
      }
      EXPECT_TRUE(ended || !frozen_) << "left frozen";
      if (used(now_) >= kLimit + (lent_ ? lendable_ : 0)) kernel_killed = ended = true;
    }
  }

  std::vector<std::pair<double, Act>> done{};  // when, and what
  int ends_asked = 0;                          // for its time, counted in stops_asked too
  int saves_asked = 0, stops_asked = 0, terms = 0, kills = 0, loans = 0, returned = 0, told = 0;
  int looks = 0;
  double looked_seconds = 0;
  bool kernel_killed = false;
  bool ended = false;
  double asked_first = -1;
  double now() const { return now_; }

 private:
  void answer() {
    heard_ = saves ? Heard::Saved : Heard::NotSaved;
    if (saves && stop_ && ends_when_asked) ended = true;
  }
  bool apply(Act act) {
    done.emplace_back(now_, act);
    switch (act) {
      case Act::Freeze:
        EXPECT_FALSE(frozen_);
        frozen_ = true;
        break;
      case Act::Thaw:
        EXPECT_TRUE(frozen_);
        frozen_ = false;
        break;
      case Act::LookAgain:
        return true;
      case Act::Evidence:
        EXPECT_TRUE(frozen_) << "what moves must not be looked into";
        EXPECT_FALSE(stop_ && requested_ && heard_ == Heard::Nothing) << "it is held up";
        ++looks;
        break;
      case Act::Lend:
        ++loans;
        lent_ = true;
        break;
      case Act::TakeBack:
        EXPECT_TRUE(lent_);
        ++returned;
        lent_ = false;
        break;
      case Act::AskSave:
      case Act::AskStop:
      case Act::AskEnd:
        stop_ = act != Act::AskSave;
        ends_asked += act == Act::AskEnd ? 1 : 0;
        ++(stop_ ? stops_asked : saves_asked);
        if (asked_first < 0) asked_first = now_;
        requested_ = true;
        requested_at_ = now_;
        heard_ = Heard::Nothing;
        break;
      case Act::Terminate:
        ++terms;
        break;
      case Act::Kill:
        EXPECT_TRUE(frozen_ || !means_.freeze);
        ++kills;
        ended = true;
        break;
      case Act::TellNear:
      case Act::TellSaved:
      case Act::TellNotSaved:
        ++told;
        break;
    }
    return false;
  }

  Ladder ladder_;
  double lendable_;
  Means means_;
  Track track_{};
  double now_ = 0;
  bool frozen_ = false, lent_ = false, requested_ = false, stop_ = false;
  double requested_at_ = 0;
  Heard heard_ = Heard::Nothing;
};

double leak(double at) {
  return (300 + 20 * at) * kMiB;
}

TEST(Ladder, ALeakingJobSavesAndEnds) {
  for (const double lendable : {0.0, 300 * kMiB}) {
    World world({}, lendable, kAll);
    world.run(600, leak);
    EXPECT_EQ(world.stops_asked, 1) << lendable;
    EXPECT_EQ(world.kills + world.terms, 0) << lendable << " at " << world.now();
    EXPECT_FALSE(world.kernel_killed);
    EXPECT_TRUE(world.ended);
  }
}

TEST(Ladder, OneThatDoesNotEndGetsTimeThenSigtermThenTimeThenIsKilled) {
  World world({}, 0, kAll);
  world.ends_when_asked = false;
  // It stands still once it is near: what counts here is time.
  world.run(200, [](double at) { return std::min(leak(at), 955 * kMiB); });
  EXPECT_EQ(world.stops_asked, 1);
  EXPECT_EQ(world.terms, 1);
  EXPECT_EQ(world.kills, 1);
}

double steady(double /*at*/) {
  return 300 * kMiB;
}

TEST(Ladder, OneWhoseTimeIsUpSavesAndEnds) {
  World world({.chunk_seconds = 60}, 0, kAll);
  world.run(600, steady);
  EXPECT_EQ(world.ends_asked, 1);
  EXPECT_EQ(world.stops_asked + world.saves_asked, 1);
  EXPECT_TRUE(world.ended);
  EXPECT_NEAR(world.now(), 60, 1);
}

TEST(Ladder, OneThatCannotSaveWhenItsTimeIsUpGoesOnAndIsAskedAgain) {
  World world({.chunk_seconds = 60}, 0, kAll);
  world.saves = false;
  world.run(300, steady);
  EXPECT_GE(world.ends_asked, 3);
  EXPECT_LE(world.ends_asked, 5);
  EXPECT_EQ(world.terms + world.kills, 0);
  EXPECT_FALSE(world.ended);
}

TEST(Ladder, ThatItsTimeIsUpIsNoReasonToEndOneThatNobodyCanAsk) {
  World world({.chunk_seconds = 60}, 0, {.freeze = true, .limit = true, .kill = true});
  world.catches_term = true;
  world.run(600, steady);
  EXPECT_EQ(world.stops_asked + world.terms + world.kills, 0);
}

TEST(Ladder, OneThatNobodyCanAskIsKilledOnlyAtTheTop) {
  World world({}, 0, {.freeze = true, .limit = true, .kill = true, .asked = false});
  world.run(600, leak);
  EXPECT_EQ(world.saves_asked + world.stops_asked + world.terms, 0);
  EXPECT_EQ(world.kills, 1);
  EXPECT_FALSE(world.kernel_killed);
}

TEST(Ladder, OneThatCatchesSigtermGetsThat) {
  World world({}, 0, {.freeze = true, .limit = true, .kill = true, .asked = false});
  world.catches_term = true;
  world.run(40, [](double at) { return std::min(leak(at), 985 * kMiB); });
  EXPECT_EQ(world.terms, 1);
}

TEST(Ladder, WithoutAGroupNothingIsKilled) {
  World world({}, 0, {.asked = true});
  world.answers_after = 1e9;
  world.run(600, leak);
  EXPECT_EQ(world.kills, 0);
  EXPECT_TRUE(world.kernel_killed);
  EXPECT_GE(world.told, 1);
}

TEST(Ladder, EachRungCanBeSwitchedOff) {
  World quiet({.ask = false, .stop = false, .kill = false}, 300 * kMiB, kAll);
  quiet.run(600, leak);
  EXPECT_EQ(quiet.saves_asked + quiet.stops_asked + quiet.terms + quiet.kills, 0);
  EXPECT_TRUE(quiet.kernel_killed);
}

TEST(Ladder, AFullDiskIsNotWrittenTo) {
  World world({}, 0, kAll);
  world.outlook.disk_full = true;
  world.run(600, leak);
  EXPECT_EQ(world.saves_asked + world.stops_asked, 0);
  EXPECT_EQ(world.kills, 1);
}

TEST(Ladder, AVerdictThatGrowthEndsIsBelieved) {
  World world({}, 0, kAll);
  world.outlook.word = Outlook::Word::Ends;
  world.run(600, [](double at) { return std::min(leak(at), 950 * kMiB); });
  EXPECT_EQ(world.stops_asked + world.terms + world.kills, 0);
}

TEST(Ladder, ALoanIsTakenBack) {
  World world({}, 300 * kMiB, kAll);
  world.run(60, [](double at) { return (at > 20 && at < 22 ? 990 : 400) * kMiB; });
  EXPECT_EQ(world.loans, 1);
  EXPECT_EQ(world.returned, 1);
  EXPECT_EQ(world.saves_asked, 1);
  EXPECT_EQ(world.stops_asked + world.terms + world.kills, 0);
}

// Spikes to 95 % of the limit at any rhythm, warm-ups to 90 % of any length.
TEST(Ladder, NothingHealthyIsHarmed) {
  EXPECT_TRUE(rc::check([] {
    const double floor = *rc::gen::inRange(10, 80) / 100.0;
    const double peak = *rc::gen::inRange(80, 96) / 100.0;
    const double period = *rc::gen::inRange(5, 400) / 10.0;
    const double share = *rc::gen::inRange(1, 90) / 100.0;
    const double warm_up = *rc::gen::inRange(1, 100) / 10.0;
    const double lendable = *rc::gen::element(0.0, 100 * kMiB, 300 * kMiB);
    World world({}, lendable, kAll);
    world.run(150, [&](double at) {
      const double ramp = floor * (1 - std::exp(-at / warm_up));
      const bool spike = at > warm_up && std::fmod(at, period) < share * period;
      return kLimit * (spike ? peak : ramp);
    });
    RC_ASSERT(world.stops_asked == 0 && world.terms == 0 && world.kills == 0);
    RC_ASSERT(!world.kernel_killed);
    RC_ASSERT(world.saves_asked <= 150 / 60 + 1);
  }));
}

// The spike adds to the ramp as much as each part of it did.
TEST(Ladder, ASpikeAtTheEndOfAWarmUpIsNoMoreOfIt) {
  World world({}, 0, kAll);
  world.run(150, [](double at) {
    const double ramp = 0.65 * (1 - std::exp(-at / 7));
    const bool spike = at > 7 && std::fmod(at, 15.1) < 0.7 * 15.1;
    return kLimit * (spike ? 0.91 : ramp);
  });
  EXPECT_EQ(world.stops_asked + world.terms + world.kills, 0);
}

TEST(Ladder, WarmUpsToNinetyPercentGoOn) {
  for (const double seconds : {1.0, 3.0, 10.0, 30.0, 100.0}) {
    for (const double lendable : {0.0, 300 * kMiB}) {
      World world({}, lendable, kAll);
      world.run(seconds * 4,
                [&](double at) { return 0.9 * kLimit * (1 - std::exp(-at / seconds)); });
      EXPECT_EQ(world.stops_asked + world.terms + world.kills, 0) << seconds;
      World ramp({}, lendable, kAll);
      ramp.run(seconds * 4, [&](double at) { return 0.9 * kLimit * std::min(at / seconds, 1.0); });
      EXPECT_EQ(ramp.stops_asked + ramp.terms + ramp.kills, 0) << "straight, " << seconds;
    }
  }
}

// Whatever memory and answers do: a job is only killed frozen and at the top, or after it was told
// to end and had its time; and it is never left frozen (World checks both on its way).
TEST(Ladder, KillsOnlyAtTheTopOrAfterGrace) {
  EXPECT_TRUE(rc::check([] {
    const auto points = *rc::gen::container<std::vector<int>>(40, rc::gen::inRange(0, 1300));
    const Means means{.freeze = *rc::gen::arbitrary<bool>(),
                      .limit = true,
                      .kill = *rc::gen::arbitrary<bool>(),
                      .asked = *rc::gen::arbitrary<bool>()};
    World world({}, *rc::gen::element(0.0, 200 * kMiB), means);
    world.catches_term = *rc::gen::arbitrary<bool>();
    world.ends_when_asked = *rc::gen::arbitrary<bool>();
    world.answers_after = *rc::gen::inRange(0, 20);
    double highest = 0;
    world.run(40, [&](double at) {
      const double used = points[static_cast<std::size_t>(at)] * kMiB;
      highest = std::max(highest, used);
      return used;
    });
    if (world.kills > 0) {
      RC_ASSERT(means.kill);
      RC_ASSERT(highest >= 0.98 * kLimit || world.terms > 0);
    }
    if (highest < 0.49 * kLimit)
      RC_ASSERT(world.stops_asked + world.terms + world.saves_asked == 0);
  }));
}

// The law: whatever our own processes take of what the job may have, and whenever they give it
// back, the same is done to the job at the same time, as long as the limit is not reached in fact.
TEST(Ladder, WhatWeTakeIsNoReasonForAnything) {
  EXPECT_TRUE(rc::check([] {
    const auto points = *rc::gen::container<std::vector<int>>(30, rc::gen::inRange(100, 975));
    const auto taken = *rc::gen::container<std::vector<int>>(300, rc::gen::inRange(0, 900));
    const bool steady = *rc::gen::arbitrary<bool>();
    const bool leaks = *rc::gen::arbitrary<bool>();
    const auto used = [&](double at) {
      const double spikes = points[static_cast<std::size_t>(at)];
      return (leaks ? std::min(200 + 40 * at, 975.0) : spikes) * kMiB;
    };
    const auto ours = [&](double at) {
      const double some = steady ? 20 : taken[static_cast<std::size_t>(at * 10)];
      return std::min(some * kMiB, 0.985 * kLimit - used(at));
    };
    const auto acts_with = [&](const std::function<double(double)>& with) {
      World world({}, 0, kAll);
      world.ours = with;
      world.ends_when_asked = false;
      world.run(29, used);
      return world.done;
    };
    const auto none = [](double /*at*/) { return 0.0; };
    RC_ASSERT(acts_with(ours) == acts_with(none));
  }));
}

// As recorded: a healthy Python of 295 MiB in small objects, and a census of it. What the census
// knows is held beside the job (third column); pages that the job writes to meanwhile are there
// twice, in its own group (second column, all of that group). Seconds, MiB, MiB.
constexpr double kCensus[][3] = {
    {0.0, 295, 4},   {0.3, 300, 9},   {0.5, 339, 88},  {0.6, 377, 104}, {0.8, 419, 120},
    {0.9, 457, 138}, {1.3, 457, 168}, {1.6, 457, 242}, {2.0, 457, 288}, {2.3, 457, 316},
    {2.7, 457, 347}, {3.0, 457, 371}, {3.3, 457, 403}, {3.5, 457, 108}, {3.8, 457, 205},
    {4.1, 457, 317}, {4.2, 457, 225}, {4.5, 457, 318}, {4.7, 457, 271}, {4.9, 457, 12},
    {5.0, 296, 6},   {5.3, 295, 5},
};

TEST(Ladder, ACensusIsNoReasonToAskAHealthyJob) {
  constexpr double kLimitOfAll = 870 * kMiB;
  constexpr double kJob = 295 * kMiB;
  const auto asked = [&](bool take_off_what_is_ours) {
    Ladder ladder{Settings{}};
    Track track;
    int count = 0;
    const auto look_at = [&](double at, double group, double beside) {
      const double inside = std::max(group - kJob, 0.0);
      const double used = take_off_what_is_ours ? group - inside : group;
      const auto at_ns = static_cast<std::int64_t>(at * 1e9);
      track.add(at_ns, used);
      const Limits limits =
          take_off_what_is_ours
              ? Limits{.bytes = kLimitOfAll, .ours = inside + beside, .with_us = true}
              : Limits{.bytes = kLimitOfAll - beside};
      const auto acts = ladder.decide({.at_ns = at_ns,
                                       .used = used,
                                       .limits = limits,
                                       .shape = track.shape(),
                                       .means = kAll,
                                       .ran_seconds = at});
      EXPECT_FALSE(acts.has(Act::Kill) || acts.has(Act::LookAgain));
      count += acts.has(Act::AskSave) || acts.has(Act::AskStop) || acts.has(Act::TellNear) ? 1 : 0;
    };
    for (double at = 0; at < 8; at += 0.02) {  // it fills, and stands still
      look_at(at, std::min(20 + 50 * at, 295.0) * kMiB, 4 * kMiB);
    }
    for (const auto& [at, group, beside] : kCensus) look_at(8 + at, group * kMiB, beside * kMiB);
    return count;
  };
  EXPECT_EQ(asked(true), 0);
  EXPECT_GE(asked(false), 1) << "what this test is about";
}

TEST(Ladder, LooksIntoWhatIsToEndBeforeItIsAsked) {
  World world({}, 250 * kMiB, kAll);
  world.somebody_looks = true;
  world.run(120, leak);
  EXPECT_EQ(world.stops_asked, 1);
  EXPECT_EQ(world.looks, 1);
  EXPECT_EQ(world.looked_seconds, Settings{}.evidence_seconds);
}

TEST(Ladder, LooksIntoWhatIsKilledOrTerminated) {
  auto means = kAll;
  means.asked = false;
  World killed({}, 0, means);
  killed.somebody_looks = true;
  killed.run(120, leak);
  EXPECT_EQ(killed.kills, 1);
  EXPECT_EQ(killed.looks, 1);
  World terminated({}, 0, means);
  terminated.somebody_looks = terminated.catches_term = true;
  terminated.run(40, leak);
  EXPECT_EQ(terminated.terms, 1);
  EXPECT_EQ(terminated.looks, 1);
}

TEST(Ladder, LooksIntoNothingWhereNobodyCanOrMay) {
  World nobody({}, 250 * kMiB, kAll);
  nobody.run(120, leak);
  EXPECT_EQ(nobody.looks, 0);
  World switched_off({.evidence = false}, 250 * kMiB, kAll);
  switched_off.somebody_looks = true;
  switched_off.run(120, leak);
  EXPECT_EQ(switched_off.looks, 0);
  auto means = kAll;
  means.freeze = false;
  World runs_on({}, 250 * kMiB, means);
  runs_on.somebody_looks = true;
  runs_on.run(120, leak);
  EXPECT_EQ(runs_on.looks, 0);
}

// One that goes on is held up for half a percent of its time, and not at all while that is too
// short to see anything.
TEST(Ladder, AHealthyJobIsHardlyHeldUp) {
  const auto peaks = [](double at) { return (std::fmod(at, 20) > 19 ? 970 : 500) * kMiB; };
  World young({}, 250 * kMiB, kAll);
  young.somebody_looks = true;
  young.run(40, peaks);
  EXPECT_GE(young.saves_asked, 1);
  EXPECT_EQ(young.looks, 0);
  World old({}, 250 * kMiB, kAll);
  old.somebody_looks = true;
  old.ran_before = 300;
  old.run(40, peaks);
  EXPECT_GE(old.saves_asked, 1);
  EXPECT_EQ(old.looks, 1);
  EXPECT_LE(old.looked_seconds, 0.005 * (300 + 40));
}

}  // namespace
}  // namespace tidegauge::guard
