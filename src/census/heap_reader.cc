// SPDX-License-Identifier: Apache-2.0
#include "census/heap_reader.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "census/parts.h"
#include "census/references.h"

namespace tidegauge::census {

namespace {

constexpr Node kOutside = 0x80000000U;  // a target that is not in the arenas: by its number there
constexpr std::size_t kMostEdges = 0xfffffff0U;  // numbers of 32 bits; 80 GB of small objects
constexpr std::size_t kNearChunks = 256;         // of 4 KiB, for each thread

bool is_native(Shape shape) {
  return shape == Shape::Tensor || shape == Shape::Array || shape == Shape::ImagingCore ||
         shape == Shape::TorchFunction || shape == Shape::Mapping || is_arrow(shape);
}

std::uint64_t all_own_bytes(const ObjectView& object, const Memory& memory, const Layout& layout) {
  const auto own = own_bytes(object, layout);
  if (object.type->shape == Shape::PackedArray) return own + packed_bytes(object, memory);
  if (object.type->shape != Shape::Dict) return own;
  return own + dict_table_bytes(memory, layout, object.field<Address>(dict::kKeys),
                                object.field<Address>(dict::kValues));
}

}  // namespace

Heap HeapReader::read(const std::vector<Address>& roots) && {
  read_nodes();
  look_behind();
  for (const auto root : roots) find_or_add(root, true);
  read_edges();
  read_arrows();
  source_.image.drop();
  return std::move(heap_);
}

void HeapReader::read_nodes() {
  heap_.index_ = ObjectIndex(source_.image.map());
  std::vector<NodePart> parts(parts_of(arenas(), source_.threads));
  in_parts(arenas(), source_.threads, [&](std::size_t part, std::size_t first, std::size_t end) {
    scan_nodes(parts[part], first, end);
  });
  heap_.pool_nodes_ = heap_.index_.number();
  if (heap_.pool_nodes_ >= kOutside) throw std::length_error("more objects than can be numbered");
  heap_.type_ids_ = std::move(parts[0].type_ids);
  heap_.bytes_ = std::move(parts[0].bytes);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto& ids = heap_.type_ids_;
    ids.insert(ids.end(), parts[i].type_ids.begin(), parts[i].type_ids.end());
    heap_.bytes_.append(parts[i].bytes);
    parts[i].type_ids = {};
    parts[i].bytes = {};
  }
  for (const auto& part : parts) {
    for (const auto object : part.natives) {
      const auto node = heap_.index_.find(object);
      take_natives(node, pool_object(object, &heap_.type(node)));
    }
    for (const auto object : part.hidden) hide(find_or_add(object, true));
  }
}

void HeapReader::scan_nodes(NodePart& part, std::size_t first, std::size_t end) {
  const CachedMemory near(source_.behind, kNearChunks);
  const ImageMemory memory(source_.image, near);
  PoolScanner scanner(heap_.types_, layout_);
  // Room that is not used costs nothing; moving everything whenever it grows does.
  constexpr std::size_t kFewestBytesEach = 32;
  const auto room = (first == 0 ? arenas() : end - first) * layout_.arena_bytes;
  part.type_ids.reserve(room / kFewestBytesEach);
  part.bytes.reserve(room / kFewestBytesEach);
  const Address step = layout_.pool_bytes;
  for (auto arena = first; arena < end; ++arena) {
    const auto bytes = source_.image.stretch(arena);
    const auto& [begin, last] = source_.image.map().all()[arena];
    const auto take = [&, arena = arena](const ObjectView& object) {
      heap_.index_.mark(arena, object.address);
      part.type_ids.push_back(object.type->id);
      part.bytes.push_back(all_own_bytes(object, memory, layout_));
      if (is_native(object.type->shape)) part.natives.push_back(object.address);
      if (has_hidden_content(object, layout_)) {
        part.hidden.push_back(object.field<Address>(kByteArrayContent));
      }
    };
    if (!source_.pages.empty()) {
      scanner.scan_page(begin, bytes, read_page(memory, source_.pages[arena]), take);
      continue;
    }
    for (auto pool = (begin + step - 1) / step * step; pool + step <= last; pool += step) {
      scanner.scan(pool, bytes.subspan(pool - begin, step), take);
    }
  }
}

ObjectView HeapReader::pool_object(Address object, const TypeInfo* type) const {
  const auto start = object & ~Address(layout_.pool_bytes - 1);
  const auto pool = source_.image.view(start, layout_.pool_bytes);
  const auto block = source_.pages.empty()
                         ? proven_block_bytes(pool)
                         : source_.pages[source_.image.map().find(start)].block_bytes;
  // Less where something precedes its block.
  const auto left =
      std::min<std::size_t>(block - type->bytes_before, pool.size() - (object - start));
  return {object, type, pool.subspan(object - start, left), block};
}

void HeapReader::hide(Node node) {
  if (node != kNoNode && heap_.hidden_.insert(node).second) heap_.bytes_.clear(node);
}

void HeapReader::read_edges() {
  std::vector<EdgePart> parts(parts_of(arenas(), source_.threads));
  in_parts(arenas(), source_.threads, [&](std::size_t part, std::size_t first, std::size_t end) {
    scan_edges(parts[part], first, end);
  });
  auto& edges = heap_.edges_;
  edges.first = {0};
  edges.first.reserve(heap_.nodes() + 1);
  for (auto& part : parts) {
    take_edges(part);
    part = {};
  }
  for (auto node = heap_.pool_nodes_; node < heap_.nodes(); ++node) add_edges(node);
}

