// SPDX-License-Identifier: Apache-2.0
#include "census/heap.h"

#include <algorithm>
#include <bit>

namespace tidegauge::census {

namespace {

constexpr Address kGranule = 16;  // blocks in pools are aligned to that, and so are their objects
constexpr std::uint64_t kMostRead =
    1 << 16;  // of one object outside the pools: its items are read apart

}  // namespace

template <class Call>
void Heap::scan(Call&& call) {
  PoolScanner scanner(types_, layout_);
  const Address step = layout_.pool_bytes;
  for (std::size_t i = 0; i < index_.size(); ++i) {
    const auto bytes = memory_.stretch(i);
    const auto& arena = index_[i];
    for (auto pool = (arena.begin + step - 1) / step * step; pool + step <= arena.end;
         pool += step) {
      const auto offset = static_cast<std::size_t>(pool - arena.begin);
      scanner.scan(pool, bytes.subspan(offset, step),
                   [&](const ObjectView& object) { call(object, i); });
    }
  }
}

void Heap::add_node(const ObjectView& object) {
  const auto node = static_cast<Node>(addresses_.size());
  addresses_.push_back(object.address);
  type_ids_.push_back(object.type->id);
  auto bytes = own_bytes(object, layout_);
  if (object.type->shape == Shape::Dict) {
    bytes += dict_table_bytes(memory_, layout_, object.at<Address>(dict::kKeys),
                              object.at<Address>(dict::kValues));
  }
  bytes_.push_back(bytes);
  take_natives(node, object);
}

void Heap::take_natives(Node node, const ObjectView& object) {
  auto native = native_reader_.read(object, memory_);
  if (!native) return;
  if (native->bytes > 0) native_bytes_[node] = native->bytes;
  bytes_[node] += native->bytes;
  natives_.push_back(*std::move(native));
}

std::uint64_t Heap::references_to(Node node) const {
  return memory_.get<std::uint32_t>(addresses_[node]).value_or(0);
}

std::uint64_t Heap::native_bytes(Node node) const {
  const auto found = native_bytes_.find(node);
  return found == native_bytes_.end() ? 0 : found->second;
}

void Heap::read_nodes(const std::vector<Arena>& arenas) {
  for (const auto& arena : arenas) {
    index_.push_back({arena.begin, arena.end, 0, {}, {}});
    index_.back().bits.resize((arena.end - arena.begin) / kGranule / 64 + 1);
  }
  // Room that is not used costs nothing; moving everything whenever it grows does.
  constexpr std::size_t kFewestBytesEach = 32;
  const auto room = arenas.size() * layout_.arena_bytes / kFewestBytesEach;
  addresses_.reserve(room);
  type_ids_.reserve(room);
  bytes_.reserve(room);
  edges_.first.reserve(room);
  edges_.targets.reserve(room);
  scan([&](const ObjectView& object, std::size_t arena) {
    const auto granule = (object.address - index_[arena].begin) / kGranule;
    index_[arena].bits[granule / 64] |= 1ULL << (granule % 64);
    add_node(object);
  });
  pool_nodes_ = static_cast<Node>(addresses_.size());
  Node first = 0;
  for (auto& index : index_) {
    index.first = first;
    index.before.reserve(index.bits.size());
    Node before = 0;
    for (const auto word : index.bits) {
      index.before.push_back(before);
      before += static_cast<Node>(std::popcount(word));
    }
    first += before;
  }
}

const Heap::Index* Heap::index_of(Address object) const {
  auto it = std::upper_bound(index_.begin(), index_.end(), object,
                             [](Address a, const Index& index) { return a < index.begin; });
  if (it == index_.begin()) return nullptr;
  --it;
  return object < it->end ? &*it : nullptr;
}

Node Heap::find(Address object) const {
  const auto* const index = index_of(object);
  if (index == nullptr) {
    const auto found = outside_.find(object);
    return found == outside_.end() ? kNoNode : found->second;
  }
  const auto offset = object - index->begin;
  if (offset % kGranule != 0) return kNoNode;
  const auto at = offset / kGranule / 64;
  const auto bit = offset / kGranule % 64;
  if (((index->bits[at] >> bit) & 1) == 0) return kNoNode;
  return index->first + index->before[at] +
         static_cast<Node>(std::popcount(index->bits[at] & ((1ULL << bit) - 1)));
}

namespace {

// An object that the collector has in a list: its neighbours point back to it.
bool is_linked(const Memory& memory, Address object) {
  const auto head = object - object::kGcHead;
  const auto next = memory.pointer(head) & ~Address(3);
  return next != 0 && (memory.pointer(next + 8) & ~Address(3)) == head;
}

}  // namespace

std::optional<Heap::Body> Heap::read_outside(Address object, bool certain) const {
  const auto header = memory_.get<std::array<std::uint64_t, 2>>(object);
  if (!header || !is_live_count((*header)[0], layout_)) return {};
  const auto* const type = types_.find((*header)[1]);
  if (type == nullptr) return {};
  // A word that only looks like a pointer must lead to something that proves itself.
  if (!certain && !(type->collected() && is_linked(memory_, object))) return {};
  Body body;
  const auto want = static_cast<std::size_t>(std::max<std::int64_t>(type->basic_bytes, 64));
  body.bytes.resize(want);
  if (!memory_.read(object, body.bytes)) {
    body.bytes.resize(static_cast<std::size_t>(type->basic_bytes));
    if (!memory_.read(object, body.bytes)) return {};
  }
  body.view = {object, type, body.bytes, 0};
  const auto whole = std::min(inline_bytes(body.view, layout_), kMostRead);
  if (whole > body.bytes.size() && type->shape != Shape::Tuple && type->shape != Shape::Text &&
      type->shape != Shape::Bytes) {
    std::vector<std::byte> more(static_cast<std::size_t>(whole));
    if (memory_.read(object, more)) body.bytes = std::move(more);
  }
  body.view.body = body.bytes;
  return body;
}

Node Heap::add_outside(Address object, bool certain) {
  if (object % 8 != 0 || object < (1 << 12)) return kNoNode;
  if (!certain && refused_.count(object) > 0) return kNoNode;
  const auto body = read_outside(object, certain);
  if (!body) {
    refused_.emplace(object, 0);
    return kNoNode;
  }
  const auto node = static_cast<Node>(addresses_.size());
  outside_.emplace(object, node);
  add_node(body->view);
  return node;
}

Node Heap::find_or_add(Address object, bool certain) {
  const auto known = find(object);
  if (known != kNoNode) return known;
  if (index_of(object) != nullptr) return kNoNode;  // in a pool, and no object
  return add_outside(object, certain);
}

void Heap::add_edges(const ObjectView& object) {
  for_each_reference(object, memory_, layout_, [&](const Reference& reference) {
    const auto target = find_or_add(reference.target, reference.certain());
    if (target != kNoNode) edges_.targets.push_back(target);
  });
  edges_.first.push_back(edges_.targets.size());
}

void Heap::read_edges() {
  Node next = 0;
  scan([&](const ObjectView& object, std::size_t) {
    // The copy stands still, so the same objects come in the same order.
    if (next < pool_nodes_ && addresses_[next] == object.address) {
      add_edges(object);
      ++next;
    }
  });
  for (; edges_.nodes() < pool_nodes_;) edges_.first.push_back(edges_.targets.size());
  for (Node node = pool_nodes_; node < addresses_.size(); ++node) add_edges(body(node).view);
}

Heap::Body Heap::body(Node node) const {
  if (node >= pool_nodes_) {
    if (auto outside = read_outside(addresses_[node], true)) return *std::move(outside);
  }
  Body body;
  constexpr std::size_t kLargestBlock = 512;
  const auto address = addresses_[node];
  body.bytes.resize(kLargestBlock);
  while (!body.bytes.empty() && !memory_.read(address, body.bytes)) {
    body.bytes.resize(body.bytes.size() / 2);
  }
  body.view = {address, &type(node), body.bytes, 0};
  const auto whole = inline_bytes(body.view, layout_);
  if (whole < body.bytes.size()) body.bytes.resize(static_cast<std::size_t>(whole));
  body.view.body = body.bytes;
  return body;
}

Heap Heap::read(ImageMemory& memory, const Interpreter& python, const std::vector<Arena>& arenas,
                TypeTable& types, const std::vector<Address>& roots) {
  Heap heap(memory, python, types);
  heap.read_nodes(arenas);
  for (const auto root : roots) heap.find_or_add(root, true);
  heap.read_edges();
  memory.drop();
  return heap;
}

}  // namespace tidegauge::census
