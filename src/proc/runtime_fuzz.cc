// SPDX-License-Identifier: Apache-2.0
// /proc/PID/maps for its file names, and /proc/PID/limits.
#include "proc/runtime.h"

#include <cstdint>
#include <cstdlib>

#include "proc/limits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegauge::proc;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto files = parse_mapped_files(text);
  for (const auto& file : files) {
    if (!file.starts_with('/') || text.find(file) == text.npos) std::abort();
  }
  (void)allocator_of(files);
  (void)is_dynamic(files);
  (void)frameworks_of(files);
  // What it says of a version was in a name.
  const auto python = python_of(text.substr(0, text.find('\n')), files);
  if (python.find_first_of("0123456789") != python.npos &&
      text.find_first_of("0123456789") == text.npos) {
    std::abort();
  }
  (void)parse_limits(text);
  return 0;
}