void HeapReader::scan_edges(EdgePart& part, std::size_t first, std::size_t end) {
  const CachedMemory near(source_.behind, kNearChunks);
  const ImageMemory memory(source_.image, near);
  const auto nodes = heap_.index_.first_of(end) - heap_.index_.first_of(first);
  constexpr std::size_t kUsual = 3;  // references of an object
  part.ends.reserve(nodes);
  // Those of the other parts come behind the first one's: see scan_nodes.
  part.targets.reserve((first == 0 ? heap_.pool_nodes_ : nodes) * kUsual);
  auto node = heap_.index_.first_of(first);
  for (auto arena = first; arena < end; ++arena) {
    heap_.index_.for_each(arena, [&](Address object) {
      const auto view = pool_object(object, &heap_.type(node++));
      for_each_reference(view, memory, layout_, [&](const Reference& reference) {
        if (part.targets.size() >= kMostEdges) return;
        if (heap_.index_.covers(reference.target)) {
          const auto target = heap_.index_.find(reference.target);
          if (target != kNoNode) part.targets.push_back(target);
        } else if (may_be_pointer(reference.target)) {
          part.targets.push_back(kOutside |
                                 part.outside.number_of(reference.target, reference.certain()));
        }
      });
      if (is_native(view.type->shape)) add_behind(part, node - 1);
      part.ends.push_back(static_cast<std::uint32_t>(part.targets.size()));
    });
  }
}

void HeapReader::add_behind(EdgePart& part, Node node) const {
  const auto found = behind_.find(node);
  if (found == behind_.end()) return;
  for (const auto address : found->second) {
    const auto in_arenas = heap_.index_.find(address);
    part.targets.push_back(in_arenas != kNoNode ? in_arenas
                                                : kOutside | part.outside.number_of(address, true));
  }
}

std::vector<Node> HeapReader::find_outside(const std::vector<AddressBook::Entry>& entries) {
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return entries[a].address < entries[b].address;
  });
  std::vector<Node> nodes(entries.size());
  for (const auto i : order) nodes[i] = find_or_add(entries[i].address, entries[i].certain);
  return nodes;
}

void HeapReader::take_edges(EdgePart& part) {
  const auto outside = find_outside(part.outside.all());
  auto& edges = heap_.edges_;
  const bool is_first = edges.targets.empty();
  if (is_first) edges.targets = std::move(part.targets);
  const auto& from = is_first ? edges.targets : part.targets;
  std::size_t done = is_first ? 0 : edges.targets.size();
  if (!is_first) edges.targets.resize(done + from.size());
  std::size_t at = 0;
  for (const auto end : part.ends) {
    for (; at < end; ++at) {
      const auto target = (from[at] & kOutside) != 0 ? outside[from[at] & ~kOutside] : from[at];
      if (target != kNoNode && done < kMostEdges) edges.targets[done++] = target;
    }
    edges.first.push_back(static_cast<std::uint32_t>(done));
  }
  edges.targets.resize(done);
}

void HeapReader::add_edges(Node node) {
  auto& edges = heap_.edges_;
  if (heap_.type(node).address == 0) {
    add_native_edges(node);
    edges.first.push_back(static_cast<std::uint32_t>(edges.targets.size()));
    return;
  }
  // With another allocator than Python's own all tensors are outside.
  if (const auto native = natives_of_.find(node); native != natives_of_.end()) {
    const auto impl = heap_.natives_[native->second].behind;
    autograd_.learn_graph(impl);
    for (const auto held : held_by_tensor(impl, native->second)) {
      edges.targets.push_back(heap_.find(held));
    }
  }
  const auto body = heap_.body(node);
  for_each_reference(body.view, heap_.memory_, layout_, [&](const Reference& reference) {
    const auto target = find_or_add(reference.target, reference.certain());
    if (target != kNoNode && edges.targets.size() < kMostEdges) edges.targets.push_back(target);
  });
  edges.first.push_back(static_cast<std::uint32_t>(edges.targets.size()));
}

Node HeapReader::find_or_add(Address object, bool certain) {
  if (heap_.index_.covers(object)) return heap_.index_.find(object);  // or no object
  const auto known = heap_.outside_.find(object);
  if (known != heap_.outside_.end()) return known->second;
  if (!may_be_pointer(object) || (!certain && refused_.count(object) > 0)) return kNoNode;
  const auto body = heap_.read_outside(object, certain);
  if (!body) {
    refused_.insert(object);
    return kNoNode;
  }
  const auto node = add_outside(object, body->view.type->id);
  heap_.bytes_.push_back(all_own_bytes(body->view, heap_.memory_, layout_));
  if (is_native(body->view.type->shape)) take_natives(node, body->view);
  if (has_hidden_content(body->view, layout_)) {
    hide(find_or_add(body->view.field<Address>(kByteArrayContent), true));
  }
  return node;
}

Node HeapReader::add_outside(Address at, std::uint32_t type) {
  const auto node = static_cast<Node>(heap_.nodes());
  if (node >= kOutside) throw std::length_error("more objects than can be numbered");
  heap_.outside_.emplace(at, node);
  heap_.outside_addresses_.push_back(at);
  heap_.type_ids_.push_back(type);
  return node;
}

Heap read_heap(const HeapSource& source, const Interpreter& python, TypeTable& types,
               const std::vector<Address>& roots) {
  return HeapReader(source, python, types).read(roots);
}

}  // namespace tidegauge::census
