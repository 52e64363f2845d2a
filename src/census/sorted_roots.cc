// SPDX-License-Identifier: Apache-2.0
#include "census/sorted_roots.h"

#include <algorithm>
#include <unordered_set>

#include "census/parts.h"

namespace tidegauge::census {

namespace {

// Few among many: most that are not are told from it by one bit, of few enough to stay near.
class FewNodes {
 public:
  void add(Node node) {
    hints_[node % hints_.size()] = true;
    nodes_.insert(node);
  }
  bool contains(Node node) const { return hints_[node % hints_.size()] && nodes_.contains(node); }

 private:
  std::vector<bool> hints_ = std::vector<bool>(1 << 16);
  std::unordered_set<Node> nodes_{};
};

FewNodes local_variables(const Heap& heap, const std::vector<Root>& roots) {
  FewNodes variables;
  for (const auto& root : roots) {
    const auto node = root.kind == Root::Kind::Frame ? heap.find(root.object) : kNoNode;
    if (node != kNoNode) variables.add(node);
  }
  return variables;
}

// Those that another object refers to; a frame is the variable itself.
std::unordered_set<Node> referred_among(const FewNodes& few, const Heap& heap) {
  const auto threads = threads_to_use();
  std::vector<std::unordered_set<Node>> found(parts_of(heap.nodes(), threads));
  in_parts(heap.nodes(), threads, [&](std::size_t part, std::size_t first, std::size_t end) {
    for (auto node = static_cast<Node>(first); node < end; ++node) {
      for (const Node target : heap.edges().of(node)) {
        if (!few.contains(target) || target == node) continue;
        if (heap.type(node).shape != Shape::Frame) found[part].insert(target);
      }
    }
  });
  for (auto& part : found) found[0].merge(part);
  return std::move(found[0]);
}

}  // namespace

SortedRoots sort_out(const Heap& heap, const std::vector<Root>& roots) {
  const auto referred = referred_among(local_variables(heap, roots), heap);
  const auto passes = [&](const Root& root, Node node) {
    return root.kind == Root::Kind::Frame && referred.contains(node) &&
           heap.type(node).shape != Shape::Frame;
  };
  SortedRoots sorted;
  for (const bool passing : {false, true}) {
    for (const auto& root : roots) {
      const auto node = heap.find(root.object);
      if (node == kNoNode || passes(root, node) != passing) continue;
      // A running function's name stands before a module's; but what a module consists of has the
      // module's name, even while something runs that was given it to fill.
      const auto [known, is_new] = sorted.named.emplace(node, &root);
      if (is_new) (passing ? sorted.passing : sorted.starts).push_back(node);
      // Of several running functions that were given the same, the outermost one holds it: it comes
      // last.
      const bool outer = known->second->kind == Root::Kind::Frame && root.kind == Root::Kind::Frame;
      // Of a module that is known by two names (__main__, __mp_main__) the first one counts.
      const bool module = root.is_namespace && !known->second->is_namespace;
      if (module || outer) known->second = &root;
    }
  }
  std::reverse(sorted.passing.begin(), sorted.passing.end());
  return sorted;
}

}  // namespace tidegauge::census
