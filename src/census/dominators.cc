// SPDX-License-Identifier: Apache-2.0
// The semi-NCA algorithm of Georgiadis, Tarjan and Werneck ("Finding dominators in practice",
// 2006): semi-dominators by path compression, then the nearest common ancestor in the tree built so
// far.
#include "census/dominators.h"

#include <algorithm>

namespace tidegauge::census {

namespace {

// Numbers are those of a depth-first search; 0 is a root above all roots.
struct Search {
  std::vector<std::uint32_t> number;  // by node; 0: not reached
  std::vector<Node> node;             // by number; node[0] is nobody
  std::vector<std::uint32_t> parent;  // by number
};

void visit_from(const Edges& edges, Node root, Search& search,
                std::vector<std::pair<Node, std::uint64_t>>& stack) {
  const auto enter = [&](Node node, std::uint32_t parent) {
    search.number[node] = static_cast<std::uint32_t>(search.node.size());
    search.node.push_back(node);
    search.parent.push_back(parent);
    stack.emplace_back(node, edges.first[node]);
  };
  if (search.number[root] != 0) return;
  enter(root, 0);
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == edges.first[node + 1]) {
      stack.pop_back();
      continue;
    }
    const Node target = edges.targets[next++];
    if (search.number[target] == 0) enter(target, search.number[node]);
  }
}

Search search_depth_first(const Edges& edges, std::span<const Node> roots) {
  Search search;
  search.number.assign(edges.nodes(), 0);
  search.node.push_back(kNoNode);
  search.parent.push_back(0);
  std::vector<std::pair<Node, std::uint64_t>> stack;
  for (const Node root : roots) visit_from(edges, root, search, stack);
  return search;
}

// The forest of semi-NCA with path compression, without recursion.
class Forest {
 public:
  explicit Forest(const std::vector<std::uint32_t>& parent)
      : ancestor_(parent), label_(parent.size()), semi_(parent.size()) {
    for (std::uint32_t i = 0; i < parent.size(); ++i) label_[i] = semi_[i] = i;
  }

  // The least semi-dominator on the way from `vertex` up to what has not been linked yet.
  std::uint32_t evaluate(std::uint32_t vertex, std::uint32_t last_linked) {
    if (vertex < last_linked) return vertex;
    path_.clear();
    auto at = vertex;
    while (ancestor_[at] >= last_linked) {
      path_.push_back(at);
      at = ancestor_[at];
    }
    while (!path_.empty()) {
      const auto below = path_.back();
      path_.pop_back();
      const auto above = ancestor_[below];
      if (label_[above] < label_[below]) label_[below] = label_[above];
      ancestor_[below] = ancestor_[above];
    }
    return label_[vertex];
  }

  void set_semi(std::uint32_t vertex, std::uint32_t semi) { semi_[vertex] = label_[vertex] = semi; }
  std::uint32_t semi(std::uint32_t vertex) const { return semi_[vertex]; }

 private:
  std::vector<std::uint32_t> ancestor_, label_, semi_, path_;
};

void find_semi_dominators(const Edges& back, const Search& search, const std::vector<bool>& is_root,
                          Forest& forest) {
  for (auto number = static_cast<std::uint32_t>(search.node.size() - 1); number > 0; --number) {
    auto semi = search.parent[number];
    if (is_root[search.node[number]]) semi = 0;
    for (const Node source : back.of(search.node[number])) {
      const auto from = search.number[source];
      if (from == 0) continue;  // not reached
      semi = std::min(semi, forest.evaluate(from, number + 1));
    }
    forest.set_semi(number, semi);
  }
}

}  // namespace

Edges reversed(const Edges& edges) {
  Edges back;
  back.first.assign(edges.nodes() + 1, 0);
  for (const Node target : edges.targets) ++back.first[target + 1];
  for (std::size_t i = 1; i < back.first.size(); ++i) back.first[i] += back.first[i - 1];
  back.targets.resize(edges.targets.size());
  auto next = back.first;
  for (std::size_t node = 0; node < edges.nodes(); ++node) {
    for (const Node target : edges.of(static_cast<Node>(node))) {
      back.targets[next[target]++] = static_cast<Node>(node);
    }
  }
  return back;
}

Dominators find_dominators(const Edges& edges, std::span<const Node> roots) {
  const auto search = search_depth_first(edges, roots);
  std::vector<bool> is_root(edges.nodes());
  for (const Node root : roots) is_root[root] = true;
  Forest forest(search.parent);
  find_semi_dominators(reversed(edges), search, is_root, forest);

  // From the top: the nearest common ancestor of the parent and the semi-dominator.
  auto above = search.parent;
  for (std::uint32_t number = 1; number < search.node.size(); ++number) {
    while (above[number] > forest.semi(number)) above[number] = above[above[number]];
  }
  Dominators result;
  result.immediate.assign(edges.nodes(), kNoNode);
  result.is_reached.assign(edges.nodes(), false);
  result.reached.assign(search.node.begin() + 1, search.node.end());
  for (std::uint32_t number = 1; number < search.node.size(); ++number) {
    result.immediate[search.node[number]] = search.node[above[number]];
    result.is_reached[search.node[number]] = true;
  }
  return result;
}

std::vector<std::uint64_t> retained_bytes(const Dominators& dominators,
                                          std::span<const std::uint64_t> own) {
  std::vector<std::uint64_t> retained(own.begin(), own.end());
  for (auto it = dominators.reached.rbegin(); it != dominators.reached.rend(); ++it) {
    const Node above = dominators.immediate[*it];
    if (above != kNoNode) retained[above] += retained[*it];
  }
  return retained;
}

std::vector<Node> shortest_parents(const Edges& edges, std::span<const Node> roots) {
  std::vector<Node> parents(edges.nodes(), kNoNode);
  std::vector<bool> seen(edges.nodes());
  std::vector<Node> queue;
  for (const Node root : roots) {
    if (!seen[root]) queue.push_back(root);
    seen[root] = true;
  }
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (const Node target : edges.of(queue[at])) {
      if (seen[target]) continue;
      seen[target] = true;
      parents[target] = queue[at];
      queue.push_back(target);
    }
  }
  return parents;
}

}  // namespace tidegauge::census
