// SPDX-License-Identifier: Apache-2.0
// What two censuses of one process differ by.
#pragma once

#include "record/census.h"

namespace tidegauge::record {

struct CensusGrowth {
  // What became more or less, and by how much.
  struct Type {
    std::string name{};
    std::int64_t count = 0;
    std::int64_t bytes = 0;  // native ones included
  };
  struct Buffers {
    std::string device{};
    std::string dtype{};
    std::vector<std::int64_t> shape{};
    bool requires_grad = false;
    bool has_grad_fn = false;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
  };
  struct Holder {
    std::string path{};
    std::string root{};
    std::string type{};
    std::int64_t count = 0;
    std::int64_t bytes = 0;  // that it keeps alive
  };

  std::int64_t objects = 0;
  std::int64_t bytes = 0;
  // Only what changed; what grew most comes first.
  std::vector<Type> types{};
  std::vector<Buffers> tensors{};
  std::vector<Buffers> arrays{};
  std::vector<Buffers> images{};
  std::vector<Holder> retainers{};  // where both censuses know holders
};

CensusGrowth growth_between(const Census& before, const Census& after);

}  // namespace tidegauge::record
