// SPDX-License-Identifier: Apache-2.0
// The objects of a snapshot and the references between them.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "census/dominators.h"
#include "census/natives.h"
#include "census/object_index.h"
#include "census/objects.h"

namespace tidegauge::census {

// What each node takes: a 32-bit number for almost all of them.
class NodeBytes {
 public:
  std::uint64_t operator[](Node node) const {
    return bytes_[node] != kLarge ? bytes_[node] : large_.find(node)->second;
  }
  std::size_t size() const { return bytes_.size(); }
  void reserve(std::size_t nodes) { bytes_.reserve(nodes); }
  void push_back(std::uint64_t bytes);
  void add(Node node, std::uint64_t more);
  void clear(Node node) { bytes_[node] = 0; }
  void append(const NodeBytes& others);

 private:
  static constexpr std::uint32_t kLarge = 0xffffffffU;
  std::vector<std::uint32_t> bytes_{};
  std::unordered_map<Node, std::uint64_t> large_{};
};

class Heap {
 public:
  std::size_t nodes() const { return type_ids_.size(); }
  Node find(Address object) const;  // kNoNode: not one of them
  Address address(Node node) const {
    return node < pool_nodes_ ? index_.address(node) : outside_addresses_[node - pool_nodes_];
  }
  const TypeInfo& type(Node node) const { return *types_.all()[type_ids_[node]]; }
  std::uint64_t bytes(Node node) const { return bytes_[node]; }  // own, native ones included
  std::uint64_t native_bytes(Node node) const;
  bool is_hidden(Node node) const { return hidden_.contains(node); }  // a part of another object
  std::size_t hidden() const { return hidden_.size(); }
  std::uint64_t references_to(Node node) const;  // its reference count
  const Edges& edges() const { return edges_; }
  const std::vector<Native>& natives() const { return natives_; }
  const std::vector<Address>& unread_natives() const { return unread_natives_; }

  // The object behind a node, read again.
  struct Body {
    std::vector<std::byte> bytes;
    ObjectView view;
  };
  Body body(Node node) const;
  const Memory& memory() const { return memory_; }
  const Layout& layout() const { return layout_; }

 private:
  friend class HeapReader;
  Heap(const Memory& memory, const Interpreter& python, TypeTable& types)
      : memory_(memory), layout_(*python.layout), types_(types) {}
  std::optional<Body> read_outside(Address object, bool certain) const;

  const Memory& memory_;
  const Layout& layout_;
  TypeTable& types_;
  ObjectIndex index_{};  // of those in the arenas, which are the first nodes
  Node pool_nodes_ = 0;
  std::vector<Address> outside_addresses_{};  // of the others
  std::unordered_map<Address, Node> outside_{};
  std::vector<std::uint32_t> type_ids_{};
  NodeBytes bytes_{};
  Edges edges_{};
  std::vector<Native> natives_{};
  std::unordered_map<Node, std::uint64_t> native_bytes_{};
  std::unordered_set<Node> hidden_{};
  std::vector<Address> unread_natives_{};  // where they ought to be
};

// Where a heap is read from.
struct HeapSource {
  Image& image;                 // of the arenas; dropped once everything has been read
  const Memory& behind;         // the rest, which several threads may read at once
  const Memory& memory;         // both, for one
  const StretchMap& libraries;  // where files are mapped: how C++'s objects are known
  const StretchMap& unnamed;    // what is no file's
  std::size_t threads = 1;
  std::span<const MimallocPage> pages{};  // what the arenas are, where they are mimalloc's
};

// Reads everything: the arenas, and what lies outside them as it is met. `roots` are objects that
// somebody else knows of.
Heap read_heap(const HeapSource& source, const Interpreter& python, TypeTable& types,
               const std::vector<Address>& roots);

}  // namespace tidegauge::census
