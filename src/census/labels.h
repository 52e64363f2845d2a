// SPDX-License-Identifier: Apache-2.0
// How a holder speaks of what it holds: .rows, ['image'], [*], [<str, 40 chars>]. All that is said
// of a process's own texts passes secrets/shown.h.
#pragma once

#include <map>
#include <unordered_map>

#include "census/heap.h"
#include "census/references.h"
#include "census/roots.h"
#include "secrets/shown.h"

namespace tidegauge::census {

// Its items have no names of their own.
inline bool is_row(Shape shape) {
  return shape == Shape::List || shape == Shape::Tuple || shape == Shape::Deque;
}

class Labels {
 public:
  // `parents` lead the shortest way to a root; `roots` name where they end.
  Labels(const Heap& heap, const std::vector<Node>& parents,
         const std::unordered_map<Node, const Root*>& roots, secrets::Keys keys)
      : heap_(heap), parents_(parents), roots_(roots), keys_(keys) {}

  // What stands between a holder and what it holds directly. A place among many is [*].
  std::string step(Node holder, Node held);

  // Any entry of a dict.
  std::string any(Node dict) { return is_namespace(dict) ? ".*" : "[*]"; }

  // All steps from `holder` down to `held` on the shortest way; that `holder` is on it is known.
  std::string steps(Node holder, Node held);

  // From a root.
  std::string path(Node node);
  Root::Kind root_kind(Node node);

 private:
  using Steps = std::unordered_map<Node, Reference>;
  bool is_graph(Node node) const { return heap_.type(node).shape == Shape::GraphNode; }
  Node entry_of(Node node);
  std::optional<std::string> native_step(Node holder, Node held) const;
  const Steps& steps_of(Node holder);
  bool is_namespace(Node dict);  // entries are attributes
  std::string name_at(Address key_at);
  std::string key_text(Address key);
  const std::string& field_name(const TypeInfo& type, std::uint64_t offset);
  std::string find_field_name(const TypeInfo& type, std::uint64_t offset) const;

  const Heap& heap_;
  const std::vector<Node>& parents_;
  const std::unordered_map<Node, const Root*>& roots_;
  secrets::Keys keys_;
  std::unordered_map<Node, Steps> known_;
  using Texts = std::unordered_map<Address, std::string>;  // by the str object: mostly few
  Texts shown_names_;
  Texts shown_keys_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> fields_;  // by type and offset
  std::unordered_map<Node, Node> entries_;  // by which a way enters a graph
};

}  // namespace tidegauge::census
