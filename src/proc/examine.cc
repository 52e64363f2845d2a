// SPDX-License-Identifier: Apache-2.0
#include "proc/examine.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/units.h"
#include "proc/findings.h"
#include "proc/gpu.h"

namespace tidegauge::proc {

std::vector<Finding> examine_gpu(const CollectOptions& options) {
  Findings findings("GPU");
  if (!options.gpu) return findings.take();
  auto reader = GpuReader::load(options.nvml, options.roots);
  struct stat info {};
  const bool has_device = ::stat("/dev/nvidiactl", &info) == 0;
  if (!reader && has_device) {
    findings.missing("GPU memory", reader.error().what,
                     "install the driver's libnvidia-ml.so.1; in a container: "
                     "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
  } else if (!reader) {
    findings.good("GPU memory", "no NVIDIA GPU here");
  } else {
    for (const auto& gpu : reader->read().devices) {
      findings.good(fmt::format("GPU {}", gpu.index),
                    fmt::format("{}, {} used", format_bytes(static_cast<double>(*gpu.total)),
                                format_bytes(static_cast<double>(*gpu.used))));
    }
  }
  return findings.take();
}

std::vector<Finding> examine_machine(const CollectOptions& options) {
  std::vector<Finding> all;
  for (auto* const section : {examine_rights, examine_kernel, examine_memory, examine_gpu}) {
    auto found = section(options);
    all.insert(all.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
  }
  return all;
}

}  // namespace tidegauge::proc
