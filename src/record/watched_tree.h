// SPDX-License-Identifier: Apache-2.0
// Tests only.
#pragma once

#include <set>

#include "record/fake_tree.h"
#include "record/ledger.h"

namespace tidegauge::record {

// A keeper that is told everything, as a recording tells it.
struct WatchedTree {
  FakeTree tree{};
  LedgerKeeper keeper{};

  Ledger look(const std::set<ProcessId>& walked = {}) { return look(tree.sample(walked)); }
  Ledger look(const Sample& sample) {
    for (const auto& process : tree.news()) keeper.add(process);
    return keeper.add(sample);
  }
  Ledger look_deep() {
    const auto all = tree.living();
    return look({all.begin(), all.end()});
  }
};

}  // namespace tidegauge::record
