// SPDX-License-Identifier: Apache-2.0
// How often what is watched is judged: as its cost allows, often in the beginning, rarely where
// nothing happens.
#pragma once

#include <cstdint>

namespace tidegauge::cli {

// How long a verdict stands before another is worth its cost.
struct JudgePace {
  double share_of_a_core;
  double at_first;  // in the beginning, when everything is news: of the time watched so far
  double rarely;    // after an hour a second more changes nothing: the same
  double soonest_seconds;
  double latest_seconds;
};

// A tree that holds what it held when it was judged last has little news: time goes by, no more.
struct JudgePaces {
  JudgePace moving;
  JudgePace quiet;
  JudgePace known;  // quiet, and the class of its verdict is known: there can only be less doubt
};

inline constexpr JudgePaces kJudgeTree{.moving = {.share_of_a_core = 0.0001,
                                                  .at_first = 1.0 / 3,
                                                  .rarely = 1.0 / 50,
                                                  .soonest_seconds = 2,
                                                  .latest_seconds = 60},
                                       .quiet = {.share_of_a_core = 0.00002,
                                                 .at_first = 1,
                                                 .rarely = 1.0 / 20,
                                                 .soonest_seconds = 2,
                                                 .latest_seconds = 60},
                                       .known = {.share_of_a_core = 0.00002,
                                                 .at_first = 5,
                                                 .rarely = 1.0 / 20,
                                                 .soonest_seconds = 2,
                                                 .latest_seconds = 60}};
// Of single processes: some dozens, 8 ms for 25 of them, and nobody waits for them. They also
// follow the tree's.
inline constexpr JudgePaces kJudgeAll{.moving = {.share_of_a_core = 0.0001,
                                                 .at_first = 4,
                                                 .rarely = 1.0 / 20,
                                                 .soonest_seconds = 8,
                                                 .latest_seconds = 120},
                                      .quiet = {.share_of_a_core = 0.00002,
                                                .at_first = 4,
                                                .rarely = 1.0 / 10,
                                                .soonest_seconds = 30,
                                                .latest_seconds = 240},
                                      .known = {.share_of_a_core = 0.00002,
                                                .at_first = 4,
                                                .rarely = 1.0 / 10,
                                                .soonest_seconds = 30,
                                                .latest_seconds = 240}};

// A judgement that was made.
struct LastVerdict {
  std::int64_t at_ns = 0;  // since the recording began
  double held_bytes = 0;   // by the tree
  double cost_seconds = 0;
  bool known = false;  // the tree's class

  bool is_due(const JudgePaces& paces, std::int64_t now_ns, double held_now) const;
};

}  // namespace tidegauge::cli
