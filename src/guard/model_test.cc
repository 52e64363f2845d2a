// SPDX-License-Identifier: Apache-2.0
// Schedules of kills, stops, sleeps and full disks, in the model: no job stays frozen, none is
// killed that the rules spare, none is lost without a word.
#include "guard/model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "guard/succession.h"

namespace tidegauge::guard {
namespace {

using Event = Schedule::Event;
using Harm = Schedule::Harm;
using Moment = Schedule::Moment;

Event an_event(std::mt19937_64& random) {
  const auto below = [&random](std::uint64_t most) { return random() % most; };
  Event event;
  event.moment = static_cast<Moment>(below(7));
  const auto how = below(3);
  if (how == 0) event.calls = static_cast<int>(below(60));
  if (how == 1) event.after_ns = static_cast<std::int64_t>(below(3'000'000'000));
  const auto harm = below(8);
  event.harm = harm < 5 ? Harm::Kill : harm < 7 ? Harm::Stop : Harm::Continue;
  // Mostly of the line; now and then of all of them at once.
  for (std::size_t i = 0; i < kLine; ++i) event.whom[i] = below(2) == 0;
  event.whom[Schedule::kGauge] = below(8) == 0;
  event.whom[Schedule::kLooker] = below(4) == 0;
  if (below(16) == 0) {
    event.whom = {};
    event.nothing_runs_ns = static_cast<std::int64_t>(below(40'000'000'000));
  }
  return event;
}

Schedule a_schedule(std::uint64_t seed) {
  std::mt19937_64 random(seed * 7919 + 1);
  Schedule schedule{.seed = seed};
  schedule.manner = static_cast<Schedule::Manner>(random() % 6);
  schedule.by_signals = random() % 5 == 0;
  schedule.forks_fail = random() % 10 == 0;
  schedule.bytes_per_step = 5e6 + static_cast<double>(random() % 20) * 1e6;
  schedule.steps = 200 + static_cast<int>(random() % 300);
  const bool only_kills = random() % 3 == 0;
  for (auto count = 1 + random() % 5; count > 0; --count) {
    schedule.events.push_back(an_event(random));
    if (only_kills) {
      schedule.events.back().harm = Harm::Kill;
      schedule.events.back().nothing_runs_ns = 0;
    }
  }
  return schedule;
}

struct Sum {
  Model::Counts counts{};
  int wrong = 0;
  std::string first{};
};

Sum run_all(std::uint64_t from, std::uint64_t to, Schedule::Plant plant, bool aloud = false) {
  Sum sum;
  for (auto seed = from; seed < to; ++seed) {
    auto schedule = a_schedule(seed);
    schedule.plant = plant;
    schedule.aloud = aloud;
    Model model(schedule);
    model.run();
    const auto& one = model.counts();
    auto& all = sum.counts;
    all.deaths += one.deaths;
    all.frozen_deaths += one.frozen_deaths;
    all.takeovers += one.takeovers;
    all.kills += one.kills;
    all.kernel_kills += one.kernel_kills;
    all.stops += one.stops;
    all.all_dead += one.all_dead;
    all.longest_freeze_ns = std::max(all.longest_freeze_ns, one.longest_freeze_ns);
    if (model.wrong().empty()) continue;
    if (sum.wrong++ < 5) sum.first += fmt::format("schedule {}: {}\n", seed, model.wrong().front());
  }
  return sum;
}

std::optional<std::uint64_t> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : std::optional(std::strtoull(text, nullptr, 10));
}

// TIDEGAUGE_SCHEDULES=100000: more of them. TIDEGAUGE_SCHEDULE=17: what happens in that one.
TEST(Model, NoScheduleFreezesOrLosesAJob) {
  const auto only = number_in("TIDEGAUGE_SCHEDULE");
  const auto count = number_in("TIDEGAUGE_SCHEDULES").value_or(1'000);
  const auto sum = run_all(only.value_or(0), only ? *only + 1 : count, Schedule::Plant::Nothing,
                           only.has_value());
  EXPECT_EQ(sum.wrong, 0) << sum.first;
  const auto& all = sum.counts;
  fmt::print(
      "{} of ours killed, {} of these while the job was frozen; {} took over; jobs: {} "
      "stopped, {} killed by the guard, {} by the kernel, {} left alone by all of ours; "
      "longest freeze {:.2f} s\n",
      all.deaths, all.frozen_deaths, all.takeovers, all.stops, all.kills, all.kernel_kills,
      all.all_dead, static_cast<double>(all.longest_freeze_ns) / 1e9);
}

// What is planted is found out.
TEST(Model, SeesWhatIsPlanted) {
  using Plant = Schedule::Plant;
  constexpr std::uint64_t kAtMost = 500;
  // Begun near one that finds it out, which saves time.
  for (const auto& [plant, from] :
       {std::pair(Plant::StandbysSeeNoDeath, 230), std::pair(Plant::NobodySeesSilence, 535),
        std::pair(Plant::GaugeIsBlind, 0), std::pair(Plant::NothingIsCarried, 0),
        std::pair(Plant::KillsTooEarly, 0)}) {
    Sum sum;
    auto seed = static_cast<std::uint64_t>(from);
    const auto until = seed + kAtMost;
    while (sum.wrong == 0 && seed < until) {
      sum = run_all(seed, seed + 1, plant);
      ++seed;
    }
    EXPECT_GT(sum.wrong, 0) << static_cast<int>(plant);
    fmt::print("{}: {}", static_cast<int>(plant), sum.first);
  }
}

}  // namespace
}  // namespace tidegauge::guard
