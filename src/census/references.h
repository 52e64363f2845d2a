// SPDX-License-Identifier: Apache-2.0
// What an object points to: exactly for the containers and instances that make up most of a heap,
// word by word for every other type. All of it is in this header, since it runs for every object.
#pragma once

#include <algorithm>

#include "census/dicts.h"
#include "census/objects.h"

namespace tidegauge::census {

struct Reference {
  enum class Kind : std::uint8_t {
    Item,       // detail: index
    Entry,      // detail: where the key is
    Key,        // of a dict
    Element,    // of a set
    Attribute,  // detail: where the name is
    Dict,       // an instance's or a module's __dict__
    Field,      // detail: offset in the object
  };
  Address target = 0;
  Kind kind = Kind::Field;
  std::uint64_t detail = 0;

  // Known to be an object pointer, or only a word that may be one.
  bool certain() const { return kind != Kind::Field; }
};

// No program has memory above that, or below the first page.
inline bool may_be_pointer(Address word) {
  return word % 8 == 0 && word >= (1 << 12) && word < (1ULL << 47);
}

inline constexpr std::uint64_t kMostItems = 1ULL << 36;

// Calls with (word, index) for each word of a table.
template <class Call>
void for_each_word(const Memory& memory, Address from, std::uint64_t count, Call&& call) {
  constexpr std::size_t kWordsAtOnce = 8192;
  if (const auto at_hand = memory.view(from, count * 8); !at_hand.empty()) {
    for (std::uint64_t i = 0; i < count; ++i) call(value_at<Address>(at_hand, i * 8), i);
    return;
  }
  std::vector<Address> words;
  for (std::uint64_t done = 0; done < count;) {
    words.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWordsAtOnce, count - done)));
    if (!memory.read(from + done * 8, std::as_writable_bytes(std::span(words)))) return;
    for (std::size_t i = 0; i < words.size(); ++i) call(words[i], done + i);
    done += words.size();
  }
}

template <class Call>
class ReferenceReader {
  using Kind = Reference::Kind;

 public:
  ReferenceReader(const ObjectView& object, const Memory& memory, const Layout& layout, Call& call)
      : object_(object), memory_(memory), layout_(layout), call_(call) {}

  void read() {
    switch (object_.type->shape) {
      case Shape::Int:
      case Shape::Text:
      case Shape::Bytes:
        return attributes();  // of subclasses
      case Shape::List:
        return list();
      case Shape::Tuple:
        return tuple();
      case Shape::Dict:
        return dict();
      case Shape::Set:
        return set();
      case Shape::Deque:
        return deque();
      case Shape::Weakref:
        return weakref();
      case Shape::Module:
        give(object_.field<Address>(object::kHeader), Kind::Dict);
        module_state();
        return body(layout_.header() + 8);
      default:
        attributes();
        return body(layout_.header());
    }
  }

 private:
  void give(Address target, Kind kind, std::uint64_t detail = 0) {
    if (target != 0) call_(Reference{target, kind, detail});
  }

  void items(Address from, std::uint64_t count) {
    if (count > kMostItems) return;
    for_each_word(memory_, from, count,
                  [&](Address word, std::uint64_t index) { give(word, Kind::Item, index); });
  }

  void list() {
    items(object_.field<Address>(list::kItems), object_.field<std::uint64_t>(object::kSize));
    attributes();
  }

  void tuple() {
    items(object_.address + layout_.tuple_items, object_.field<std::uint64_t>(object::kSize));
    attributes();
  }

  void dict() {
    for_each_item(memory_, layout_, object_.address, [&](Address key_at, Address value) {
      give(value, Kind::Entry, key_at);
      give(memory_.pointer(key_at), Kind::Key);
      return true;
    });
    const auto plain = static_cast<std::size_t>(dict::kEnd + layout_.shift());
    if (object_.type->basic_bytes > static_cast<std::int64_t>(plain)) body(plain);
    attributes();
  }

  void set() {
    const auto slots = object_.field<std::uint64_t>(set::kMask) + 1;
    if (slots > kMostItems) return;
    for_each_word(memory_, object_.field<Address>(set::kTable), slots * 2,
                  [&](Address word, std::uint64_t index) {
                    if (index % 2 == 0) give(word, Kind::Element);
                  });
    attributes();
  }

  void deque() {
    constexpr std::uint64_t kItemsInBlock = 64;
    constexpr Address kFirstItem = 8;
    constexpr Address kNextBlock = 520;
    auto left = object_.field<std::uint64_t>(object::kSize);
    auto block = object_.field<Address>(24);
    auto index = object_.field<std::uint64_t>(40);
    while (left > 0 && block != 0 && index < kItemsInBlock) {
      const auto count = std::min(left, kItemsInBlock - index);
      for_each_word(memory_, block + kFirstItem + index * 8, count,
                    [&](Address word, std::uint64_t i) { give(word, Kind::Item, i); });
      left -= count;
      index = 0;
      block = memory_.pointer(block + kNextBlock);
    }
    attributes();
  }

  // It does not hold what it refers to, but what is called when that goes; a subclass has more.
  void weakref() {
    constexpr std::size_t kCallback = 24;
    constexpr std::size_t kEnd = 56;
    give(object_.field<Address>(kCallback), Kind::Field, kCallback);
    body(kEnd + layout_.shift());
    attributes();
  }

