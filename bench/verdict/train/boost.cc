// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/train/boost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "bench/verdict/train/parallel.h"

namespace tidegauge::bench {

namespace {

constexpr std::size_t kSampleForEdges = 60'000;
constexpr std::size_t kBinStride = 64;

struct Sum {
  double gradient = 0;
  double hessian = 0;
};

struct Leaf {
  std::size_t begin = 0;  // of its rows in the order
  std::size_t end = 0;
  Sum sum{};
  double low = -std::numeric_limits<double>::infinity();  // bounds from monotone splits above
  double high = std::numeric_limits<double>::infinity();
  std::size_t node = 0;
  std::vector<Sum> histogram{};
  // The best split found.
  double gain = -1;
  std::size_t feature = 0;  // place in the tree's list of features
  int edge = 0;
  double below = 0;
  double above = 0;
};

std::vector<float> edges_of(const Rows& rows, std::size_t feature) {
  std::vector<float> values;
  const std::size_t stride = std::max<std::size_t>(1, rows.size() / kSampleForEdges);
  for (std::size_t i = 0; i < rows.size(); i += stride) values.push_back(rows.row(i)[feature]);
  std::sort(values.begin(), values.end());
  std::vector<float> edges;
  for (int bin = 1; bin < kMostBins; ++bin) {
    const double share = static_cast<double>(bin) / kMostBins;
    const float value =
        values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
    if ((edges.empty() || value > edges.back()) && value < values.back()) edges.push_back(value);
  }
  return edges;
}

std::uint8_t bin_of(const std::vector<float>& edges, float value) {
  return static_cast<std::uint8_t>(std::lower_bound(edges.begin(), edges.end(), value) -
                                   edges.begin());
}

class Booster {
 public:
  Booster(const Rows& rows, const BoostRules& rules)
      : rows_(rows), rules_(rules), random_(rules.seed), bins_(rows.features) {
    forest_.edges.resize(rows.features);
    in_parallel(rows.features, rules.threads, [&](std::size_t f) {
      forest_.edges[f] = edges_of(rows_, f);
      bins_[f].resize(rows_.size());
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        bins_[f][i] = bin_of(forest_.edges[f], rows_.row(i)[f]);
      }
    });
    double truth = 0;
    double weight = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      truth += static_cast<double>(rows.truth[i] * rows.weight[i]);
      weight += static_cast<double>(rows.weight[i]);
    }
    forest_.base = std::log(truth / (weight - truth));
    score_.assign(rows.size(), forest_.base);
    gradient_.resize(rows.size());
    hessian_.resize(rows.size());
    order_.resize(rows.size());
    spare_.resize(rows.size());
  }

  Forest run() {
    for (int i = 0; i < rules_.trees; ++i) grow_tree();
    return std::move(forest_);
  }

