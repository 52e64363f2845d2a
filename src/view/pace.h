// SPDX-License-Identifier: Apache-2.0
// How long a step takes, without what lies between steps: evaluations, saving, stretches unseen.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "record/recording.h"
#include "view/progress.h"

namespace tidegauge::view {

class Pace {
 public:
  struct Quartiles {
    double low = 0;
    double middle = 0;
    double high = 0;
  };

  // `progress` was told of this event and all before: it knows whose steps count.
  void add(const record::Event& event, const Progress& progress);

  // Nothing where there were too few steps to say so.
  std::optional<Quartiles> seconds_per_step() const;

 private:
  struct Step {
    double at = 0;
    double number = 0;
  };
  void take(double seconds);

  // Bounded: when there are this many, every second one is left out from then on.
  static constexpr std::size_t kMost = 8192;

  record::MarkSource source_ = record::MarkSource::Kernel;
  record::ProcessId process_{};
  std::optional<Step> last_{};
  bool interrupted_ = false;
  std::vector<double> seconds_{};
  std::size_t stride_ = 1;
  std::size_t passed_over_ = 0;
};

}  // namespace tidegauge::view
