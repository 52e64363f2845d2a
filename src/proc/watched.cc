// SPDX-License-Identifier: Apache-2.0
#include "proc/watched.h"

namespace tidegauge::proc {

bool may_hold_its_lock(const Root& root, const Watched& watched) {
  const auto text = root.read(watched.process.id.pid, watched.reader.folder() + "stat");
  if (!text) return true;  // it has ended, so there is nothing to be asked for
  const auto stat = parse_stat(*text);
  return !stat || may_hold_its_lock(stat->state);
}

}  // namespace tidegauge::proc
