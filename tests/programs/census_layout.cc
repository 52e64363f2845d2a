// SPDX-License-Identifier: Apache-2.0
// What would be found of a CPython whose version is not known: prints the names of the facts that
// differ from those that are.
//   program_census_layout PID [learn]
// By a search through the process alone, or as a census would: with what is kept of its build.
#include <fmt/format.h>

#include <cstdlib>

#include "census/layout_search.h"
#include "census/locate.h"

using namespace tidegauge::census;

namespace {

void tell(const Layout& truth, const Layout& found) {
  for_each_fact([&](const char* name, auto field) {
    if (truth.*field != found.*field) fmt::print("{} ", name);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto pid = static_cast<pid_t>(std::atoi(argv[1]));
  const auto target = open_target(pid);
  const ProcessMemory memory(pid);
  if (!target) return 3;
  const auto python = locate(*target, memory);
  if (!python) return 3;
  const auto& truth = *python->layout;
  std::vector<Layout> others;
  for (const auto& row : known_layouts()) {
    if (&row != &truth) others.push_back(row);
  }
  if (argc > 2) {
    const auto learned = locate(*target, memory, others);
    if (!learned) {
      fmt::print("nothing\n");
      return 0;
    }
    tell(truth, *learned->layout);
    fmt::print("{}\n", learned->searched ? "searched" : "learned");
    return 0;
  }
  const auto found = search_layout(memory, python->runtime, others);
  if (!found) {
    fmt::print("nothing\n");
    return 0;
  }
  tell(truth, *found);
  fmt::print("fits: {}\n", layout_fits(memory, python->runtime, *found));
  return 0;
}
