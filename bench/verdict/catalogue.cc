// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/catalogue.h"

#include "bench/verdict/mechanisms.h"
#include "bench/verdict/ramps.h"
#include "bench/verdict/twins.h"

namespace tidegauge::bench {

const char* id_of(Suite suite) {
  switch (suite) {
    case Suite::A:
      return "a";
    case Suite::Twins:
      return "twins";
    case Suite::Ramps:
      return "ramps";
    case Suite::World:
      return "world";
    case Suite::Mechanisms:
      return "mechanisms";
  }
  return "";
}

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  const auto add = [&](Suite suite, std::span<const SeriesClass> table) {
    for (const auto& klass : table)
      kinds.push_back({suite, std::string(klass.name), klass.accepted,
                       [klass](std::uint64_t seed) { return make_series(klass, seed); }});
  };
  const auto a = {suite_a_leaks(), suite_a_bounded(), suite_a_undecidable()};
  for (const auto& table : a) add(Suite::A, table);
  for (const auto& table : a)
    for (const auto& klass : table)
      if (has_twin(klass))
        kinds.push_back({Suite::Twins, std::string(klass.name) + "~", 0,
                         [klass](std::uint64_t seed) { return *make_twin(klass, seed); }});
  kinds.push_back({Suite::Ramps, "ramp_leak", any_of(verdict::Class::Leak), make_ramp_leak});
  kinds.push_back({Suite::Ramps, "ramp_pass", any_of(verdict::Class::WarmUp), make_ramp_pass});
  for (const auto& table : {world_leaks(), world_bounded(), world_trees(), world_training()})
    add(Suite::World, table);
  kinds.push_back({Suite::Mechanisms, "mechanism_leak", 0, make_mechanism_leak});
  kinds.push_back({Suite::Mechanisms, "mechanism_bounded", 0, make_mechanism_bounded});
  return kinds;
}

}  // namespace tidegauge::bench
