// SPDX-License-Identifier: Apache-2.0
// Tests only: the incident as the live view sees it.
#pragma once

#include "view/any_verdict.h"
#include "view/fake_incident.h"
#include "view/live_state.h"

namespace tidegauge::view {

class FakeLive {
 public:
  // Up to `seconds`: before 4:00 it is undecided, then it has settled.
  explicit FakeLive(int seconds) {
    const FakeIncident incident;
    accounts_.begin(incident.header());
    for (const auto& entry : incident.entries(seconds)) add(entry);
    auto job = seconds < 240 ? incident_at_step_70() : incident_settled();
    job.subject.process = incident.trainer;
    job.evidence = {"Linear growth over 70 steps.",
                    "663 examples, 8 a step: a pass takes 82.9 steps."};
    auto tree = job;
    tree.subject = {};
    const auto& total = accounts_.line(Line::Total);
    tree.floor_bytes = total.floor();
    tree.peak_bytes = total.max();
    if (tree.needs) {
      tree.forecast = verdict::Forecast{"ram", 32 * kGiB, 170, 195, 230, 0.6};
      tree.needs->if_bounded->level_bytes = 26.7 * kGiB;
    } else {
      tree.settled->at_seconds.reset();
      tree.settled->level_bytes = 26.7 * kGiB;
    }
    verdicts_.all = {tree, job};
  }
  void add(const record::Entry& entry) {
    ledgers_.add(entry);
    accounts_.add(entry, ledgers_);
  }
  FakeLive(const FakeLive&) = delete;
  FakeLive& operator=(const FakeLive&) = delete;

  LiveState state() const { return live_state(accounts_, verdicts_); }
  Accounts& accounts() { return accounts_; }
  verdict::Verdicts& verdicts() { return verdicts_; }

 private:
  record::LedgerKeeper ledgers_{};
  Accounts accounts_{};
  verdict::Verdicts verdicts_{};
};

}  // namespace tidegauge::view
