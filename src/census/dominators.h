// SPDX-License-Identifier: Apache-2.0
// Who holds what: the immediate dominators of a graph, and what each node alone keeps alive.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tidegauge::census {

using Node = std::uint32_t;
inline constexpr Node kNoNode = 0xffffffffU;

// Edges by source: targets[first[n]] to targets[first[n + 1]].
struct Edges {
  std::vector<std::uint32_t> first{0};
  std::vector<Node> targets{};

  std::size_t nodes() const { return first.size() - 1; }
  std::span<const Node> of(Node node) const {
    return {targets.data() + first[node], targets.data() + first[node + 1]};
  }
};

// A search through a graph, depth first, that can be carried on from further roots. Numbers are in
// order of discovery; 0 is nobody, above all roots.
class DepthFirst {
 public:
  explicit DepthFirst(const Edges& edges);
  void visit_from(std::span<const Node> roots);

  // What has been reached so far belongs to the roots that there were: that others lead there, too,
  // does not count.
  void settle() { settled_ = static_cast<std::uint32_t>(node_.size()) - 1; }

  bool is_reached(Node node) const { return number_[node] != 0; }

 private:
  friend struct Dominators;
  // An edge to what had been discovered before.
  struct Back {
    std::uint32_t to = 0, from = 0;  // numbers
  };
  void enter(Node node, std::uint32_t parent);

  const Edges& edges_;
  std::uint32_t settled_ = 0;          // the last number
  std::vector<std::uint32_t> number_;  // by node; 0: not reached
  std::vector<Node> node_;             // by number
  std::vector<std::uint32_t> parent_;  // by number
  std::vector<Back> back_;
  std::vector<std::pair<Node, std::uint32_t>> stack_;
};

// The immediate dominator of each node that can be reached from a root; kNoNode for roots' own
// dominator (nothing holds them alone) and for what cannot be reached. `reached` is in order of
// discovery, so a node's dominator stands before it.
struct Dominators {
  std::vector<Node> immediate{};
  std::vector<Node> reached{};
  bool is_reached(Node node) const { return number_[node] != 0; }

  static Dominators find(DepthFirst search);
  static Dominators find(const Edges& edges, std::span<const Node> roots);

 private:
  std::vector<std::uint32_t> number_{};
};

// Own bytes, which `own(node)` tells, plus those of all that is dominated.
template <class Own>
std::vector<std::uint64_t> retained_bytes(const Dominators& dominators, Own&& own) {
  std::vector<std::uint64_t> retained(dominators.immediate.size());
  for (auto it = dominators.reached.rbegin(); it != dominators.reached.rend(); ++it) {
    retained[*it] += own(*it);
    const Node above = dominators.immediate[*it];
    if (above != kNoNode) retained[above] += retained[*it];
  }
  return retained;
}

// The shortest way from each node to a root, which can be carried on from further roots.
class ShortestWays {
 public:
  explicit ShortestWays(const Edges& edges);
  void visit_from(std::span<const Node> roots);
  // The neighbour on the way; kNoNode for roots and for what cannot be reached.
  const std::vector<Node>& parents() const { return parents_; }

 private:
  const Edges& edges_;
  std::vector<Node> parents_;
  std::vector<bool> seen_;
  std::vector<Node> queue_;
  std::size_t done_ = 0;
};

}  // namespace tidegauge::census
