// SPDX-License-Identifier: Apache-2.0
// What torch keeps in C++ for a backward pass: the nodes of its graphs, and the tensors that these
// have saved. No Python object stands for most of them.
#pragma once

#include <set>
#include <utility>

#include "census/natives.h"

namespace tidegauge::census {

// Nothing here is known by version. Where a node has its edges is found out on the first one of
// which all the following is true, and checked on every other: it and its neighbours begin with the
// address of a table of functions, which lies in a library; its edges are an array that fits its
// bounds; and each neighbour is nearer to a leaf than itself, by the number that torch keeps for
// that.
class Autograd {
 public:
  // `libraries` are where files are mapped.
  Autograd(const Memory& memory, const StretchMap& libraries)
      : memory_(memory), libraries_(libraries) {}

  // A tensor for which a Python object stands: how others are told from anything else.
  void learn(const Native& tensor);

  // A node that a tensor came from: how nodes are read.
  void learn_graph(Address impl);

  struct OfTensor {
    Address grad_fn = 0;  // the graph's node that made it; 0: none
    Address grad = 0;     // its gradient, a tensor
    bool requires_grad = false;
  };
  OfTensor of_tensor(Address impl) const;

  bool is_tensor(Address impl) const;
  // Where in a tensor the pointer to its Python object is.
  Address python_object(Address impl) const { return memory_.pointer(impl + back_); }
  Address back_pointer(Address impl) const { return impl + back_; }

  std::uint64_t node_bytes(Address node) const;

  // Calls `next(node)` for each node that this one leads to.
  template <class Next>
  void for_each_next(Address node, Next&& next) const {
    if (!edges_) return;
    const auto begin = memory_.pointer(node + edges_->offset);
    const auto end = memory_.pointer(node + edges_->offset + 8);
    if (begin >= end || end - begin > kMostEdges * edges_->stride) return;
    for (auto at = begin; at < end; at += edges_->stride) {
      if (const auto other = memory_.pointer(at); is_node(other)) next(other);
    }
  }
  // Calls `saved(impl)` for each tensor that lies in these words, or in an array of which they say
  // where it begins, where it ends, and how much room it has.
  template <class Saved>
  void for_each_saved(Address from, std::uint64_t bytes, Saved&& saved) const {
    Address begin = 0;
    Address end = 0;
    for (Address at = 0; at + 8 <= bytes; at += 8) {
      const auto word = memory_.pointer(from + at);
      if (is_tensor(word)) saved(word);
      if (is_array(begin, end, word)) {
        for (auto inner = begin; inner < end; inner += 8) {
          if (const auto one = memory_.pointer(inner); is_tensor(one)) saved(one);
        }
      }
      begin = std::exchange(end, word);
    }
  }
  // Behind its edges: first the Python object that stands for the node, if somebody has asked for
  // one, which the node then keeps; then what each kind of node has saved.
  Address own_fields() const { return edges_ ? edges_->offset + kVectorBytes : 0; }

 private:
  static constexpr std::uint64_t kMostEdges = 1 << 16;
  static constexpr std::uint64_t kMostArrayBytes = 64 << 10;
  static constexpr Address kVectorBytes = 24;

  // The array of edges of a node: where its bounds are, and how far the edges are apart.
  struct EdgesPlace {
    Address offset = 0;
    Address stride = 0;
  };

  bool is_in_library(Address address) const {
    return libraries_.find(address) != StretchMap::kNone;
  }
  // It begins with the address of its functions.
  bool is_node(Address node) const {
    return node % 8 == 0 && node != 0 && is_in_library(memory_.pointer(node));
  }
  bool fits(Address node, const EdgesPlace& place) const;
  bool is_array(Address begin, Address end, Address room) const;
  Address meta_of(Address impl) const;

  const Memory& memory_;
  const StretchMap& libraries_;
  std::set<Address> tensor_functions_{};  // where tensors' tables of functions are
  Address back_ = 0;
  Address meta_ = 0;  // in a tensor: what autograd knows of it
  std::optional<EdgesPlace> edges_{};
};

}  // namespace tidegauge::census