  // What a module that is made in C keeps for itself.
  void module_state() {
    constexpr Address kDefinition = 24;
    constexpr Address kState = 32;
    constexpr Address kSizeInDefinition = 56;
    constexpr std::int64_t kMostBytes = 1 << 16;
    const auto state = object_.field<Address>(kState);
    const auto definition = object_.field<Address>(kDefinition);
    if (state == 0 || definition == 0) return;
    const auto bytes =
        memory_.get<std::int64_t>(in_object(layout_, definition, kSizeInDefinition)).value_or(0);
    if (bytes <= 0 || bytes > kMostBytes) return;
    for_each_word(memory_, state, static_cast<std::uint64_t>(bytes) / 8,
                  [&](Address word, std::uint64_t) {
                    if (may_be_pointer(word)) give(word, Kind::Field, kState);
                  });
  }

  // Every word of the body that is left. What they point to is checked by whoever is called.
  void body(std::size_t from) {
    const auto inside = static_cast<std::size_t>(inline_bytes(object_, layout_));
    const auto end = std::min(object_.body.size(), body_end(std::max(inside, from)));
    // From 3.14 on a frame says in the lowest bits of a word whether it counts as holding it.
    const bool tagged = object_.type->shape == Shape::Generator &&
                        (layout_.flagged_refcount || layout_.free_threaded);
    const Address tag = tagged ? 3 : 0;
    for (std::size_t at = from; at + 8 <= end; at += 8) {
      const auto word = object_.at<Address>(at) & ~tag;
      const bool own_dict = object_.type->dict_offset > 0 &&
                            at == static_cast<std::size_t>(object_.type->dict_offset);
      const bool weak = object_.type->weakrefs_offset > 0 &&
                        at == static_cast<std::size_t>(object_.type->weakrefs_offset);
      if (may_be_pointer(word) && !weak) give(word, own_dict ? Kind::Dict : Kind::Field, at);
    }
  }

  // A generator's frame is behind its basic size; a type made in C is shorter than a class, and
  // behind it lies something else.
  std::size_t body_end(std::size_t counted) const {
    constexpr std::size_t kStaticType = 400;
    if (object_.type->shape == Shape::Generator) return object_.body.size();
    // Behind it are instructions, and what these remember without holding it.
    if (object_.type->shape == Shape::Code)
      return static_cast<std::size_t>(object_.type->basic_bytes);
    const bool is_static = object_.type->shape == Shape::Type &&
                           (object_.field<std::uint64_t>(type::kFlags) & type::kHeapType) == 0;
    return is_static ? kStaticType + layout_.shift() : counted;
  }

  void values(Address first) {
    const auto& table = object_.type->instance_keys;
    if (!table) return;
    for_each_value(memory_, *table, first, [&](Address key_at, Address value) {
      give(value, Kind::Attribute, key_at);
      return true;
    });
  }

  // What an instance keeps outside its body.
  void attributes() {
    if (!object_.type->is(type::kManagedDict)) return own_dict();
    const auto before = memory_.pointer(object_.address - layout_.gc_head() - 8);
    switch (layout_.instance_kind) {
      case InstanceKind::InBody:
        return;
      case InstanceKind::ValuesBefore:
        give(before, Kind::Dict);
        if (const auto first = memory_.pointer(object_.address - layout_.gc_head() - 16);
            first != 0)
          values(first);
        return;
      case InstanceKind::TaggedBefore:
        if ((before & 1) != 0) return values(before + 1);
        return give(before, Kind::Dict);
      case InstanceKind::InlineValues:
        return inline_values(before);
    }
  }

  // A dict in the body, or behind the items of what has some: then the offset is from the end.
  void own_dict() {
    const auto offset = object_.type->dict_offset;
    if (offset == 0 || object_.type->shape == Shape::Plain) return;  // Plain: by its body
    if (offset > 0) return give(object_.at<Address>(static_cast<std::size_t>(offset)), Kind::Dict);
    constexpr std::uint64_t kWord = 8;
    const auto end = (inline_bytes(object_, layout_) + kWord - 1) / kWord * kWord;
    const auto from_end = static_cast<std::uint64_t>(-offset);
    if (from_end > end || from_end % kWord != 0) return;
    give(memory_.pointer(object_.address + end - from_end), Kind::Dict);
  }

  void inline_values(Address dict) {
    give(dict, Kind::Dict);
    if (!object_.type->is(type::kInlineValues)) return;
    constexpr std::size_t kValid = 3;
    const auto start = static_cast<std::size_t>(object_.type->basic_bytes);
    if (object_.at<std::uint8_t>(start + kValid) == 0) return;  // the dict has taken them over
    values(object_.address + start + 8);
  }

  const ObjectView& object_;
  const Memory& memory_;
  const Layout& layout_;
  Call& call_;
};

// Calls `call(Reference)`. Weak references are left out: they hold nothing.
template <class Call>
void for_each_reference(const ObjectView& object, const Memory& memory, const Layout& layout,
                        Call&& call) {
  ReferenceReader<std::remove_reference_t<Call>>(object, memory, layout, call).read();
}

}  // namespace tidegauge::census
