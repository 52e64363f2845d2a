// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tidegauge::proc {

struct Roots {  // where the kernel's files are; tests point these at folders of their own
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string dev_shm = "/dev/shm";
};

}  // namespace tidegauge::proc
