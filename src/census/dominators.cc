// SPDX-License-Identifier: Apache-2.0
// The semi-NCA algorithm of Georgiadis, Tarjan and Werneck ("Finding dominators in practice",
// 2006): semi-dominators by path compression, then the nearest common ancestor in the tree built so
// far. Most objects of a heap are held by one other only, so edges of the search's own tree, whose
// source is the parent, are not kept a second time.
#include "census/dominators.h"

#include <algorithm>
#include <numeric>

namespace tidegauge::census {

DepthFirst::DepthFirst(const Edges& edges) : edges_(edges) {
  number_.assign(edges.nodes(), 0);
  node_.reserve(edges.nodes() + 1);
  parent_.reserve(edges.nodes() + 1);
  node_.push_back(kNoNode);
  parent_.push_back(0);
}

void DepthFirst::enter(Node node, std::uint32_t parent) {
  number_[node] = static_cast<std::uint32_t>(node_.size());
  node_.push_back(node);
  parent_.push_back(parent);
  // A node without references needs no turn of its own.
  if (edges_.first[node] != edges_.first[node + 1]) stack_.emplace_back(node, edges_.first[node]);
}

void DepthFirst::visit_from(std::span<const Node> roots) {
  for (const Node root : roots) {
    if (number_[root] == 0) {
      enter(root, 0);
    } else if (number_[root] > settled_) {
      back_.push_back({number_[root], 0});  // nobody holds a root alone
    }
    while (!stack_.empty()) {
      auto& [node, next] = stack_.back();
      const auto from = number_[node];
      const auto end = edges_.first[node + 1];
      const auto target = edges_.targets[next++];
      if (next == end) stack_.pop_back();
      if (number_[target] == 0) {
        enter(target, from);
      } else if (number_[target] > settled_ && number_[target] != from &&
                 parent_[number_[target]] != from && parent_[number_[target]] != 0) {
        // The same edge twice, or one to a root, changes nothing.
        back_.push_back({number_[target], from});
      }
    }
  }
}

namespace {

// The forest of semi-NCA with path compression, without recursion.
class Forest {
 public:
  explicit Forest(const std::vector<std::uint32_t>& parent) : trees_(parent.size()) {
    for (std::uint32_t i = 0; i < parent.size(); ++i) trees_[i] = {parent[i], i};
  }

  // The least semi-dominator on the way from `vertex` up to what has not been linked yet.
  std::uint32_t evaluate(std::uint32_t vertex, std::uint32_t last_linked) {
    if (vertex < last_linked) return vertex;
    path_.clear();
    auto at = vertex;
    while (trees_[at].ancestor >= last_linked) {
      path_.push_back(at);
      at = trees_[at].ancestor;
    }
    while (!path_.empty()) {
      auto& below = trees_[path_.back()];
      path_.pop_back();
      const auto& above = trees_[below.ancestor];
      if (above.label < below.label) below.label = above.label;
      below.ancestor = above.ancestor;
    }
    return trees_[vertex].label;
  }

  void set_semi(std::uint32_t vertex, std::uint32_t semi) { trees_[vertex].label = semi; }

 private:
  struct Tree {
    std::uint32_t ancestor = 0, label = 0;
  };
  std::vector<Tree> trees_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

Dominators Dominators::find(DepthFirst search) {
  const auto count = search.node_.size();
  // Sources of back edges by target.
  std::vector<std::uint32_t> first(count + 1);
  for (const auto& back : search.back_) ++first[back.to + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> sources(search.back_.size());
  for (const auto& back : search.back_) sources[first[back.to]++] = back.from;
  search.back_ = {};
  // Each place has moved to the next one's: first[n - 1] to first[n] are those of n now.

  auto semi = search.parent_;
  {
    Forest forest(search.parent_);
    for (auto number = static_cast<std::uint32_t>(count - 1); number > 0; --number) {
      auto least = search.parent_[number];
      for (auto i = first[number - 1]; i < first[number]; ++i) {
        least = std::min(least, forest.evaluate(sources[i], number + 1));
      }
      forest.set_semi(number, least);
      semi[number] = least;
    }
  }
  // From the top: the nearest common ancestor of the parent and the semi-dominator.
  auto& above = search.parent_;
  for (std::uint32_t number = 1; number < count; ++number) {
    while (above[number] > semi[number]) above[number] = above[above[number]];
  }
  Dominators result;
  result.immediate.assign(search.number_.size(), kNoNode);
  for (std::uint32_t number = 1; number < count; ++number) {
    result.immediate[search.node_[number]] = search.node_[above[number]];
  }
  search.node_.erase(search.node_.begin());
  result.reached = std::move(search.node_);
  result.number_ = std::move(search.number_);
  return result;
}

Dominators Dominators::find(const Edges& edges, std::span<const Node> roots) {
  DepthFirst search(edges);
  search.visit_from(roots);
  return find(std::move(search));
}

ShortestWays::ShortestWays(const Edges& edges) : edges_(edges), seen_(edges.nodes()) {
  parents_.assign(edges.nodes(), kNoNode);
  queue_.reserve(edges.nodes());
}

void ShortestWays::visit_from(std::span<const Node> roots) {
  for (const Node root : roots) {
    if (!seen_[root]) queue_.push_back(root);
    seen_[root] = true;
  }
  for (; done_ < queue_.size(); ++done_) {
    for (const Node target : edges_.of(queue_[done_])) {
      if (seen_[target]) continue;
      seen_[target] = true;
      parents_[target] = queue_[done_];
      queue_.push_back(target);
    }
  }
}

}  // namespace tidegauge::census
