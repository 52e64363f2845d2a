// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: the standard fixes its engines but not its
// distributions, so these are our own. It does not fix the order of a sum's or a call's operands
// either: draw at most one number per expression (a braced list is in order).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace tidegauge::bench {

class Random {
 public:
  // A stream of its own for each name: a new class of series changes none of the old ones.
  Random(std::string_view stream, std::uint64_t seed);

  std::uint64_t bits();
  double uniform();  // [0, 1)
  double uniform(double low, double high);
  double log_uniform(double low, double high);  // 0 < low
  double normal();                              // mean 0, deviation 1
  double exponential(double mean);
  int integer(int low, int high);  // both ends included
  bool chance(double probability);
  double pick(std::initializer_list<double> values);

 private:
  std::array<std::uint64_t, 4> state_{};
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace tidegauge::bench
