// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "census/arrow.h"
#include "census/heap_reader.h"

namespace tidegauge::census {

void HeapReader::take_natives(Node node, const ObjectView& object) {
  if (object.type->shape == Shape::TorchFunction) {
    functions_.push_back({node, object.address, object.body.size()});
    return;
  }
  if (object.type->shape == Shape::Mapping) return take_mapping(node, object);
  if (is_arrow(object.type->shape)) return arrows_.push_back(node);
  auto native = native_reader_.read(object, heap_.memory_);
  // A row of addresses, and no object: a program that is not moved in memory, as Debian's Python,
  // has its own objects at addresses as small as counts.
  const bool certain =
      !object.type->collected() || layout_.free_threaded ||
      (heap_.memory_.pointer(object.address - object::kGcHead) != 0 &&  // all of these are followed
       collector_agrees(heap_.memory_, layout_, object.address));
  if (!native && !certain) return hide(node);
  if (!native) {
    constexpr std::size_t kPointer = 16;  // of tensors and images, most often
    heap_.unread_natives_.push_back(object.field<Address>(kPointer));
    return;
  }
  if (object.type->shape == Shape::Tensor) {
    autograd_.learn(*native);
    tensors_.emplace(native->behind, node);
    natives_of_.emplace(node, heap_.natives_.size());
  }
  take_native(node, *std::move(native));
}

void HeapReader::take_mapping(Node node, const ObjectView& object) {
  constexpr std::size_t kStart = 16;
  constexpr std::size_t kBytes = 24;
  const auto place = source_.unnamed.find(object.field<Address>(kStart));
  if (place == StretchMap::kNone) return;
  const auto& [begin, end] = source_.unnamed.all()[place];
  const auto bytes = object.field<std::uint64_t>(kBytes);
  if (bytes <= end - begin) add_native_bytes(node, bytes);
}

void HeapReader::read_arrows() {
  const ArrowReader reader(heap_.memory_, source_.libraries, source_.unnamed,
                           [&](Address address) { return heap_.find(address) != kNoNode; });
  std::vector<std::tuple<Shape, std::int64_t, Node>> ordered;
  for (const Node node : arrows_) {
    const auto length = reader.presumed_length(heap_.body(node).view);
    ordered.emplace_back(heap_.type(node).shape, -std::max<std::int64_t>(length, 0), node);
  }
  std::sort(ordered.begin(), ordered.end());
  for (const auto& [shape, length, node] : ordered) {
    const auto body = heap_.body(node);
    const auto bytes = reader.bytes_of(body.view, native_reader_);
    if (bytes) {
      add_native_bytes(node, *bytes);
    } else {
      heap_.unread_natives_.push_back(heap_.address(node));
    }
  }
}

void HeapReader::add_native_bytes(Node node, std::uint64_t bytes) {
  if (bytes > 0) heap_.native_bytes_[node] = bytes;
  heap_.bytes_.add(node, bytes);
}

void HeapReader::take_native(Node node, Native native) {
  add_native_bytes(node, native.bytes);
  heap_.natives_.push_back(std::move(native));
}

void HeapReader::look_behind() {
  for (const auto& [impl, node] : tensors_) autograd_.learn_graph(impl);
  for (const auto& [impl, node] : tensors_) {
    auto held = held_by_tensor(impl, natives_of_.at(node));
    if (!held.empty()) behind_.emplace(node, std::move(held));
  }
  for (const auto& [node, address, bytes] : functions_) {
    autograd_.for_each_saved(address + layout_.header(), bytes - layout_.header(),
                             [&, to = node](Address impl) {
                               const auto saved = node_of_tensor(impl);
                               if (saved != kNoNode) behind_[to].push_back(heap_.address(saved));
                             });
  }
}

std::vector<Address> HeapReader::held_by_tensor(Address impl, std::size_t native) {
  const auto known = autograd_.of_tensor(impl);
  heap_.natives_[native].requires_grad = known.requires_grad;
  heap_.natives_[native].has_grad_fn = known.grad_fn != 0;
  std::vector<Address> held;
  if (known.grad_fn != 0) held.push_back(heap_.address(node_of_graph(known.grad_fn)));
  if (known.grad != 0) {
    const auto grad = node_of_tensor(known.grad);
    if (grad != kNoNode) held.push_back(heap_.address(grad));
  }
  return held;
}

Node HeapReader::add_native(Address at, const TypeInfo& type) {
  const auto node = add_outside(at, type.id);
  heap_.bytes_.push_back(autograd_.node_bytes(at));
  return node;
}

Node HeapReader::node_of_graph(Address at) {
  const auto known = heap_.outside_.find(at);
  if (known != heap_.outside_.end()) return known->second;
  if (graph_type_ == nullptr) {
    graph_type_ = &heap_.types_.add("torch.autograd.graph.Node", Shape::GraphNode);
  }
  return add_native(at, *graph_type_);
}

Node HeapReader::node_of_tensor(Address impl) {
  if (const auto python = tensors_.find(impl); python != tensors_.end()) return python->second;
  if (const auto known = heap_.outside_.find(impl); known != heap_.outside_.end()) {
    return known->second;
  }
  auto native = native_reader_.tensor_at(impl, autograd_.back_pointer(impl), heap_.memory_);
  if (!native) return kNoNode;
  if (tensor_type_ == nullptr) tensor_type_ = &heap_.types_.add("at::Tensor", Shape::CppTensor);
  const auto node = add_native(impl, *tensor_type_);
  natives_of_.emplace(node, heap_.natives_.size());
  take_native(node, *std::move(native));
  return node;
}

void HeapReader::add_native_edges(Node node) {
  const auto at = heap_.address(node);
  const auto add = [&](Node target) {
    if (target != kNoNode) heap_.edges_.targets.push_back(target);
  };
  if (heap_.type(node).shape == Shape::CppTensor) {
    for (const auto held : held_by_tensor(at, natives_of_.at(node))) add(heap_.find(held));
    return;
  }
  autograd_.for_each_next(at, [&](Address next) { add(node_of_graph(next)); });
  const auto own = autograd_.own_fields();
  const auto bytes = autograd_.node_bytes(at);
  if (own >= bytes) return;
  autograd_.for_each_saved(at + own, bytes - own,
                           [&](Address saved) { add(node_of_tensor(saved)); });
  // Objects that stand for it.
  for (auto field = own; field + 8 <= bytes; field += 8) {
    add(heap_.index_.find(heap_.memory_.pointer(at + field)));
  }
}

}  // namespace tidegauge::census
