// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/goals.h"

#include <fmt/format.h>

#include <optional>

#include "bench/verdict/report.h"
#include "bench/verdict/statistics.h"

namespace tidegauge::bench {
namespace {

class Goals {
 public:
  void add(std::string what, std::optional<double> measured, Want want, double bar) {
    if (measured) all.push_back({std::move(what), *measured, want, bar});
  }
  std::vector<Goal> all{};
};

std::optional<double> percent(std::size_t part, std::size_t whole) {
  const auto share = share_of(part, whole);
  return share ? std::optional(100 * share->value) : std::nullopt;
}

void add_suite_goals(const std::vector<Outcome>& outcomes, Goals& goals) {
  const auto a = score_of(of_suite(outcomes, Suite::A));
  goals.add("suite A: leaks found, finished, %", percent(a.leaks.leak, a.leaks.all), Want::AtLeast,
            96);
  goals.add("suite A: bounded called leak, finished, %", percent(a.bounded.leak, a.bounded.all),
            Want::AtMost, 0.1);
  goals.add("suite A: AUC", a.auc, Want::AtLeast, 0.998);
  goals.add("suite A: leaks found by alarm, last look, %",
            percent(a.leaks_found_at_last_look, a.leaks.all), Want::AtLeast, 93);
  goals.add("suite A: bounded ever called leak, %", percent(a.bounded_ever_leak, a.bounded.all),
            Want::AtMost, 2);
  goals.add("suite A: undecidable abstained, %",
            percent(a.undecidable.undecided, a.undecidable.all), Want::AtLeast, 99);
  goals.add("suite A: end of growth confirmed, median / growth time",
            quantile_of(a.end_confirmations, 0.5), Want::AtMost, 0.3);
  const auto covered = percent(a.rates_covered, a.rates);
  goals.add("suite A: rate intervals cover, %", covered, Want::AtLeast, 93);
  goals.add("suite A: rate intervals cover, %", covered, Want::AtMost, 97);
  const auto twins = score_of(of_suite(outcomes, Suite::Twins));
  goals.add("leak-free twins called leak, finished, %",
            percent(twins.bounded.leak, twins.bounded.all), Want::AtMost, 0.5);
  const auto ramps = score_of(of_suite(outcomes, Suite::Ramps));
  goals.add("ramps of equal steepness ever false, %",
            percent(ramps.bounded_ever_leak, ramps.bounded.all), Want::AtMost, 10);
}

void add_class_goals(const std::vector<Outcome>& outcomes, Goals& goals) {
  struct ClassGoal {
    Suite suite;
    const char* name;
    double bar;
  };
  for (const auto& [suite, name, bar] :
       {ClassGoal{Suite::A, "warm_leak", 95}, ClassGoal{Suite::World, "warm_log_leak", 95},
        ClassGoal{Suite::World, "warm_power_leak", 95}, ClassGoal{Suite::A, "leak_epoch", 95},
        ClassGoal{Suite::A, "leak_eval", 95}, ClassGoal{Suite::A, "leak_restart", 95},
        ClassGoal{Suite::A, "leak_noisy", 65}}) {
    const auto s = score_of(of_class(outcomes, suite, name, Label::Leak));
    goals.add(std::string(name) + ": found, finished, %", percent(s.leaks.leak, s.leaks.all),
              Want::AtLeast, bar);
  }
  for (const auto& [suite, name, bar] :
       {ClassGoal{Suite::A, "arena_stairs", 18}, ClassGoal{Suite::A, "slow_cycle", 5},
        ClassGoal{Suite::A, "warm_linear", 2}}) {
    const auto s = score_of(of_class(outcomes, suite, name, Label::Bounded));
    goals.add(std::string(name) + ": ever false, %", percent(s.bounded_ever_leak, s.bounded.all),
              Want::AtMost, bar);
  }
}

}  // namespace

std::vector<Goal> goals_of(const std::vector<Outcome>& outcomes) {
  Goals goals;
  add_suite_goals(outcomes, goals);
  add_class_goals(outcomes, goals);
  return goals.all;
}

std::string goal_table(const std::vector<Goal>& goals) {
  std::string text;
  for (const auto& goal : goals)
    text +=
        fmt::format("{} {:<58} {:>8.4g}   wanted {} {:g}\n", goal.reached() ? "ok  " : "MISS",
                    goal.what, goal.measured, goal.want == Want::AtLeast ? ">=" : "<=", goal.bar);
  return text;
}

}  // namespace tidegauge::bench
