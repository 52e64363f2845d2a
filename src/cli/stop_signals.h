// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include "base/fd.h"

namespace tidegauge::cli {

// While it lives, Ctrl-C, SIGTERM and SIGHUP do not end us but make `fd` readable, so that a watch
// ends with its summary and nothing is lost. A second one ends us as usual.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  int fd() const { return fd_.get(); }
  bool taken();  // true if one has come since the last call; lets the next one through

 private:
  void let_through();
  UniqueFd fd_;
  sigset_t before_{};
};

}  // namespace tidegauge::cli
