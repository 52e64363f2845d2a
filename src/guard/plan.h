// SPDX-License-Identifier: Apache-2.0
// Plan: what the guard would do to a job from where it stands now. A pure function, printed by
// --dry-run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "guard/policy.h"
#include "record/sample.h"
#include "verdict/verdict.h"

namespace tidegauge::guard {

struct Step {
  enum class Kind : std::uint8_t {
    Watch,
    Notify,
    Freeze,
    Lend,
    Look,
    Ask,
    Stop,
    Terminate,
    Kill,
    Clean
  };
  Kind kind = Kind::Watch;
  double at_bytes = 0;                 // from this much on; 0: follows the one before
  std::optional<double> in_seconds{};  // if memory goes on as it does
  bool possible = true;
  std::string words{};
};
const char* id_of(Step::Kind kind);  // "watch", "notify"…

struct Situation {
  Limits limits{};
  std::string limit_kind{};  // "cgroup", "ram", "dev_shm", "given"; empty: none is known
  double used = 0;
  Shape shape{};
  Outlook outlook{};
  Means means{};
};
// As of the last sample and what was judged up to then.
Situation situation_of(const record::Sample& sample, const verdict::Verdict& verdict,
                       const Means& means, const Settings& settings);

// The ladder, lowest rung first. Empty where no limit is known.
std::vector<Step> plan(const Situation& situation, const Settings& settings);
std::string to_text(const Situation& situation, const std::vector<Step>& steps);

}  // namespace tidegauge::guard
