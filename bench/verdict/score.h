// SPDX-License-Identifier: Apache-2.0
// Outcomes as numbers. Never one number: what is said of a finished recording, what is said while
// it runs, and whether stated probabilities and intervals mean what they say.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "bench/verdict/outcome.h"

namespace tidegauge::bench {

struct Tally {  // of series
  std::size_t all = 0;
  std::size_t leak = 0;       // called a leak
  std::size_t undecided = 0;  // abstained
};

struct Score {
  // Finished recordings.
  Tally leaks{};
  Tally bounded{};
  Tally undecidable{};
  std::size_t labels = 0;  // series of which the right verdicts are known…
  std::size_t labels_right = 0;
  std::optional<double> auc{};
  std::optional<double> found_at_1_percent{};
  std::optional<double> found_at_03_percent{};
  std::optional<double> found_at_01_percent{};

  // Forty looks. A look before the onset of a leak that says "leak" is false as well.
  std::size_t leaks_found_at_last_look = 0;
  std::size_t leaks_found_at_some_look = 0;
  std::size_t leaks_called_before_onset = 0;
  std::size_t bounded_ever_leak = 0;
  std::size_t undecidable_ever_leak = 0;
  std::vector<double> delay_minutes{};  // from onset to the first look that says so
  std::size_t changes_of_mind = 0;      // into and out of "leak", all series

  // Rates of leaks that were called so.
  std::size_t rates = 0;
  std::size_t rates_covered = 0;      // by the stated interval
  std::vector<double> rate_errors{};  // |stated - true| / true
  std::vector<double> rate_widths{};  // (high - low) / true
  std::size_t step_rates = 0;
  std::size_t step_rates_covered = 0;
  std::size_t bounds = 0;       // leaks that were not called so, with a bound…
  std::size_t bounds_kept = 0;  // …that the true rate stays below

  // What leaks that were called so are put down to.
  std::size_t ties = 0;  // leaks that go along with something marked
  std::size_t ties_right = 0;
  std::size_t members = 0;  // trees with one leaking member
  std::size_t members_named = 0;

  // "Look again in…": looks that asked for a time which came within the recording.
  std::size_t promises = 0;
  std::size_t promises_decided = 0;  // it was decided then…
  std::size_t promises_right = 0;    // …and rightly

  // Bounded growth that ends within the recording.
  std::size_t ends = 0;
  std::vector<double> end_errors{};         // |stated - true| end / time it grew
  std::vector<double> end_confirmations{};  // time from the end to the look that says so / same

  // Forecasts of leaks that were called so.
  std::size_t forecasts = 0;
  std::size_t forecasts_covered = 0;  // true time to the limit within p5..p95
};

Score score_of(const std::vector<const Outcome*>& outcomes);

// Reliability: of the looks that stated a probability within [low, high), how many were taken while
// a leak was active. Undecidable series are left out.
struct ReliabilityBin {
  double low = 0;
  double high = 0;
  std::size_t looks = 0;
  std::size_t leaking = 0;
  double stated = 0;  // sum of the stated probabilities
};
struct Reliability {
  std::vector<ReliabilityBin> bins{};
  double brier = 0;  // mean squared error of the stated probability
};
Reliability reliability_of(const std::vector<const Outcome*>& outcomes);

}  // namespace tidegauge::bench
