// SPDX-License-Identifier: Apache-2.0
#include "census/heap.h"

#include <algorithm>
#include <array>

namespace tidegauge::census {

namespace {

constexpr std::uint64_t kMostRead =
    1 << 16;  // of one object outside the pools: its items are read apart

}  // namespace

void NodeBytes::push_back(std::uint64_t bytes) {
  if (bytes >= kLarge) large_[static_cast<Node>(bytes_.size())] = bytes;
  bytes_.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, kLarge)));
}

void NodeBytes::add(Node node, std::uint64_t more) {
  const auto all = (*this)[node] + more;
  if (all >= kLarge) large_[node] = all;
  bytes_[node] = static_cast<std::uint32_t>(std::min<std::uint64_t>(all, kLarge));
}

void NodeBytes::append(const NodeBytes& others) {
  const auto before = static_cast<Node>(bytes_.size());
  bytes_.insert(bytes_.end(), others.bytes_.begin(), others.bytes_.end());
  for (const auto& [node, bytes] : others.large_) large_[before + node] = bytes;
}

Node Heap::find(Address object) const {
  if (index_.covers(object)) return index_.find(object);
  const auto found = outside_.find(object);
  return found == outside_.end() ? kNoNode : found->second;
}

std::uint64_t Heap::references_to(Node node) const {
  // Of what is no Python object all references were followed.
  if (type(node).address == 0) return 0;
  if (!layout_.free_threaded) return memory_.get<std::uint32_t>(address(node)).value_or(0);
  const auto counts = memory_.get<std::array<std::uint64_t, 2>>(address(node) + 8);
  if (!counts) return 0;
  const auto waits = waits_for_its_thread((*counts)[1]) ? 1 : 0;
  const auto all = references_without_lock((*counts)[0], (*counts)[1]) - waits;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(all, 0));
}

std::uint64_t Heap::native_bytes(Node node) const {
  const auto found = native_bytes_.find(node);
  return found == native_bytes_.end() ? 0 : found->second;
}

std::optional<Heap::Body> Heap::read_outside(Address object, bool certain) const {
  const auto type_at = type_of_live(memory_, layout_, object);
  const auto* const type = type_at == 0 ? nullptr : types_.find(type_at);
  if (type == nullptr) return {};
  // A word that only looks like a pointer must lead to something that proves itself.
  if (!certain && type->collected() && !collector_agrees(memory_, layout_, object)) return {};
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

Heap::Body Heap::body(Node node) const {
  const auto at = address(node);
  if (node >= pool_nodes_) {
    if (auto outside = read_outside(at, true)) return *std::move(outside);
  }
  Body body;
  constexpr std::size_t kLargestBlock = 512;
  body.bytes.resize(kLargestBlock);
  while (!body.bytes.empty() && !memory_.read(at, body.bytes)) {
    body.bytes.resize(body.bytes.size() / 2);
  }
  body.view = {at, &type(node), body.bytes, 0};
  const auto whole = inline_bytes(body.view, layout_);
  if (whole < body.bytes.size()) body.bytes.resize(static_cast<std::size_t>(whole));
  body.view.body = body.bytes;
  return body;
}

}  // namespace tidegauge::census
