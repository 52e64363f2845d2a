// SPDX-License-Identifier: Apache-2.0
// A runtime out of arbitrary bytes that says it is a CPython nobody knows: whatever it tells, the
// search for its layout ends, and so does reading one off a model that says where its objects are.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "census/calibrate.h"
#include "census/fake_memory.h"
#include "census/layout_cache.h"
#include "census/layout_search.h"

using namespace tidegauge::census;

namespace {

constexpr const char* kNames[] = {"modules",  "sysdict", "first",     "second", "one",  "three",
                                  "known",    "some",    "number",    "text",   "wide", "array",
                                  "bytes",    "none",    "kind",      "code",   "name", "caller",
                                  "filename", "flags",   "first_name"};

// Whatever comes out can be kept and read again.
void keep(const std::optional<Layout>& row) {
  if (row && row->version == nullptr) std::abort();
  if (row) (void)parse_layout(layout_as_text(*row));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBehindCookie = 8;
  const auto layouts = known_layouts();
  std::string bytes = "xdebugpy" + std::string(reinterpret_cast<const char*>(data), size);
  if (size > kBehindCookie) bytes[2 * kBehindCookie] = static_cast<char>(data[kBehindCookie] & 1);
  const FakeMemory memory(kFakeStart, std::as_bytes(std::span(bytes)));
  keep(search_layout(memory, kFakeStart, layouts));

  ModelFacts facts = parse_facts({reinterpret_cast<const char*>(data), size});
  for (std::size_t i = 0; i < std::size(kNames) && 2 * i + 1 < size; ++i) {
    const auto offset = static_cast<Address>(data[2 * i] | data[2 * i + 1] << 8U);
    facts.insert({kNames[i], kFakeStart + offset});
  }
  const auto& before = layouts[size % layouts.size()];
  keep(calibrate(facts, memory, kFakeStart, before, [] { return true; }));
  return 0;
}
