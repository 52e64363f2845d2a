// SPDX-License-Identifier: Apache-2.0
// The objects of a snapshot and the references between them.
#pragma once

#include <memory>
#include <unordered_map>

#include "census/dominators.h"
#include "census/natives.h"
#include "census/references.h"

namespace tidegauge::census {

class Heap {
 public:
  // Reads everything: the arenas, which are the stretches of `memory`, and what lies outside them
  // as it is met; then drops the stretches. `roots` are objects that somebody else knows of.
  static Heap read(ImageMemory& memory, const Interpreter& python, const std::vector<Arena>& arenas,
                   TypeTable& types, const std::vector<Address>& roots);

  std::size_t nodes() const { return addresses_.size(); }
  Node find(Address object) const;  // kNoNode: not one of them
  Address address(Node node) const { return addresses_[node]; }
  const TypeInfo& type(Node node) const { return *types_.all()[type_ids_[node]]; }
  std::uint64_t bytes(Node node) const { return bytes_[node]; }  // own, native ones included
  std::uint64_t native_bytes(Node node) const;
  std::uint64_t references_to(Node node) const;  // its reference count
  std::span<const std::uint64_t> all_bytes() const { return bytes_; }
  const Edges& edges() const { return edges_; }
  const std::vector<Native>& natives() const { return natives_; }

  // The object behind a node, read again.
  struct Body {
    std::vector<std::byte> bytes;
    ObjectView view;
  };
  Body body(Node node) const;
  const Memory& memory() const { return memory_; }
  const Layout& layout() const { return layout_; }

 private:
  // One bit for every 16 bytes of an arena, and how many were set before each word of them.
  struct Index {
    Address begin = 0, end = 0;
    Node first = 0;
    std::vector<std::uint64_t> bits{};
    std::vector<Node> before{};
  };

  Heap(ImageMemory& memory, const Interpreter& python, TypeTable& types)
      : memory_(memory), layout_(*python.layout), types_(types) {}
  template <class Call>
  void scan(Call&& call);
  void read_nodes(const std::vector<Arena>& arenas);
  void read_edges();
  void add_node(const ObjectView& object);
  void add_edges(const ObjectView& object);
  const Index* index_of(Address object) const;  // of the arena that it lies in
  Node find_or_add(Address object, bool certain);
  Node add_outside(Address object, bool certain);
  std::optional<Body> read_outside(Address object, bool certain) const;
  void take_natives(Node node, const ObjectView& object);

  ImageMemory& memory_;
  const Layout& layout_;
  TypeTable& types_;
  std::vector<Address> addresses_;
  std::vector<std::uint32_t> type_ids_;
  std::vector<std::uint64_t> bytes_;
  std::vector<Index> index_;
  Node pool_nodes_ = 0;
  std::unordered_map<Address, Node> outside_;
  std::unordered_map<Address, char> refused_;
  Edges edges_;
  std::vector<Native> natives_;
  std::unordered_map<Node, std::uint64_t> native_bytes_;
  NativeReader native_reader_{};
};

}  // namespace tidegauge::census
