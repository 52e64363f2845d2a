// SPDX-License-Identifier: Apache-2.0
#include "proc/warnings.h"

#include <fmt/format.h>

#include "base/text.h"

namespace tidegauge::proc {

std::string not_ours_to_read(const record::Process& process) {
  return fmt::format(
      "PSS, USS, mappings and descriptors of process {} ({}) are not ours to read; run as its "
      "user, "
      "as root, or give the program the right to (setcap cap_sys_ptrace+ep)",
      process.id.pid, printable(process.name));
}

}  // namespace tidegauge::proc
