// SPDX-License-Identifier: Apache-2.0
#include "census/labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "census/dicts.h"
#include "census/layout_checks.h"

namespace tidegauge::census {

namespace {

using Kind = Reference::Kind;

constexpr std::size_t kLongestKey = 120;
constexpr int kDeepest = 100;
constexpr std::size_t kMostKnown = 4096;  // holders whose steps are kept
constexpr std::size_t kMostTexts = 65'536;

}  // namespace

const Labels::Steps& Labels::steps_of(Node holder) {
  const auto found = known_.find(holder);
  if (found != known_.end()) return found->second;
  if (known_.size() >= kMostKnown) known_.clear();
  auto& steps = known_[holder];
  if (heap_.type(holder).address == 0) return steps;  // no Python object
  const auto body = heap_.body(holder);
  for_each_reference(body.view, heap_.memory(), heap_.layout(), [&](const Reference& reference) {
    const auto target = heap_.find(reference.target);
    if (target != kNoNode) steps.emplace(target, reference);
  });
  return steps;
}

bool Labels::is_namespace(Node dict) {
  const auto root = roots_.find(dict);
  if (root != roots_.end()) return root->second->is_namespace;
  const auto parent = parents_[dict];
  if (parent == kNoNode || is_row(heap_.type(parent).shape)) return false;
  const auto& steps = steps_of(parent);
  const auto step = steps.find(dict);
  return step != steps.end() && step->second.kind == Kind::Dict;
}

std::string Labels::name_at(Address key_at) {
  const auto text = heap_.memory().pointer(key_at);
  if (const auto known = shown_names_.find(text); known != shown_names_.end()) {
    return known->second;
  }
  if (shown_names_.size() >= kMostTexts) shown_names_.clear();
  return shown_names_[text] =
             secrets::shown_name(read_text(heap_.memory(), heap_.layout(), text, kLongestKey));
}

// A text says which one it is; any other key stands for one of many.
std::string Labels::key_text(Address key) {
  if (const auto known = shown_keys_.find(key); known != shown_keys_.end()) return known->second;
  if (shown_keys_.size() >= kMostTexts) shown_keys_.clear();
  const auto& memory = heap_.memory();
  const auto text = read_text(memory, heap_.layout(), key, kLongestKey);
  if (text.empty()) return shown_keys_[key] = "[*]";
  const auto length = text_length(memory, heap_.layout(), key);
  return shown_keys_[key] = fmt::format("[{}]", secrets::shown_key(text, length, keys_));
}

const std::string& Labels::field_name(const TypeInfo& type, std::uint64_t offset) {
  const auto [place, is_new] = fields_.try_emplace({type.id, offset});
  if (is_new) place->second = find_field_name(type, offset);
  return place->second;
}

// A slot's name: the class has a descriptor that knows its offset.
std::string Labels::find_field_name(const TypeInfo& type, std::uint64_t offset) const {
  const auto& memory = heap_.memory();
  constexpr Address kMember = 40;
  constexpr Address kMemberOffset = 16;
  std::string name;
  auto at = type.address;
  for (int depth = 0; at != 0 && depth < 16 && name.empty(); ++depth) {
    for_each_item(memory, heap_.layout(),
                  memory.pointer(in_object(heap_.layout(), at, type::kDict)),
                  [&](Address key_at, Address value) {
                    if (type_name_of(memory, heap_.layout(), value) != "member_descriptor")
                      return true;
                    const auto member = memory.pointer(in_object(heap_.layout(), value, kMember));
                    if (memory.get<std::uint64_t>(member + kMemberOffset) != offset) return true;
                    name = secrets::shown_name(
                        read_text(memory, heap_.layout(), memory.pointer(key_at), kLongestKey));
                    return false;
                  });
    at = memory.pointer(in_object(heap_.layout(), at, type::kBase));
  }
  return name;
}

// A graph may be a million nodes deep, and all of them have one name: of a node, the first one on
// the way to it from outside the graph; of anything else, itself.
Node Labels::entry_of(Node node) {
  std::vector<Node> passed;
  while (is_graph(node)) {
    if (const auto known = entries_.find(node); known != entries_.end()) {
      node = known->second;
      break;
    }
    const auto parent = parents_[node];
    if (parent == kNoNode || !is_graph(parent)) break;
    passed.push_back(node);
    node = parent;
  }
  for (const auto one : passed) entries_[one] = node;
  return node;
}

// Between objects of C++.
std::optional<std::string> Labels::native_step(Node holder, Node held) const {
  const auto from = heap_.type(holder).shape;
  const auto to = heap_.type(held).shape;
  const bool to_tensor = to == Shape::Tensor || to == Shape::CppTensor;
  if (from == Shape::GraphNode || from == Shape::TorchFunction) {
    if (to_tensor) return ".saved[*]";
    if (from == Shape::GraphNode) return to == Shape::GraphNode ? "" : ".function";
  }
  if (to == Shape::GraphNode) return ".grad_fn";
  if (from == Shape::CppTensor || to == Shape::CppTensor) return ".grad";
  return {};
}

std::string Labels::step(Node holder, Node held) {
  if (auto native = native_step(holder, held)) return *std::move(native);
  const auto shape = heap_.type(holder).shape;
  if (is_row(shape)) return "[*]";
  if (shape == Shape::Set) return "{*}";
  const auto& steps = steps_of(holder);
  const auto found = steps.find(held);
  if (found == steps.end()) return " -> " + heap_.type(held).name;
  const auto& reference = found->second;
  switch (reference.kind) {
    case Kind::Item:
      return "[*]";
    case Kind::Element:
      return "{*}";
    case Kind::Key:
      return " key";
    case Kind::Dict:
      return "";
    case Kind::Attribute:
      return "." + name_at(reference.detail);
    case Kind::Entry:
      if (is_namespace(holder)) {
        return "." + name_at(reference.detail);
      }
      return key_text(heap_.memory().pointer(reference.detail));
    case Kind::Field:
      break;
  }
  const auto& name = field_name(heap_.type(holder), reference.detail);
  return name.empty() ? " -> " + heap_.type(held).name : "." + name;
}

std::string Labels::steps(Node holder, Node held) {
  std::vector<std::string> pieces;
  auto at = held;
  for (int depth = 0; at != holder && depth < kDeepest; ++depth) {
    at = entry_of(at);
    const auto parent = parents_[at];
    if (parent == kNoNode) return " -> ... -> " + heap_.type(held).name;
    pieces.push_back(step(parent, at));
    at = parent;
  }
  std::string all;
  for (auto it = pieces.rbegin(); it != pieces.rend(); ++it) all += *it;
  return all;
}

std::string Labels::path(Node node) {
  auto top = entry_of(node);
  for (int depth = 0; parents_[top] != kNoNode && depth < kDeepest; ++depth) {
    top = entry_of(parents_[top]);
  }
  const auto root = roots_.find(top);
  const auto start = root == roots_.end() ? heap_.type(top).name : root->second->name;
  return start + steps(top, node);
}

Root::Kind Labels::root_kind(Node node) {
  auto top = entry_of(node);
  while (parents_[top] != kNoNode) top = entry_of(parents_[top]);
  const auto root = roots_.find(top);
  return root == roots_.end() ? Root::Kind::Native : root->second->kind;
}

}  // namespace tidegauge::census
