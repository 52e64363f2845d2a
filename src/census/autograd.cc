// SPDX-License-Identifier: Apache-2.0
#include "census/autograd.h"

namespace tidegauge::census {

namespace {

// In what autograd knows of a tensor: a table of functions, a name, a gradient, the node.
constexpr Address kGrad = 40;
constexpr Address kGradFn = 48;

// Up to 2.10 or so a pointer to a node was one of two words, and an edge of three.
constexpr Address kWideEdge = 24;
constexpr Address kNarrowEdge = 16;

// How far a node is from the leaves. It comes behind its number, which comes behind what counts
// references to it: one word, or two.
constexpr Address height_offset(Address stride) {
  return stride == kWideEdge ? 32 : 24;
}

}  // namespace

void Autograd::learn(const Native& tensor) {
  if (tensor.behind == 0) return;
  const auto functions = memory_.pointer(tensor.behind);
  if (!is_in_library(functions)) return;
  tensor_functions_.insert(functions);
  back_ = tensor.back;
  meta_ = tensor.wide ? 32 : 24;
}

bool Autograd::is_tensor(Address impl) const {
  return impl % 16 == 0 && impl != 0 && !tensor_functions_.empty() &&
         tensor_functions_.contains(memory_.pointer(impl));
}

bool Autograd::fits(Address node, const EdgesPlace& place) const {
  const auto begin = memory_.pointer(node + place.offset);
  const auto end = memory_.pointer(node + place.offset + 8);
  const auto room = memory_.pointer(node + place.offset + 16);
  if (begin == 0 || begin % 16 != 0 || end <= begin || room < end ||
      end - begin > kMostEdges * place.stride || (end - begin) % place.stride != 0) {
    return false;
  }
  constexpr std::uint32_t kMostInputs = 1 << 16;
  const auto height_at = height_offset(place.stride);
  const auto height = memory_.get<std::uint64_t>(node + height_at).value_or(0);
  bool leads_on = false;
  for (auto at = begin; at < end; at += place.stride) {
    const auto other = memory_.pointer(at);
    if (other == 0) continue;
    const auto input = memory_.get<std::uint32_t>(at + place.stride - 8).value_or(kMostInputs);
    const auto others = memory_.get<std::uint64_t>(other + height_at).value_or(height);
    if (!is_node(other) || input >= kMostInputs || others >= height) return false;
    leads_on = true;
  }
  return leads_on;
}

// Neighbouring words that lead to different objects look like bounds, too, and between those lies
// whatever there is. So an array has to be all that malloc gave away in one piece, or at least to
// begin with a tensor, as no object of C++ does.
bool Autograd::is_array(Address begin, Address end, Address room) const {
  if (begin == 0 || begin % 16 != 0 || end <= begin || end % 8 != 0 || room < end ||
      room - begin > kMostArrayBytes || is_in_library(begin)) {
    return false;
  }
  constexpr std::uint64_t kFlags = 7;
  constexpr std::uint64_t kHeader = 8;
  constexpr std::uint64_t kMostSlack = 32;  // what is left of a piece is given away with it
  const auto piece = memory_.pointer(begin - kHeader) & ~kFlags;
  const auto needed = room - begin + kHeader;
  return (piece >= needed && piece - needed < kMostSlack) || is_tensor(memory_.pointer(begin));
}

Address Autograd::meta_of(Address impl) const {
  if (meta_ == 0 || !is_tensor(impl)) return 0;
  const auto meta = memory_.pointer(impl + meta_);
  return is_node(meta) ? meta : 0;  // which begins in the same way
}

void Autograd::learn_graph(Address impl) {
  const auto meta = edges_ ? 0 : meta_of(impl);
  const auto node = meta == 0 ? 0 : memory_.pointer(meta + kGradFn);
  if (!is_node(node)) return;
  constexpr Address kFirst = 40;
  constexpr Address kLast = 200;
  for (const auto stride : {kNarrowEdge, kWideEdge}) {
    for (auto offset = kFirst; offset <= kLast; offset += 8) {
      if (!fits(node, {offset, stride})) continue;
      edges_ = {offset, stride};
      return;
    }
  }
}

Autograd::OfTensor Autograd::of_tensor(Address impl) const {
  const auto meta = meta_of(impl);
  if (meta == 0) return {};
  OfTensor known;
  if (const auto grad = memory_.pointer(meta + kGrad); is_tensor(grad)) known.grad = grad;
  const auto grad_fn = memory_.pointer(meta + kGradFn);
  if (edges_ && is_node(grad_fn)) {
    known.grad_fn = grad_fn;
    known.requires_grad = true;
    return known;
  }
  // Behind pointers to two nodes, of one or two words each: a forward gradient and three lists of
  // hooks, one of which older versions lack. While no graph has been seen it may be either.
  const auto is_set = [&](Address offset) { return memory_.get<char>(meta + offset) == 1; };
  constexpr Address kNarrow = 128;
  constexpr Address kWide = 144;
  constexpr Address kOlder = 136;
  const bool narrow = !edges_ || edges_->stride == kNarrowEdge;
  const bool wide = !edges_ || edges_->stride == kWideEdge;
  known.requires_grad =
      (narrow && is_set(kNarrow)) || (wide && is_set(kWide)) || (wide && edges_ && is_set(kOlder));
  return known;
}

// What malloc keeps before it; where that makes no sense, what the smallest ones take.
std::uint64_t Autograd::node_bytes(Address node) const {
  constexpr std::uint64_t kFlags = 7;
  constexpr std::uint64_t kSmallest = 128;
  constexpr std::uint64_t kLargest = 1 << 16;
  const auto chunk = memory_.pointer(node - 8) & ~kFlags;
  return chunk >= kSmallest && chunk <= kLargest && chunk % 16 == 0 ? chunk - 8 : kSmallest;
}

}  // namespace tidegauge::census
