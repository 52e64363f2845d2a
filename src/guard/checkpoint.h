// SPDX-License-Identifier: Apache-2.0
// Whether a checkpoint is whole: a job that was killed in the middle of a save leaves one that
// looks new and cannot be loaded.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace tidegauge::guard {

// A folder of transformers' Trainer, one of torch.distributed.checkpoint, a file of torch.save or
// Lightning, one of safetensors. Of anything else it is only asked that it is there and not empty.
// Malformed: not whole, with the reason.
Result<> check_checkpoint(const std::string& path);

// By kind; used by the above.
Result<> check_torch_file(const std::string& path);
Result<> check_safetensors(const std::string& path);
Result<> check_trainer_folder(const std::string& path);

}  // namespace tidegauge::guard
