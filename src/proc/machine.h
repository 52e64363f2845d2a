// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "proc/roots.h"
#include "record/sample.h"

namespace tidegauge::proc {

// The machine's memory, again and again. Files stay open and were read once by open(), so that
// read() works where nothing new can be opened: in a group that is filled to its last page.
class MachineReader {
 public:
  // Fails only where there is no meminfo. A kernel without pressure, or a machine whose /dev/shm is
  // no tmpfs (a folder on a disk is no memory), leaves those fields empty.
  static Result<MachineReader> open(const Roots& roots);

  record::Machine read();

 private:
  MachineReader(UniqueFd meminfo, UniqueFd pressure, std::string dev_shm);

  UniqueFd meminfo_;
  UniqueFd pressure_;
  std::string dev_shm_;
  std::string text_;  // its memory is used again
};

}  // namespace tidegauge::proc
