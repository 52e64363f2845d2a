// SPDX-License-Identifier: Apache-2.0
// What would be found of a CPython whose version is not known.
//   program_census_layout PID                  by a search through the process alone
//   program_census_layout PID learn            as a census would: with what is kept of its build
//   program_census_layout PID from PROGRAM     of a program that a person names
// These print the names of the facts that differ from those that are known.
//   program_census_layout PID census [PROGRAM]
// prints what a census finds then, and what one finds that knows the version: a line for each type,
// array, tensor and holder, with the two counts and sizes.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string_view>

#include "census/census.h"
#include "census/layout_search.h"
#include "census/learn_layout.h"
#include "census/locate.h"

using namespace tidegauge;
using namespace tidegauge::census;

namespace {

void tell(const Layout& truth, const Layout& found) {
  for_each_fact([&](const char* name, auto field) {
    if (truth.*field != found.*field) fmt::print("{} ", name);
  });
}

int nothing(const Error& why) {
  fmt::print(stderr, "{}\n", why.what);
  fmt::print("nothing\n");
  return 0;
}

using Table = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

Table table_of(const Census& census) {
  Table table;
  table["objects"] = {census.objects, census.bytes};
  for (const auto& one : census.types) {
    table["type " + one.name] = {one.count, one.bytes + one.native_bytes};
  }
  for (const auto& one : census.retainers) {
    table["holder " + one.root + " " + one.path + " " + one.type] = {one.count, one.retained_bytes};
  }
  for (const auto& one : census.arrays) table["array " + one.dtype] = {one.count, one.bytes};
  return table;
}

int compare(pid_t pid, std::vector<Layout>& others, const char* program) {
  CensusOptions options;
  const auto known = take_census(pid, options);
  auto target = open_target(pid);
  if (!known || !target) return 3;
  target->known = others;
  target->layouts.clear();
  if (program != nullptr) {
    auto learned = learn_layout(program, others);
    if (!learned) return nothing(learned.error());
    options.named_layout = *learned;
  }
  const auto found = take_census(*std::move(target), options);
  if (!found) return nothing(found.error());
  auto ours = table_of(*found);
  for (const auto& [name, counts] : table_of(*known)) {
    const auto other = ours[name];
    fmt::print("{}\t{}\t{}\t{}\t{}\n", counts.first, other.first, counts.second, other.second,
               name);
    ours.erase(name);
  }
  for (const auto& [name, counts] : ours) {
    fmt::print("0\t{}\t0\t{}\t{}\n", counts.first, counts.second, name);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto pid = static_cast<pid_t>(std::atoi(argv[1]));
  const std::string_view how = argc > 2 ? argv[2] : "";
  auto target = open_target(pid);
  const ProcessMemory memory(pid);
  if (!target) return 3;
  const auto python = locate(*target, memory);
  if (!python) return 3;
  const auto& truth = *python->layout;
  std::vector<Layout> others;
  for (const auto& row : known_layouts()) {
    if (&row != &truth) others.push_back(row);
  }
  if (how == "census") return compare(pid, others, argc > 3 ? argv[3] : nullptr);
  if (how == "from") {
    const auto learned = learn_layout(argv[3], others);
    if (!learned) return nothing(learned.error());
    tell(truth, learned->layout);
    fmt::print("fits: {}\n", layout_fits(memory, python->runtime, learned->layout));
    return 0;
  }
  if (how == "learn") {
    target->known = others;
    const auto learned = locate(*target, memory);
    if (!learned) return nothing(learned.error());
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