 private:
  void derive() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double p = 1 / (1 + std::exp(-score_[i]));
      gradient_[i] =
          (p - static_cast<double>(rows_.truth[i])) * static_cast<double>(rows_.weight[i]);
      hessian_[i] = p * (1 - p) * static_cast<double>(rows_.weight[i]);
      order_[i] = static_cast<std::uint32_t>(i);
    }
  }

  void choose_features() {
    chosen_.clear();
    for (std::size_t f = 0; f < rows_.features; ++f) {
      const double draw = static_cast<double>(random_() >> 11) * 0x1.0p-53;
      if (draw < rules_.feature_share && !forest_.edges[f].empty()) chosen_.push_back(f);
    }
    if (chosen_.empty()) chosen_.push_back(random_() % rows_.features);
  }

  void fill_histogram(Leaf& leaf) const {
    leaf.histogram.assign(chosen_.size() * kBinStride, {});
    const auto fill = [&](std::size_t place) {
      const auto& bins = bins_[chosen_[place]];
      Sum* histogram = leaf.histogram.data() + place * kBinStride;
      for (std::size_t k = leaf.begin; k < leaf.end; ++k) {
        const auto i = order_[k];
        Sum& sum = histogram[bins[i]];
        sum.gradient += gradient_[i];
        sum.hessian += hessian_[i];
      }
    };
    constexpr std::size_t kWorthThreads = 20'000;
    in_parallel(chosen_.size(), leaf.end - leaf.begin > kWorthThreads ? rules_.threads : 1, fill);
  }

  double answer(const Sum& sum, const Leaf& leaf) const {
    return std::clamp(-sum.gradient / (sum.hessian + rules_.ridge), leaf.low, leaf.high);
  }
  double worth(const Sum& sum, double value) const {
    return -(2 * sum.gradient * value + (sum.hessian + rules_.ridge) * value * value);
  }
  int direction(std::size_t feature) const {
    return rules_.direction.empty() ? 0 : rules_.direction[feature];
  }

  void find_split(Leaf& leaf) const {
    leaf.gain = -1;
    const double whole = worth(leaf.sum, answer(leaf.sum, leaf));
    for (std::size_t place = 0; place < chosen_.size(); ++place) {
      const std::size_t feature = chosen_[place];
      const Sum* histogram = leaf.histogram.data() + place * kBinStride;
      Sum below;
      for (std::size_t edge = 0; edge < forest_.edges[feature].size(); ++edge) {
        below.gradient += histogram[edge].gradient;
        below.hessian += histogram[edge].hessian;
        const Sum above{leaf.sum.gradient - below.gradient, leaf.sum.hessian - below.hessian};
        if (below.hessian < rules_.least_weight || above.hessian < rules_.least_weight) continue;
        const double left = answer(below, leaf);
        const double right = answer(above, leaf);
        if (direction(feature) * (right - left) < 0) continue;
        const double gain = worth(below, left) + worth(above, right) - whole;
        if (gain <= leaf.gain) continue;
        leaf.gain = gain;
        leaf.feature = place;
        leaf.edge = static_cast<int>(edge);
        leaf.below = left;
        leaf.above = right;
      }
    }
  }

  std::size_t partition(const Leaf& leaf) {
    const auto& bins = bins_[chosen_[leaf.feature]];
    std::size_t kept = leaf.begin;
    std::size_t moved = 0;
    for (std::size_t k = leaf.begin; k < leaf.end; ++k) {
      if (bins[order_[k]] <= leaf.edge) {
        order_[kept++] = order_[k];
      } else {
        spare_[moved++] = order_[k];
      }
    }
    std::copy_n(spare_.begin(), moved, order_.begin() + static_cast<std::ptrdiff_t>(kept));
    return kept;
  }

  // Splits a leaf in two; the first takes its place.
  std::pair<Leaf, Leaf> split(Leaf leaf, std::vector<TreeNode>& tree) {
    const std::size_t middle = partition(leaf);
    Leaf below{.begin = leaf.begin, .end = middle, .low = leaf.low, .high = leaf.high};
    Leaf above{.begin = middle, .end = leaf.end, .low = leaf.low, .high = leaf.high};
    for (std::size_t k = below.begin; k < below.end; ++k) {
      below.sum.gradient += gradient_[order_[k]];
      below.sum.hessian += hessian_[order_[k]];
    }
    above.sum = {leaf.sum.gradient - below.sum.gradient, leaf.sum.hessian - below.sum.hessian};
    const double between = (leaf.below + leaf.above) / 2;
    const int way = direction(chosen_[leaf.feature]);
    if (way > 0) {
      below.high = std::min(below.high, between);
      above.low = std::max(above.low, between);
    } else if (way < 0) {
      below.low = std::max(below.low, between);
      above.high = std::min(above.high, between);
    }
    below.node = tree.size();
    above.node = tree.size() + 1;
    tree[leaf.node].feature = static_cast<int>(chosen_[leaf.feature]);
    tree[leaf.node].edge = leaf.edge;
    tree[leaf.node].below = static_cast<int>(below.node);
    tree[leaf.node].above = static_cast<int>(above.node);
    tree.resize(tree.size() + 2);
    Leaf& small = below.end - below.begin < above.end - above.begin ? below : above;
    Leaf& large = &small == &below ? above : below;
    fill_histogram(small);
    large.histogram = std::move(leaf.histogram);
    for (std::size_t i = 0; i < large.histogram.size(); ++i) {
      large.histogram[i].gradient -= small.histogram[i].gradient;
      large.histogram[i].hessian -= small.histogram[i].hessian;
    }
    find_split(below);
    find_split(above);
    return {std::move(below), std::move(above)};
  }

  void grow_tree() {
    derive();
    choose_features();
    std::vector<TreeNode> tree(1);
    std::vector<Leaf> leaves(1);
    Leaf& root = leaves.front();
    root.end = rows_.size();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      root.sum.gradient += gradient_[i];
      root.sum.hessian += hessian_[i];
    }
    fill_histogram(root);
    find_split(root);
    while (leaves.size() < static_cast<std::size_t>(rules_.leaves)) {
      const auto best =
          std::max_element(leaves.begin(), leaves.end(),
                           [](const Leaf& a, const Leaf& b) { return a.gain < b.gain; });
      if (best->gain <= 0) break;
      auto [below, above] = split(std::move(*best), tree);
      *best = std::move(below);
      leaves.push_back(std::move(above));
    }
    for (const auto& leaf : leaves) {
      const double value = rules_.step * answer(leaf.sum, leaf);
      tree[leaf.node].value = value;
      for (std::size_t k = leaf.begin; k < leaf.end; ++k) score_[order_[k]] += value;
    }
    set_means(tree, leaves);
    forest_.trees.push_back(std::move(tree));
  }

  // A split's value is the mean of what lies below it: what is known before its question is asked.
  static void set_means(std::vector<TreeNode>& tree, const std::vector<Leaf>& leaves) {
    std::vector<double> weight(tree.size(), 0);
    for (const auto& leaf : leaves) weight[leaf.node] = static_cast<double>(leaf.end - leaf.begin);
    for (std::size_t i = tree.size(); i-- > 0;) {
      TreeNode& node = tree[i];
      if (node.feature < 0) continue;
      const auto below = static_cast<std::size_t>(node.below);
      const auto above = static_cast<std::size_t>(node.above);
      weight[i] = weight[below] + weight[above];
      node.value = (weight[below] * tree[below].value + weight[above] * tree[above].value) /
                   std::max(weight[i], 1.0);
    }
  }

  const Rows& rows_;
  const BoostRules& rules_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::uint8_t>> bins_;
  std::vector<double> score_{};
  std::vector<double> gradient_{};
  std::vector<double> hessian_{};
  std::vector<std::uint32_t> order_{};
  std::vector<std::uint32_t> spare_{};
  std::vector<std::size_t> chosen_{};
  Forest forest_{};
};

}  // namespace

void Rows::add(std::span<const float> row, float true_value, float row_weight) {
  values.insert(values.end(), row.begin(), row.end());
  truth.push_back(true_value);
  weight.push_back(row_weight);
}

double Forest::log_odds(std::span<const float> row) const {
  double sum = base;
  for (const auto& tree : trees) {
    std::size_t at = 0;
    while (tree[at].feature >= 0) {
      const auto feature = static_cast<std::size_t>(tree[at].feature);
      const float edge = edges[feature][static_cast<std::size_t>(tree[at].edge)];
      at = static_cast<std::size_t>(row[feature] <= edge ? tree[at].below : tree[at].above);
    }
    sum += tree[at].value;
  }
  return sum;
}

Forest boost(const Rows& rows, const BoostRules& rules) {
  return Booster(rows, rules).run();
}

}  // namespace tidegauge::bench
