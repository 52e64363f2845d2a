// SPDX-License-Identifier: Apache-2.0
// Gradient-boosted trees for a probability, small and plain: histograms of at most 63 bins,
// leaf-wise growth, Newton steps, monotone constraints. The same rows and seed give the same trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidegauge::bench {

// Rows of features with what is true of them.
struct Rows {
  std::size_t features = 0;
  std::vector<float> values{};  // row after row
  std::vector<float> truth{};   // 0 or 1
  std::vector<float> weight{};

  std::size_t size() const { return truth.size(); }
  std::span<const float> row(std::size_t i) const {
    return std::span(values).subspan(i * features, features);
  }
  void add(std::span<const float> row, float true_value, float row_weight);
};

struct BoostRules {
  int trees = 250;
  int leaves = 24;
  double step = 0.08;          // share of each tree's answer that is taken
  double ridge = 5;            // pulls small leaves towards zero
  double least_weight = 20;    // second derivatives that a leaf must hold
  double feature_share = 0.5;  // of the features that a tree may look at
  std::uint64_t seed = 1;
  unsigned threads = 2;
  std::vector<int> direction{};  // per feature: +1 rising, -1 falling, 0 free
};

inline constexpr int kMostBins = 63;

// A node splits on `feature` at edges[feature][edge] (at or below goes left), or is a leaf.
struct TreeNode {
  int feature = -1;  // -1: a leaf
  int edge = 0;
  int below = -1;
  int above = -1;
  double value = 0;  // of a leaf; of a split: the mean over what passes through it
};

struct Forest {
  double base = 0;                          // log odds before any tree
  std::vector<std::vector<float>> edges{};  // per feature, rising
  std::vector<std::vector<TreeNode>> trees{};

  double log_odds(std::span<const float> row) const;
};

Forest boost(const Rows& rows, const BoostRules& rules);

}  // namespace tidegauge::bench
