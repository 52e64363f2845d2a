// SPDX-License-Identifier: Apache-2.0
// How a heap is read, for the files that do it. Two passes over the arenas, each by several threads
// that share nothing but what is not written any more: first what there is, then what points to
// what. An object outside the arenas gets its number when all have been met.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "census/address_book.h"
#include "census/autograd.h"
#include "census/heap.h"

namespace tidegauge::census {

constexpr bool is_arrow(Shape shape) {
  return shape >= Shape::ArrowTable && shape <= Shape::ArrowBuffer;
}

class HeapReader {
 public:
  HeapReader(const HeapSource& source, const Interpreter& python, TypeTable& types)
      : source_(source),
        layout_(*python.layout),
        heap_(source.memory, python, types),
        autograd_(source.memory, source.libraries) {}

  Heap read(const std::vector<Address>& roots) &&;

 private:
  struct NodePart {
    std::vector<std::uint32_t> type_ids{};
    NodeBytes bytes{};
    std::vector<Address> natives{};
    std::vector<Address> hidden{};  // parts of objects
  };
  struct EdgePart {
    std::vector<std::uint32_t> ends{};  // in `targets`, of each node's
    std::vector<Node> targets{};
    AddressBook outside{};
  };

  std::size_t arenas() const { return source_.image.map().all().size(); }
  void read_nodes();
  void scan_nodes(NodePart& part, std::size_t first, std::size_t end);
  // An object that was found in a pool.
  ObjectView pool_object(Address object, const TypeInfo* type) const;
  // Its bytes are counted in what it is a part of.
  void hide(Node node);
  void read_edges();
  void scan_edges(EdgePart& part, std::size_t first, std::size_t end);
  void add_behind(EdgePart& part, Node node) const;
  // In order of address, so that each page is read once.
  std::vector<Node> find_outside(const std::vector<AddressBook::Entry>& entries);
  // Behind those of the parts before.
  void take_edges(EdgePart& part);
  void add_edges(Node node);
  Node find_or_add(Address object, bool certain);
  Node add_outside(Address at, std::uint32_t type);

  // What Python objects stand for, and what C++ holds behind them: heap_natives.cc.
  void take_natives(Node node, const ObjectView& object);
  // What a file maps is the file's.
  void take_mapping(Node node, const ObjectView& object);
  // What is shared goes to what consists of it, and to the whole rather than to a slice.
  void read_arrows();
  void add_native_bytes(Node node, std::uint64_t bytes);
  void take_native(Node node, Native native);
  // What C++ holds behind tensors. All tensors have been met: how they are told is known.
  void look_behind();
  // The addresses of nodes: of its graph, and of its gradient.
  std::vector<Address> held_by_tensor(Address impl, std::size_t native);
  Node add_native(Address at, const TypeInfo& type);
  Node node_of_graph(Address at);
  Node node_of_tensor(Address impl);
  // What a step of a graph leads to and has saved; or a tensor of C++.
  void add_native_edges(Node node);

  const HeapSource& source_;
  const Layout& layout_;
  Heap heap_;
  NativeReader native_reader_{};
  Autograd autograd_;
  struct FunctionPlace {
    Node node;
    Address address;
    std::size_t bytes;
  };
  std::vector<FunctionPlace> functions_{};
  std::unordered_map<Address, Node> tensors_{};         // of Python, by what is behind them
  std::unordered_map<Node, std::size_t> natives_of_{};  // tensors' places in the heap's natives
  std::vector<Node> arrows_{};
  std::unordered_map<Node, std::vector<Address>> behind_{};  // what an object holds in C++
  const TypeInfo* graph_type_ = nullptr;
  const TypeInfo* tensor_type_ = nullptr;
  std::unordered_set<Address> refused_{};
};

}  // namespace tidegauge::census
