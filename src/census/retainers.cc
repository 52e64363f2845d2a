// SPDX-License-Identifier: Apache-2.0
#include "census/retainers.h"

#include <algorithm>
#include <future>
#include <map>
#include <set>

#include "census/labels.h"
#include "census/sorted_roots.h"

namespace tidegauge::census {

namespace {

constexpr double kWorthALine = 0.005;  // of all bytes
constexpr std::size_t kMostLines = 40;
constexpr std::size_t kManyEntries = 64;  // of a dict: no key stands out
constexpr std::size_t kSampled = 4096;    // members of a large pile that are looked into at first

// Objects that are held in the same way.
struct Pile {
  std::string path{};
  Root::Kind root = Root::Kind::Module;
  std::vector<Node> nodes{};
  std::uint64_t retained = 0;
};

// What a node dominates directly: a first one, and from each the next one.
class DominatorTree {
 public:
  explicit DominatorTree(const Dominators& dominators)
      : first_(dominators.immediate.size(), kNoNode), next_(dominators.immediate.size(), kNoNode) {
    for (auto it = dominators.reached.rbegin(); it != dominators.reached.rend(); ++it) {
      const auto above = dominators.immediate[*it];
      if (above == kNoNode) continue;
      next_[*it] = first_[above];
      first_[above] = *it;
    }
  }
  bool is_leaf(Node node) const { return first_[node] == kNoNode; }
  bool has_more_than(Node node, std::size_t few) const {
    auto at = first_[node];
    for (std::size_t i = 0; i < few && at != kNoNode; ++i) at = next_[at];
    return at != kNoNode;
  }
  template <class Call>
  void for_each(Node node, Call&& call) const {
    for (auto at = first_[node]; at != kNoNode; at = next_[at]) call(at);
  }

 private:
  std::vector<Node> first_, next_;
};

class Teller {
 public:
  Teller(const Heap& heap, const Dominators& dominators, const std::vector<std::uint64_t>& retained,
         Labels& labels, const std::vector<Node>& parents, const Names& named)
      : heap_(heap),
        dominators_(dominators),
        retained_(retained),
        labels_(labels),
        parents_(parents),
        named_(named),
        tree_(dominators) {
    std::uint64_t all = 0;
    for (const Node node : dominators.reached) all += heap.bytes(node);
    worth_ = static_cast<std::uint64_t>(static_cast<double>(all) * kWorthALine);
  }

  std::vector<Retainer> tell() {
    for (auto& pile : top_piles()) follow(std::move(pile));
    merge_alike();
    std::sort(lines_.begin(), lines_.end(), [](const Retainer& a, const Retainer& b) {
      return a.retained_bytes != b.retained_bytes ? a.retained_bytes > b.retained_bytes
                                                  : a.path < b.path;
    });
    if (lines_.size() > kMostLines) lines_.resize(kMostLines);
    return std::move(lines_);
  }

 private:
  using Told = std::map<std::pair<std::string, std::string>, Retainer>;

  // One that others hold as well, for a moment or by a mistake of ours, hangs on no single holder;
  // who reads of a pile wants it counted with those that are held in the same way.
  void merge_alike() {
    Told told;
    std::set<std::string_view> types;
    for (auto& line : lines_) {
      const auto [place, first] = told.try_emplace({line.path, line.type}, line);
      types.insert(place->first.second);
      if (!first) count_in(place->second, line.count, line.retained_bytes);
    }
    std::size_t looked_up = 0;
    for (const Node node : shared_) find_alike(node, 0, types, told, looked_up);
    lines_.clear();
    for (auto& [key, line] : told) lines_.push_back(std::move(line));
  }

  static void count_in(Retainer& line, std::uint64_t count, std::uint64_t retained) {
    line.count += count;
    line.retained_bytes += retained;
  }

  void find_alike(Node node, int depth, const std::set<std::string_view>& types, Told& told,
                  std::size_t& looked_up) {
    constexpr int kDeepest = 3;  // a row, its dict, what is in it
    constexpr std::size_t kMostLookedUp = 20'000;
    const auto& type = heap_.type(node).name;
    if (types.contains(type) && ++looked_up <= kMostLookedUp) {
      const auto found = told.find({labels_.path(node), type});
      if (found != told.end()) return count_in(found->second, 1, retained_[node]);
    }
    if (depth == kDeepest) return;
    tree_.for_each(node, [&](Node held) { find_alike(held, depth + 1, types, told, looked_up); });
  }

