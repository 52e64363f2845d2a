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
  std::vector<std::uint64_t> first{0};
  std::vector<Node> targets{};

  std::size_t nodes() const { return first.size() - 1; }
  std::span<const Node> of(Node node) const {
    return {targets.data() + first[node], targets.data() + first[node + 1]};
  }
};

Edges reversed(const Edges& edges);

// The immediate dominator of each node that can be reached from a root; kNoNode for roots' own
// dominator (nothing holds them alone) and for what cannot be reached. `reached` is in order of
// discovery, so a node's dominator stands before it.
struct Dominators {
  std::vector<Node> immediate{};
  std::vector<Node> reached{};
  std::vector<bool> is_reached{};
};
Dominators find_dominators(const Edges& edges, std::span<const Node> roots);

// Own bytes plus those of all that is dominated.
std::vector<std::uint64_t> retained_bytes(const Dominators& dominators,
                                          std::span<const std::uint64_t> own);

// The neighbour on a shortest way to a root; kNoNode for roots and for what cannot be reached.
std::vector<Node> shortest_parents(const Edges& edges, std::span<const Node> roots);

}  // namespace tidegauge::census
