// SPDX-License-Identifier: Apache-2.0
// Whether a checkpoint is whole: a job that was killed in the middle of a save leaves one that
// looks new and cannot be loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "proc/probe.h"

namespace tidegauge::guard {

// A folder of transformers' Trainer, one of torch.distributed.checkpoint, a file of torch.save or
// Lightning, one of safetensors. Of anything else it is only asked that it is there and not empty.
// Malformed: not whole, with the reason.
Result<> check_checkpoint(const std::string& path);

struct CheckpointReport {
  Result<> whole;                             // as check_checkpoint says
  std::optional<std::uint64_t> free_bytes{};  // on its disk, for users that are not root
};

// Checks it in a process that has the rights of `job`, who named the path and wrote the file:
// neither may lead us, who may be root, to what that user must not open, nor take our time and
// memory.
CheckpointReport report_on_checkpoint(const std::string& path, const proc::UserIds& job);

// The room on the disk that `path` is on, found out in the same way.
std::optional<std::uint64_t> free_bytes_beside(const std::string& path, const proc::UserIds& job);

// By kind; used by the above.
Result<> check_torch_file(const std::string& path);
Result<> check_safetensors(const std::string& path);
Result<> check_trainer_folder(const std::string& path);

}  // namespace tidegauge::guard
