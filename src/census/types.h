// SPDX-License-Identifier: Apache-2.0
// The types of a process, read once each and checked: a pointer that passes here is a type.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "census/dicts.h"
#include "census/locate.h"

namespace tidegauge::census {

// How an object of a type is read.
enum class Shape : std::uint8_t {
  Plain,  // its body, word by word
  Int,
  Text,
  Bytes,
  ByteArray,
  PackedArray,  // array.array
  List,
  Tuple,
  Dict,
  Set,
  Deque,
  Frame,
  Generator,  // generators and coroutines: a frame inside
  Weakref,
  Type,
  Module,
  Code,
  Function,
  Tensor,
  Array,
  ImagingCore,
  ArrowTable,  // of pyarrow, in the order in which they consist of each other
  ArrowBatch,
  ArrowChunks,
  ArrowArray,
  ArrowBuffer,
  Mapping,        // mmap.mmap
  TorchFunction,  // a step of a graph that is written in Python
  // No Python object.
  GraphNode,  // of torch's graphs for the backward pass
  CppTensor,  // for which no Python object stands
};

struct TypeInfo {
  Address address = 0;
  std::string name{};  // "collections.deque", "__main__.Cargo"
  std::int64_t basic_bytes = 0;
  std::int64_t item_bytes = 0;
  std::uint64_t flags = 0;
  std::int64_t dict_offset = 0;
  Shape shape = Shape::Plain;
  std::uint32_t bytes_before = 0;  // the object: the collector's links, a dict's or weakrefs' place
  std::uint32_t shift = 0;         // how much further in its objects have everything
  std::uint32_t id = 0;            // in order of discovery
  std::int64_t weakrefs_offset = 0;         // of the list of weak references; 0: none
  std::optional<KeyTable> instance_keys{};  // the names of its instances' values

  bool collected() const { return (flags & type::kGc) != 0; }
  bool is(std::uint64_t flag) const { return (flags & flag) != 0; }
};

class TypeTable {
 public:
  TypeTable(const Memory& memory, const Interpreter& python) : memory_(memory), python_(python) {}

  // The type at that address, or null if there is none. May be asked by several threads.
  const TypeInfo* find(Address type);
  // Of an object in `memory`.
  const TypeInfo* type_of(const Memory& memory, Address object) {
    return find(memory.pointer(in_object(*python_.layout, object, object::kType)));
  }
  const std::vector<std::unique_ptr<TypeInfo>>& all() const { return types_; }

  // For what is no Python object.
  const TypeInfo& add(std::string name, Shape shape);

 private:
  std::unique_ptr<TypeInfo> read(Address type);
  Shape inherited_shape(Address type);
  std::string name_in_c(Address type) const;
  std::string qualified_name(Address type, std::uint64_t flags);

  const Memory& memory_;
  const Interpreter& python_;
  std::mutex mutex_{};  // for everything below, and for reading `memory_`
  std::unordered_map<Address, const TypeInfo*> known_;  // null: known to be none
  std::vector<std::unique_ptr<TypeInfo>> types_;
};

// How a str keeps its characters.
struct TextState {
  TextState(std::uint32_t state, const Layout& layout)
      : kind((state >> layout.text_kind_bit) & 7),
        compact(((state >> (layout.text_kind_bit + 3)) & 1) != 0),
        ascii(((state >> (layout.text_kind_bit + 4)) & 1) != 0) {}
  std::uint32_t kind;  // bytes of a character
  bool compact, ascii;
};

// A str object's text, cut at `most` characters; control characters and what is not text replaced.
// Empty where it is no str. It is data of that process: to compare with, not to show.
std::string read_text(const Memory& memory, const Layout& layout, Address object, std::size_t most);

// How many characters it has.
std::uint64_t text_length(const Memory& memory, const Layout& layout, Address object);

}  // namespace tidegauge::census
