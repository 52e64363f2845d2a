// SPDX-License-Identifier: Apache-2.0
// Whatever a reader says that was taken over: what is taken from it can be said and heard again,
// and is the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "census/wire.h"

using namespace tidegauge::census;

namespace {

template <class Hear>
void hear_twice(std::string_view bytes, Hear&& hear) {
  const auto first = hear(bytes);
  if (!first) return;
  const auto said = wire::to_bytes(*first);
  const auto second = hear(said);
  if (!second || wire::to_bytes(*second) != said) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      hear_twice(bytes, wire::census_in);
      break;
    case 1:
      hear_twice(bytes, wire::wishes_in);
      break;
    case 2:
      hear_twice(bytes, wire::error_in);
      break;
    case 3:
      hear_twice(bytes, wire::training_in);
      break;
    default:
      hear_twice(bytes, wire::remote_in);
  }
  return 0;
}
