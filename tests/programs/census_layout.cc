// SPDX-License-Identifier: Apache-2.0
// What would be found of a CPython whose version is not known: prints the names of the facts that
// differ from those that are.
//   program_census_layout PID
#include <fmt/format.h>

#include <cstdlib>

#include "census/layout_search.h"
#include "census/locate.h"

using namespace tidegauge::census;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto pid = static_cast<pid_t>(std::atoi(argv[1]));
  const auto regions = read_regions(pid);
  const ProcessMemory memory(pid);
  if (!regions) return 3;
  const auto python = locate(pid, memory, *regions);
  if (!python) return 3;
  const auto& truth = *python->layout;
  std::vector<Layout> others;
  for (const auto& row : known_layouts()) {
    if (&row != &truth) others.push_back(row);
  }
  const auto found = search_layout(memory, python->runtime, others);
  if (!found) {
    fmt::print("nothing\n");
    return 0;
  }
  const auto tell = [&](const char* name, auto field) {
    if (truth.*field != (*found).*field) fmt::print("{} ", name);
  };
  tell("runtime_interpreters", &Layout::runtime_interpreters);
  tell("interp_next", &Layout::interp_next);
  tell("interp_threads", &Layout::interp_threads);
  tell("interp_modules", &Layout::interp_modules);
  tell("interp_sysdict", &Layout::interp_sysdict);
  tell("gc_heads", &Layout::gc_heads);
  tell("thread_frame", &Layout::thread_frame);
  tell("frame_code", &Layout::frame_code);
  tell("frame_previous", &Layout::frame_previous);
  tell("frame_locals", &Layout::frame_locals);
  tell("heap_type_qualname", &Layout::heap_type_qualname);
  tell("heap_type_cached_keys", &Layout::heap_type_cached_keys);
  tell("tuple_items", &Layout::tuple_items);
  tell("ascii_header", &Layout::ascii_header);
  tell("flagged_refcount", &Layout::flagged_refcount);
  fmt::print("fits: {}\n", layout_fits(memory, python->runtime, *found));
  return 0;
}
