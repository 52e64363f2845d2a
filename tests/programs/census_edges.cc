// SPDX-License-Identifier: Apache-2.0
// How many of the references that Python knows of does a census find? Reads lines of addresses, an
// object's and those of its referents, and prints JSON.
//   program_census_edges PID FILE
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "census/heap.h"
#include "census/references.h"
#include "census/roots.h"
#include "census/snapshot.h"

using namespace tidegauge;
using namespace tidegauge::census;

namespace {

struct Seen {
  std::uint64_t edges = 0;  // of which both ends are objects for us, too
  std::uint64_t found = 0;
  std::uint64_t gone = 0;  // an end is none
  std::map<std::string, std::uint64_t> missed{};
};

Seen compare(const Heap& heap, std::istream& truth) {
  Seen seen;
  for (std::string line; std::getline(truth, line);) {
    std::istringstream words(line);
    Address source = 0;
    words >> source;
    const auto from = heap.find(source);
    std::set<Node> ours;
    if (from != kNoNode) {
      const auto targets = heap.edges().of(from);
      ours.insert(targets.begin(), targets.end());
    }
    for (Address target = 0; words >> target;) {
      const auto to = heap.find(target);
      if (from == kNoNode || to == kNoNode) {
        ++seen.gone;
        continue;
      }
      // Every object refers to its type; that is no edge for us.
      if (target == heap.type(from).address) continue;
      ++seen.edges;
      if (ours.contains(to)) {
        ++seen.found;
      } else {
        ++seen.missed[heap.type(from).name + " -> " + heap.type(to).name];
      }
    }
  }
  return seen;
}

void print(const Seen& seen) {
  std::string missed;
  for (const auto& [what, count] : seen.missed) {
    missed += fmt::format("{}\"{}\": {}", missed.empty() ? "" : ", ", what, count);
  }
  fmt::print("{{\"edges\": {}, \"found\": {}, \"gone\": {}, \"missed\": {{{}}}}}\n", seen.edges,
             seen.found, seen.gone, missed);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto pid = static_cast<pid_t>(std::atoi(argv[1]));
  const auto target = open_target(pid);
  if (!target) return 3;
  const auto* const regions = &target->regions;
  const ProcessMemory live(pid);
  const auto python = locate(*target, live);
  if (!python) return 3;
  const auto snapshot = Snapshot::take(pid, {});
  if (!snapshot) return 3;
  const ProcessMemory copy(snapshot->readable_pid());
  const MappedMemory mapped(copy, *regions);
  const CachedMemory around(mapped, 4096);
  const auto [arenas, pages] = find_places(around, *python, *regions);
  Image image(mapped, arenas, 1);
  const ImageMemory memory(image, around);
  const StretchMap libraries(libraries_in(*regions));
  TypeTable types(memory, *python);
  std::vector<Address> roots;
  for (const auto& root : find_roots(memory, *python, types)) roots.push_back(root.object);
  const auto heap =
      read_heap({image, mapped, memory, libraries, {}, 1, pages}, *python, types, roots);
  std::ifstream truth(argv[2]);
  print(compare(heap, truth));
  return 0;
}
