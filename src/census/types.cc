// SPDX-License-Identifier: Apache-2.0
#include "census/types.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "census/utf8.h"
#include "secrets/shown.h"

namespace tidegauge::census {

namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::int64_t kLargestBasicBytes = 1 << 20;
constexpr std::size_t kMostTypes = 200'000;

Shape shape_of(const std::string& name, std::uint64_t flags) {
  static constexpr std::pair<std::string_view, Shape> kByName[] = {
      {"set", Shape::Set},
      {"frozenset", Shape::Set},
      {"bytearray", Shape::ByteArray},
      {"array.array", Shape::PackedArray},
      {"mmap.mmap", Shape::Mapping},
      {"frozendict", Shape::Dict},  // from 3.15 on, and no subclass of dict
      {"collections.deque", Shape::Deque},
      {"frame", Shape::Frame},
      {"generator", Shape::Generator},
      {"coroutine", Shape::Generator},
      {"async_generator", Shape::Generator},
      {"module", Shape::Module},
      {"code", Shape::Code},
      {"function", Shape::Function},
      {"weakref", Shape::Weakref},
      {"weakref.ReferenceType", Shape::Weakref},
      {"weakproxy", Shape::Weakref},
      {"numpy.ndarray", Shape::Array},
      {"pyarrow.lib.Table", Shape::ArrowTable},
      {"pyarrow.lib.RecordBatch", Shape::ArrowBatch},
      {"pyarrow.lib.ChunkedArray", Shape::ArrowChunks},
      {"pyarrow.lib.Array", Shape::ArrowArray},
      {"pyarrow.lib.Buffer", Shape::ArrowBuffer},
      {"ImagingCore", Shape::ImagingCore},
      {"PIL._imaging.ImagingCore", Shape::ImagingCore},
  };
  static constexpr std::pair<std::uint64_t, Shape> kByFlag[] = {
      {type::kTypeObject, Shape::Type}, {type::kDictionary, Shape::Dict},
      {type::kList, Shape::List},       {type::kTuple, Shape::Tuple},
      {type::kText, Shape::Text},       {type::kBytes, Shape::Bytes},
      {type::kInt, Shape::Int},
  };
  for (const auto& [flag, shape] : kByFlag) {
    if ((flags & flag) != 0) return shape;
  }
  for (const auto& [known, shape] : kByName) {
    if (name == known) return shape;
  }
  return Shape::Plain;
}

}  // namespace

namespace {

std::uint32_t bytes_before(const TypeInfo& type, const Layout& layout) {
  const auto bytes = static_cast<std::uint32_t>(type.collected() ? layout.gc_head() : 0);
  switch (layout.instance_kind) {
    case InstanceKind::InBody:
      return bytes;
    case InstanceKind::ValuesBefore:
      return bytes + (type.is(type::kManagedDict) ? 16 : 0);
    case InstanceKind::TaggedBefore:
    case InstanceKind::InlineValues:
      return bytes + (type.is(type::kManagedDict | type::kManagedWeakref) ? 16 : 0);
  }
  return bytes;
}

}  // namespace

const TypeInfo* TypeTable::find(Address type) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(type);
  if (known != known_.end()) return known->second;
  std::unique_ptr<TypeInfo> found;
  if (type % 8 == 0 && type != 0 && types_.size() < kMostTypes) found = read(type);
  const TypeInfo* const result = found.get();
  known_.emplace(type, result);
  if (found) {
    found->id = static_cast<std::uint32_t>(types_.size());
    types_.push_back(std::move(found));
  }
  return result;
}

const TypeInfo& TypeTable::add(std::string name, Shape shape) {
  const std::lock_guard lock(mutex_);
  auto info = std::make_unique<TypeInfo>();
  info->name = std::move(name);
  info->shape = shape;
  info->id = static_cast<std::uint32_t>(types_.size());
  types_.push_back(std::move(info));
  return *types_.back();
}

