// SPDX-License-Identifier: Apache-2.0
#include "verdict/model.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace tidegauge::verdict {

namespace {

// Into which bin each feature falls: comparing small numbers 1,500 times is cheaper than floats.
std::vector<std::uint8_t> bins_of(const Table& table, std::span<const float> features) {
  std::vector<std::uint8_t> out;
  out.reserve(features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto begin = table.edges.begin() + table.edge_begins[i];
    const auto end = table.edges.begin() + table.edge_begins[i + 1];
    out.push_back(static_cast<std::uint8_t>(std::lower_bound(begin, end, features[i]) - begin));
  }
  return out;
}

// Fowler, Noll and Vo's hash.
class Hash {
 public:
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      state_ ^= (number >> shift) & 0xff;
      state_ *= 0x100000001b3;
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

Weighing weigh(const Table& table, std::span<const float> features) {
  Weighing out{.log_odds = table.base};
  if (table.edge_begins.size() != features.size() + 1) return out;
  const auto infos = feature_infos();
  const auto bins = bins_of(table, features);
  for (const auto& tree : table.trees) {
    std::size_t split = tree.split;
    int here = table.split_values[split];
    out.log_odds += here / kValueUnit;
    for (bool leaf = false; !leaf;) {
      const Split& question = table.splits[split];
      const int answer = bins[question.feature] <= question.edge ? question.below : question.above;
      leaf = (answer & kLeafBit) != 0;
      const auto number = static_cast<std::size_t>(answer & ~kLeafBit);
      split = tree.split + number;
      const int next = leaf ? table.leaf_values[tree.leaf + number] : table.split_values[split];
      const double moved = (next - here) / kValueUnit;
      out.by_group[static_cast<std::size_t>(infos[question.feature].group)] += moved;
      out.log_odds += moved;
      here = next;
    }
  }
  return out;
}

std::uint64_t checksum(const Table& table) {
  Hash hash;
  hash.add(std::bit_cast<std::uint64_t>(table.base));
  for (const float edge : table.edges) hash.add(std::bit_cast<std::uint32_t>(edge));
  for (const auto begin : table.edge_begins) hash.add(begin);
  for (const auto& split : table.splits) {
    hash.add(split.feature);
    hash.add(split.edge);
    hash.add(split.below);
    hash.add(split.above);
  }
  for (const auto value : table.split_values) hash.add(static_cast<std::uint16_t>(value));
  for (const auto value : table.leaf_values) hash.add(static_cast<std::uint16_t>(value));
  for (const auto& tree : table.trees) {
    hash.add(tree.split);
    hash.add(tree.leaf);
  }
  return hash.value();
}

}  // namespace tidegauge::verdict
