// SPDX-License-Identifier: Apache-2.0
#include "cli/earlier_runs.h"

#include <ctime>

#include "record/history.h"
#include "secrets/mask.h"
#include "verdict/earlier.h"

namespace tidegauge::cli {

namespace {

using verdict::Class;

std::optional<Class> class_of(const std::string& id) {
  for (const auto klass : {Class::Leak, Class::WarmUp, Class::Spikes, Class::Sawtooth,
                           Class::Steady, Class::Shift, Class::Undecided}) {
    if (id == verdict::id_of(klass)) return klass;
  }
  return {};
}

}  // namespace

verdict::Rules with_history(const std::vector<std::string>& command, const verdict::Rules& rules,
                            bool keep_warm_up) {
  std::vector<verdict::EarlierRun> earlier;
  for (const auto& run : record::past_runs_of(secrets::masked_command(command))) {
    const auto klass = class_of(run.verdict);
    if (!klass) continue;
    earlier.push_back({.klass = *klass,
                       .level_bytes = run.level_bytes,
                       .settled_seconds = run.settled_seconds,
                       .settled_step = run.settled_step});
  }
  auto out = verdict::learned_from(std::move(earlier), rules);
  if (keep_warm_up) out.longest_warm_up_minutes = rules.longest_warm_up_minutes;
  return out;
}

void remember_run(const std::vector<std::string>& command, const verdict::Verdicts& verdicts) {
  const auto path = record::history_path();
  if (!path) return;
  const auto& first = verdicts.all.front();
  record::PastRun run{.command = secrets::masked_command(command),
                      .ended_unix_s = std::time(nullptr),
                      .verdict = verdict::id_of(first.klass),
                      .level_bytes = first.floor_bytes};
  if (first.settled) {
    run.settled_seconds = first.settled->at_seconds;
    run.settled_step = first.settled->at_step;
  }
  const auto ignored = record::remember(*path, run);
}

}  // namespace tidegauge::cli