  // What no single object holds alone: held by a root itself, or in several ways. Those that hang
  // on the same holder and are of one type are one pile.
  std::vector<Pile> top_piles() {
    std::map<std::pair<Node, const TypeInfo*>, Pile> piles;
    for (const Node node : dominators_.reached) {
      if (dominators_.immediate[node] != kNoNode) continue;
      const auto parent = parents_[node];
      // A named root is a pile of its own; of what only C code holds, those of a type are one. So
      // is what weighs and has a name in its holder: `batch` and `total` of a module are not alike
      // because both are tensors.
      const bool has_own_name = parent != kNoNode && heap_.type(parent).shape == Shape::Dict;
      const bool alone =
          parent == kNoNode ? named_.contains(node) : has_own_name && retained_[node] >= worth_;
      const auto key = alone ? std::pair(node, static_cast<const TypeInfo*>(nullptr))
                             : std::pair(parent, &heap_.type(node));
      add(node, piles[key]);
    }
    std::vector<Pile> large;
    for (auto& [key, pile] : piles) {
      if (pile.retained < worth_) {
        shared_.insert(shared_.end(), pile.nodes.begin(), pile.nodes.end());
        continue;
      }
      pile.path = labels_.path(pile.nodes.front());
      pile.root = labels_.root_kind(pile.nodes.front());
      large.push_back(std::move(pile));
    }
    return large;
  }

  void add(Node node, Pile& pile) const {
    pile.nodes.push_back(node);
    pile.retained += retained_[node];
  }

  // What the members of a pile hold, in piles again; largest first.
  std::vector<Pile> all_below(const Pile& pile) {
    std::map<std::pair<std::string, const TypeInfo*>, Pile> piles;
    for (std::size_t i = 0; i < pile.nodes.size(); ++i) {
      const Node holder = pile.nodes[i];
      const bool many =
          heap_.type(holder).shape == Shape::Dict && tree_.has_more_than(holder, kManyEntries);
      const bool row = is_row(heap_.type(holder).shape);
      // One after the other is mostly of one type.
      const TypeInfo* last_type = nullptr;
      Pile* last = nullptr;
      tree_.for_each(holder, [&](Node node) {
        if (retained_[node] == 0) return;
        if (row && parents_[node] == holder) {
          if (&heap_.type(node) != last_type) {
            last_type = &heap_.type(node);
            last = &piles[{"[*]", last_type}];
          }
          return add(node, *last);
        }
        const bool one_of_many = many && parents_[node] == holder && retained_[node] < worth_;
        const auto step = one_of_many ? labels_.any(holder) : labels_.steps(holder, node);
        add(node, piles[{step, &heap_.type(node)}]);
      });
    }
    std::vector<Pile> sorted;
    for (auto& [key, found] : piles) {
      found.path = pile.path + key.first;
      found.root = pile.root;
      sorted.push_back(std::move(found));
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const Pile& a, const Pile& b) { return a.retained > b.retained; });
    return sorted;
  }

  bool holds_nothing(const Pile& pile) const {
    return std::all_of(pile.nodes.begin(), pile.nodes.end(), [&](Node node) {
      return tree_.is_leaf(node) || retained_[node] == heap_.bytes(node);
    });
  }

  // Its variables are what one wants to know of, even one that is a single buffer; of an instance
  // that has one, the instance.
  bool is_module(const Pile& pile) const {
    const auto root = named_.find(pile.nodes.front());
    return pile.nodes.size() == 1 && root != named_.end() && root->second->is_namespace;
  }
  bool is_part(const Pile& pile, const Pile& next) const {
    return next.nodes.size() == 1 && holds_nothing(next) && !is_module(pile);
  }

  static bool is_own_dict(const Pile& pile, const Pile& next) { return next.path == pile.path; }

  // One object that holds what matters leads to it; many that are alike are what matters, unless
  // each of them is but a wrapping of the next.
  bool leads_to(const Pile& pile, const Pile& next) const {
    if (pile.nodes.size() == 1) {
      return next.retained * 2 >= pile.retained && !is_part(pile, next);
    }
    return next.retained * 10 >= pile.retained * 6 &&
           next.nodes.size() * 10 >= pile.nodes.size() * 9 &&
           next.nodes.size() <= pile.nodes.size() && !holds_nothing(next);
  }

  // A sample tells whether what is held leads on; where it does, all of it counts.
  std::vector<Pile> below(const Pile& pile) {
    const auto every = std::max<std::size_t>(pile.nodes.size() / kSampled, 1);
    if (every == 1) return all_below(pile);
    Pile sample{.path = pile.path, .root = pile.root};
    for (std::size_t i = 0; i < pile.nodes.size(); i += every) {
      add(pile.nodes[i], sample);
    }
    auto held = all_below(sample);
    const bool leads =
        !held.empty() && (leads_to(sample, held.front()) || is_own_dict(sample, held.front()));
    return leads ? all_below(pile) : held;
  }

