// SPDX-License-Identifier: Apache-2.0
// The numbers that the engine has to show, beside what it shows.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/verdict/report.h"
#include "bench/verdict/statistics.h"

namespace tidegauge::bench {
namespace {

enum class Want { AtLeast, AtMost };

std::string goal(const std::string& what, std::optional<double> measured, Want want, double bar) {
  if (!measured) return "";
  const bool good = want == Want::AtLeast ? *measured >= bar : *measured <= bar;
  return fmt::format("{} {:<58} {:>8.4g}   wanted {} {:g}\n", good ? "ok  " : "MISS", what,
                     *measured, want == Want::AtLeast ? ">=" : "<=", bar);
}

std::optional<double> percent(std::size_t part, std::size_t whole) {
  const auto share = share_of(part, whole);
  return share ? std::optional(100 * share->value) : std::nullopt;
}

std::string class_goals(const std::vector<Outcome>& outcomes) {
  struct LeakGoal {
    const char* name;
    double found;
  };
  struct BoundedGoal {
    const char* name;
    double ever_false;
  };
  std::string text;
  for (const auto& [name, found] :
       {LeakGoal{"warm_leak", 95}, LeakGoal{"leak_epoch", 95}, LeakGoal{"leak_eval", 95},
        LeakGoal{"leak_restart", 95}, LeakGoal{"leak_noisy", 65}}) {
    const auto s = score_of(of_class(outcomes, Suite::A, name, Label::Leak));
    text += goal(std::string(name) + ": found, finished, %", percent(s.leaks.leak, s.leaks.all),
                 Want::AtLeast, found);
  }
  for (const auto& [name, ever] : {BoundedGoal{"arena_stairs", 18}, BoundedGoal{"slow_cycle", 5},
                                   BoundedGoal{"warm_linear", 2}}) {
    const auto s = score_of(of_class(outcomes, Suite::A, name, Label::Bounded));
    text += goal(std::string(name) + ": ever false, %", percent(s.bounded_ever_leak, s.bounded.all),
                 Want::AtMost, ever);
  }
  return text;
}

}  // namespace

std::string goal_table(const std::vector<Outcome>& outcomes) {
  const auto a = score_of(of_suite(outcomes, Suite::A));
  const auto twins = score_of(of_suite(outcomes, Suite::Twins));
  const auto ramps = score_of(of_suite(outcomes, Suite::Ramps));
  const auto covered = percent(a.rates_covered, a.rates);
  std::string text;
  text += goal("suite A: leaks found, finished, %", percent(a.leaks.leak, a.leaks.all),
               Want::AtLeast, 96);
  text += goal("suite A: bounded called leak, finished, %", percent(a.bounded.leak, a.bounded.all),
               Want::AtMost, 0.1);
  text += goal("suite A: AUC", a.auc, Want::AtLeast, 0.998);
  text += goal("suite A: leaks found by alarm, last look, %",
               percent(a.leaks_found_at_last_look, a.leaks.all), Want::AtLeast, 93);
  text += goal("suite A: bounded ever called leak, %", percent(a.bounded_ever_leak, a.bounded.all),
               Want::AtMost, 2);
  text += goal("suite A: undecidable abstained, %",
               percent(a.undecidable.undecided, a.undecidable.all), Want::AtLeast, 99);
  text += goal("suite A: end of growth confirmed, median / growth time",
               quantile_of(a.end_confirmations, 0.5), Want::AtMost, 0.3);
  text += goal("suite A: rate intervals cover, %", covered, Want::AtLeast, 93);
  text += goal("suite A: rate intervals cover, %", covered, Want::AtMost, 97);
  text += goal("leak-free twins called leak, finished, %",
               percent(twins.bounded.leak, twins.bounded.all), Want::AtMost, 0.5);
  text += goal("ramps of equal steepness ever false, %",
               percent(ramps.bounded_ever_leak, ramps.bounded.all), Want::AtMost, 10);
  return text + class_goals(outcomes);
}

}  // namespace tidegauge::bench
