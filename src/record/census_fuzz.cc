// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "record/census_growth.h"
#include "record/census_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegauge::record;
  const auto census = parse_census({reinterpret_cast<const char*>(data), size});
  if (census && !growth_between(*census, *census).types.empty()) std::abort();
  return 0;
}