std::unique_ptr<TypeInfo> TypeTable::read(Address type) {
  const auto& layout = *python_.layout;
  std::array<std::byte, type::kReadBytes> body;
  if (!memory_.read(type, body)) return {};
  const auto bytes = std::span<const std::byte>(body).subspan(layout.shift());
  const auto meta = value_at<Address>(bytes, object::kType);
  // A type's type is `type`, or a metatype, whose flags say that its instances are types.
  if (meta != python_.type_type) {
    const auto flags =
        memory_.get<std::uint64_t>(in_object(layout, meta, type::kFlags)).value_or(0);
    if (meta % 8 != 0 || (flags & type::kTypeObject) == 0) return {};
    const auto above = memory_.pointer(in_object(layout, meta, object::kType));
    const auto above_flags =
        memory_.get<std::uint64_t>(in_object(layout, above, type::kFlags)).value_or(0);
    if (above != python_.type_type && (above_flags & type::kTypeObject) == 0) return {};
  }
  auto info = std::make_unique<TypeInfo>();
  info->address = type;
  info->basic_bytes = value_at<std::int64_t>(bytes, type::kBasicSize);
  info->item_bytes = value_at<std::int64_t>(bytes, type::kItemSize);
  info->flags = value_at<std::uint64_t>(bytes, type::kFlags);
  info->dict_offset = value_at<std::int64_t>(bytes, type::kDictOffset);
  info->weakrefs_offset = value_at<std::int64_t>(bytes, type::kWeakrefsOffset);
  if (info->basic_bytes < 16 || info->basic_bytes > kLargestBasicBytes || info->item_bytes < 0 ||
      info->item_bytes > 4096) {
    return {};
  }
  info->name = qualified_name(type, info->flags);
  if (info->name.empty()) return {};
  info->shape = shape_of(info->name, info->flags);
  if (info->shape == Shape::Plain) info->shape = inherited_shape(type);
  info->name = secrets::shown_name(info->name);
  info->bytes_before = bytes_before(*info, layout);
  info->shift = static_cast<std::uint32_t>(layout.shift());
  if (info->is(type::kHeapType)) {
    const auto keys = memory_.pointer(type + layout.heap_type_cached_keys);
    info->instance_keys = read_key_table(memory_, layout, keys);
  }
  return info;
}

// Subclasses of arrays, tensors and deques are read as what they come from.
Shape TypeTable::inherited_shape(Address type) {
  constexpr int kDeepest = 16;
  for (int depth = 0; depth < kDeepest; ++depth) {
    type = memory_.pointer(in_object(*python_.layout, type, type::kBase));
    if (type == 0) break;
    const auto name = name_in_c(type);
    if (name.ends_with("TensorBase")) return Shape::Tensor;
    if (name == "torch._C._FunctionBase") return Shape::TorchFunction;
    const auto shape = shape_of(name, 0);
    if (shape != Shape::Plain) return shape;
  }
  return Shape::Plain;
}

std::string TypeTable::name_in_c(Address type) const {
  const auto name = memory_.pointer(in_object(*python_.layout, type, type::kName));
  return memory_.text(name, kLongestName);
}

// A class says where it is from in its dict, and its full name in its own field. A type made in C
// has one text for both: "module.name", or "name" if it is a built-in.
std::string TypeTable::qualified_name(Address type, std::uint64_t flags) {
  if ((flags & type::kHeapType) == 0) {
    return printable(name_in_c(type));
  }
  const auto& layout = *python_.layout;
  auto name =
      read_text(memory_, layout, memory_.pointer(type + layout.heap_type_qualname), kLongestName);
  if (name.empty()) return {};
  const auto dict = memory_.pointer(in_object(layout, type, type::kDict));
  std::string module;
  for_each_item(memory_, layout, dict, [&](Address key_at, Address value) {
    const auto key = read_text(memory_, layout, memory_.pointer(key_at), kLongestName);
    if (key != "__module__") return true;
    module = read_text(memory_, layout, value, kLongestName);
    return false;
  });
  if (module.empty() || module == "builtins") return name;
  return module + "." + name;
}

std::uint64_t text_length(const Memory& memory, const Layout& layout, Address object) {
  return memory.get<std::uint64_t>(in_object(layout, object, text::kLength)).value_or(0);
}

std::string read_text(const Memory& memory, const Layout& layout, Address object,
                      std::size_t most) {
  if (object == 0) return {};
  const auto type = memory.pointer(in_object(layout, object, object::kType));
  const auto type_flags = memory.get<std::uint64_t>(in_object(layout, type, type::kFlags));
  if (!type_flags || (*type_flags & type::kText) == 0) return {};
  const auto length = memory.get<std::uint64_t>(in_object(layout, object, text::kLength));
  const auto state = memory.get<std::uint32_t>(in_object(layout, object, text::kState));
  if (!length || !state) return {};
  const TextState how(*state, layout);
  const unsigned kind = how.kind;
  if (!how.compact || (kind != 1 && kind != 2 && kind != 4)) return {};
  const auto start = object + (how.ascii ? layout.ascii_header : layout.compact_header);
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(*length, most));
  std::vector<std::byte> bytes(count * kind);
  if (!memory.read(start, bytes)) return {};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t character = 0;
    std::memcpy(&character, bytes.data() + i * kind, kind);
    append_utf8(text, character);
  }
  return printable(text);
}

}  // namespace tidegauge::census
