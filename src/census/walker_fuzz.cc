// SPDX-License-Identifier: Apache-2.0
// A heap out of arbitrary bytes, read by the code that reads real ones: whatever it holds, the walk
// ends, and touches nothing but what it was given.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "census/fake_memory.h"
#include "census/retainers.h"

using namespace tidegauge::census;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto layouts = known_layouts();
  Interpreter python;
  python.layout = &layouts[data[0] % layouts.size()];
  const FakeMemory memory(kFakeStart, std::as_bytes(std::span(data + 1, size - 1)));
  python.runtime = kFakeStart;
  python.interpreters = {memory.pointer(kFakeStart)};
  python.type_type = memory.pointer(kFakeStart + 8);
  python.data = {{.begin = kFakeStart, .end = kFakeStart + std::min<std::size_t>(size - 1, 4096)}};
  (void)fitting_layout(memory, kFakeStart, layouts);
  TypeTable types(memory, python);
  const std::vector<Region> regions = {
      {.begin = kFakeStart, .end = kFakeStart + (1 << 20), .readable = true, .writable = true}};
  auto [arenas, pages] = find_places(memory, python, regions);
  if (pages.empty()) arenas.push_back({kFakeStart, kFakeStart + python.layout->arena_bytes});
  const auto roots = find_roots(memory, python, types);
  std::vector<Address> addresses;
  for (const auto& root : roots) addresses.push_back(root.object);
  Image image(memory, arenas, 1);
  const ImageMemory both(image, memory);
  const StretchMap libraries({{kFakeStart + (512 << 10), kFakeStart + (1 << 20)}});
  const auto heap =
      read_heap({image, memory, both, libraries, libraries, 1, pages}, python, types, addresses);
  const auto holding = find_retainers(heap, roots, tidegauge::secrets::Keys::WithoutData);
  if (holding.garbage.count > heap.nodes()) std::abort();
  return 0;
}