  void follow(Pile pile) {
    constexpr int kDeepest = 100;
    for (int depth = 0; depth < kDeepest && !is_graph(pile.nodes.front()); ++depth) {
      auto next = below(pile);
      if (next.empty()) break;
      if (is_own_dict(pile, next.front())) {
        // An instance is told as itself, unless something in its dict is what matters.
        const auto inside = below(next.front());
        if (inside.empty() || !leads_to(next.front(), inside.front())) break;
      }
      if (leads_to(pile, next.front())) {
        for (std::size_t i = 1; i < next.size() && next[i].retained >= worth_; ++i) {
          follow(std::move(next[i]));
        }
        pile = std::move(next.front());
        continue;
      }
      if (pile.nodes.size() > 1 || next.front().retained < worth_) break;
      // Several things of weight hang on one: each gets its own line, the rest stays with it.
      std::uint64_t told = 0;
      for (auto& one : next) {
        if (one.retained < worth_ || is_part(pile, one)) continue;
        told += one.retained;
        follow(std::move(one));
      }
      if (pile.retained - told < worth_) return;
      break;
    }
    emit(pile);
  }

  bool is_graph(Node node) const { return heap_.type(node).shape == Shape::GraphNode; }

  // A graph is one thing, of so many nodes.
  std::size_t nodes_of_graphs(const Pile& pile) const {
    std::size_t count = 0;
    auto left = pile.nodes;
    while (!left.empty()) {
      const Node node = left.back();
      left.pop_back();
      if (is_graph(node)) ++count;
      tree_.for_each(node, [&](Node held) { left.push_back(held); });
    }
    return count;
  }

  void emit(const Pile& pile) {
    const Node first = pile.nodes.front();
    lines_.push_back({pile.path, pile.root, heap_.type(first).name,
                      is_graph(first) ? nodes_of_graphs(pile) : pile.nodes.size(), pile.retained});
  }

  const Heap& heap_;
  const Dominators& dominators_;
  const std::vector<std::uint64_t>& retained_;
  Labels& labels_;
  const std::vector<Node>& parents_;
  const Names& named_;
  DominatorTree tree_;
  std::uint64_t worth_ = 0;
  std::vector<Retainer> lines_;
  std::vector<Node> shared_;  // in piles too small for a line
};

// What nobody with a name reaches, but more references exist than objects account for: C holds it.
std::vector<Node> held_by_c(const Heap& heap, const DepthFirst& search) {
  std::vector<std::uint32_t> known(heap.nodes());
  for (Node node = 0; node < heap.nodes(); ++node) {
    if (search.is_reached(node)) continue;
    for (const Node target : heap.edges().of(node)) ++known[target];
  }
  std::vector<Node> held;
  for (Node node = 0; node < heap.nodes(); ++node) {
    if (!search.is_reached(node) && heap.references_to(node) > known[node]) held.push_back(node);
  }
  return held;
}

std::vector<std::uint64_t> retained_by_type(const Heap& heap, const Dominators& dominators,
                                            const std::vector<std::uint64_t>& retained) {
  std::vector<std::uint64_t> by_type;
  constexpr int kLookedUp = 8;  // one that is held by another of its type is in that one's bytes
  for (const Node node : dominators.reached) {
    const auto& type = heap.type(node);
    bool nested = false;
    auto above = dominators.immediate[node];
    for (int i = 0; i < kLookedUp && above != kNoNode && !nested; ++i) {
      nested = &heap.type(above) == &type;
      above = dominators.immediate[above];
    }
    if (by_type.size() <= type.id) by_type.resize(type.id + 1);
    if (!nested) by_type[type.id] += retained[node];
  }
  return by_type;
}

}  // namespace

Holding find_retainers(const Heap& heap, const std::vector<Root>& roots, secrets::Keys keys) {
  auto sorted = sort_out(heap, roots);
  // The two searches need nothing of each other.
  DepthFirst search(heap.edges());
  ShortestWays ways(heap.edges());
  {
    auto other = std::async(std::launch::async, [&] { ways.visit_from(sorted.starts); });
    search.visit_from(sorted.starts);
    other.get();
  }
  for (const Node node : sorted.passing) {
    if (search.is_reached(node)) {
      sorted.named.erase(node);
      continue;
    }
    search.visit_from({&node, 1});
    ways.visit_from({&node, 1});
  }
  const auto unnamed = held_by_c(heap, search);
  // C code that holds what a named variable leads to holds it for a moment: as an argument, as what
  // an expression has come to so far.
  search.settle();
  search.visit_from(unnamed);
  ways.visit_from(unnamed);
  const auto& parents = ways.parents();

  const auto dominators = Dominators::find(std::move(search));
  const auto retained = retained_bytes(dominators, [&](Node node) { return heap.bytes(node); });
  Labels labels(heap, parents, sorted.named, keys);
  Holding holding;
  holding.retainers = Teller(heap, dominators, retained, labels, parents, sorted.named).tell();
  holding.retained_by_type = retained_by_type(heap, dominators, retained);
  for (Node node = 0; node < heap.nodes(); ++node) {
    if (dominators.is_reached(node)) continue;
    ++holding.garbage.count;
    holding.garbage.bytes += heap.bytes(node);
  }
  return holding;
}

}  // namespace tidegauge::census
