// SPDX-License-Identifier: Apache-2.0
#include "census/dominators.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <set>

namespace tidegauge::census {
namespace {

Edges edges_of(std::size_t nodes, const std::vector<std::pair<Node, Node>>& pairs) {
  Edges edges;
  edges.first.clear();
  for (Node node = 0; node < nodes; ++node) {
    edges.first.push_back(static_cast<std::uint32_t>(edges.targets.size()));
    for (const auto& [from, to] : pairs) {
      if (from == node) edges.targets.push_back(to);
    }
  }
  edges.first.push_back(static_cast<std::uint32_t>(edges.targets.size()));
  return edges;
}

// What can be reached without passing through `removed`.
std::set<Node> reachable(const Edges& edges, const std::vector<Node>& roots, Node removed) {
  std::set<Node> seen;
  std::vector<Node> open;
  for (const Node root : roots) {
    if (root != removed && seen.insert(root).second) open.push_back(root);
  }
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    for (const Node target : edges.of(node)) {
      if (target != removed && seen.insert(target).second) open.push_back(target);
    }
  }
  return seen;
}

TEST(Dominators, OfADiamondIsItsTop) {
  const auto edges = edges_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const Node roots[] = {0};
  const auto found = Dominators::find(edges, roots);
  EXPECT_EQ(found.immediate, (std::vector<Node>{kNoNode, 0, 0, 0}));
}

TEST(Dominators, NobodyAloneHoldsWhatTwoRootsReach) {
  const auto edges = edges_of(3, {{0, 2}, {1, 2}});
  const Node roots[] = {0, 1};
  EXPECT_EQ(Dominators::find(edges, roots).immediate[2], kNoNode);
}

TEST(Dominators, WhatWasSettledStaysWithItsHolder) {
  const auto edges = edges_of(4, {{0, 1}, {1, 2}, {3, 2}});
  const Node first[] = {0};
  const Node later[] = {3};
  DepthFirst search(edges);
  search.visit_from(first);
  search.settle();
  search.visit_from(later);
  EXPECT_EQ(Dominators::find(std::move(search)).immediate,
            (std::vector<Node>{kNoNode, 0, 1, kNoNode}));
}

TEST(Dominators, AnEdgeToARootDoesNotMakeItHeld) {
  const auto edges = edges_of(2, {{0, 1}, {1, 0}});
  const Node roots[] = {0, 1};
  EXPECT_EQ(Dominators::find(edges, roots).immediate, (std::vector<Node>{kNoNode, kNoNode}));
}

// The definition: what a node retains is what cannot be reached any more once it is gone.
TEST(DominatorLaws, RetainedIsWhatRemovalFrees) {
  EXPECT_TRUE(rc::check([] {
    const auto nodes = *rc::gen::inRange<std::size_t>(1, 24);
    const auto node = rc::gen::inRange<Node>(0, static_cast<Node>(nodes));
    const auto pairs =
        *rc::gen::container<std::vector<std::pair<Node, Node>>>(rc::gen::pair(node, node));
    const auto roots = *rc::gen::nonEmpty(rc::gen::container<std::vector<Node>>(node));
    const auto edges = edges_of(nodes, pairs);
    std::vector<std::uint64_t> own(nodes);
    for (std::size_t i = 0; i < nodes; ++i) own[i] = 1ULL << i;
    const auto dominators = Dominators::find(edges, roots);
    const auto retained = retained_bytes(dominators, [&](Node at) { return own[at]; });
    const auto all = reachable(edges, roots, kNoNode);
    for (Node removed = 0; removed < nodes; ++removed) {
      RC_ASSERT(dominators.is_reached(removed) == (all.count(removed) == 1));
      if (all.count(removed) == 0) continue;
      const auto left = reachable(edges, roots, removed);
      std::uint64_t freed = 0;
      for (const Node was : all) freed |= left.count(was) == 0 ? own[was] : 0;
      RC_ASSERT(retained[removed] == freed);
    }
  }));
}

TEST(DominatorLaws, AShortestWayEndsAtARoot) {
  const auto edges = edges_of(5, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}});
  const Node roots[] = {0};
  ShortestWays ways(edges);
  ways.visit_from(roots);
  EXPECT_EQ(ways.parents(), (std::vector<Node>{kNoNode, 0, 1, 0, 3}));
}

}  // namespace
}  // namespace tidegauge::census
