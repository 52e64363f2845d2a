// SPDX-License-Identifier: Apache-2.0
#include "census/natives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidegauge::census {

namespace {

constexpr std::uint64_t kLargestBuffer = 1ULL << 46;
constexpr std::int32_t kMostDimensions = 64;

std::vector<std::int64_t> read_shape(const Memory& memory, Address from, std::int32_t dimensions) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(dimensions));
  if (!memory.read(from, std::as_writable_bytes(std::span(shape)))) return {};
  return shape;
}

std::uint64_t product(const std::vector<std::int64_t>& shape) {
  std::uint64_t all = 1;
  for (const auto extent : shape) {
    if (extent < 0 || (extent > 0 && all > kLargestBuffer / static_cast<std::uint64_t>(extent))) {
      return kLargestBuffer;
    }
    all *= static_cast<std::uint64_t>(extent);
  }
  return all;
}

std::string numpy_type(const Memory& memory, Address descr, std::uint64_t item_bytes) {
  const auto kind = memory.get<char>(descr + 24).value_or('?');
  switch (kind) {
    case 'f':
      return fmt::format("float{}", item_bytes * 8);
    case 'i':
      return fmt::format("int{}", item_bytes * 8);
    case 'u':
      return fmt::format("uint{}", item_bytes * 8);
    case 'c':
      return fmt::format("complex{}", item_bytes * 8);
    case 'b':
      return "bool";
    case 'O':
      return "object";
    case 'U':
      return "str";
    case 'S':
      return "bytes";
    default:
      return "other";
  }
}

// numpy 1 has a 32-bit size and alignment where numpy 2 has flags.
std::uint64_t numpy_item_bytes(const Memory& memory, Address descr) {
  const auto size = memory.get<std::int32_t>(descr + 32).value_or(0);
  const auto alignment = memory.get<std::int32_t>(descr + 36).value_or(0);
  const bool version_1 =
      size > 0 && alignment > 0 && alignment <= 16 && (alignment & (alignment - 1)) == 0;
  if (version_1) return static_cast<std::uint64_t>(size);
  return memory.get<std::uint64_t>(descr + 40).value_or(0);
}

constexpr std::array kTorchTypes = {
    "uint8",     "int8",      "int16",      "int32", "int64", "float16", "float32", "float64",
    "complex32", "complex64", "complex128", "bool",  "qint8", "quint8",  "qint32",  "bfloat16"};
constexpr std::array kTorchDevices = {"cpu",    "cuda",  "mkldnn", "opengl", "opencl",
                                      "ideep",  "hip",   "fpga",   "maia",   "xla",
                                      "vulkan", "metal", "xpu",    "mps",    "meta"};

std::string torch_device(std::uint8_t type, std::int8_t index) {
  const std::string name = type < kTorchDevices.size() ? kTorchDevices[type] : "other";
  return index < 0 || type == 0 ? name : fmt::format("{}:{}", name, index);
}

// Where an Imaging structure has its numbers: width and height follow each other, and so do the
// bytes of a pixel and of a line. Pillow put fields before them more than once.
struct ImagingOffsets {
  std::size_t size, line;
};
constexpr ImagingOffsets kImaging[] = {{20, 80}, {16, 72}, {12, 72}, {20, 88}, {12, 80}, {16, 80}};

}  // namespace

std::uint64_t NativeReader::claim(Address storage, std::uint64_t bytes) {
  if (storage == 0 || bytes == 0 || bytes >= kLargestBuffer) return 0;
  return seen_.insert(storage).second ? bytes : 0;
}

std::optional<Native> NativeReader::read(const ObjectView& object, const Memory& memory) {
  switch (object.type->shape) {
    case Shape::Array:
      return array(object, memory);
    case Shape::ImagingCore:
      return image(object, memory);
    case Shape::Tensor:
      return tensor(object, memory);
    default:
      return {};
  }
}

std::optional<Native> NativeReader::array(const ObjectView& object, const Memory& memory) {
  const auto dimensions = object.field<std::int32_t>(24);
  auto descr = object.field<Address>(56);
  if (dimensions < 0 || dimensions > kMostDimensions || descr == 0) return {};
  descr += object.type->shift;  // an object, too
  Native native{.kind = Native::Kind::Array};
  if (dimensions > 0) {
    native.behind = object.field<Address>(32);
    native.shape = read_shape(memory, native.behind, dimensions);
    if (native.shape.empty()) return {};
  }
  const auto item = numpy_item_bytes(memory, descr);
  native.dtype = numpy_type(memory, descr, item);
  constexpr std::int32_t kOwnsData = 4;
  if ((object.field<std::int32_t>(64) & kOwnsData) != 0) {
    native.bytes = claim(object.field<Address>(16), product(native.shape) * item);
  }
  return native;
}

std::optional<Native> NativeReader::image(const ObjectView& object, const Memory& memory) {
  const auto imaging = object.field<Address>(16);
  std::array<std::byte, 104> bytes;
  if (imaging == 0 || !memory.read(imaging, bytes)) return {};
  constexpr std::int32_t kLargestSide = 1 << 24;
  for (const auto& [size, line] : kImaging) {
    const auto width = value_at<std::int32_t>(bytes, size);
    const auto height = value_at<std::int32_t>(bytes, size + 4);
    const auto pixel = value_at<std::int32_t>(bytes, line);
    const auto stride = value_at<std::int32_t>(bytes, line + 4);
    if (width <= 0 || height <= 0 || width > kLargestSide || height > kLargestSide) continue;
    if (pixel < 1 || pixel > 4 || stride < width * pixel || stride > width * pixel + 8) continue;
    Native native{.kind = Native::Kind::Image, .shape = {width, height}, .behind = imaging};
    native.dtype = pixel == 1 ? "8-bit" : "32-bit";
    const auto rows = static_cast<std::uint64_t>(height);
    native.bytes =
        claim(imaging, static_cast<std::uint64_t>(stride) * rows + rows * sizeof(Address));
    return native;
  }
  return {};
}

// A TensorImpl points back to its Python object, and its shape follows behind: where that pointer
// is differs between versions, what follows does not.
std::optional<Native> NativeReader::tensor(const ObjectView& object, const Memory& memory) {
  constexpr Address kFirstBackPointer = 40;
  constexpr Address kLastBackPointer = 80;
  for (const std::size_t held : {16U, 24U}) {
    const auto impl = object.field<Address>(held);
    if (impl == 0 || impl % 8 != 0) continue;
    for (Address back = kFirstBackPointer; back <= kLastBackPointer; back += 8) {
      if (memory.pointer(impl + back) != object.address) continue;
      if (auto native = tensor_at(impl, impl + back, memory)) return native;
    }
  }
  return {};
}

std::optional<Native> NativeReader::tensor_at(Address impl, Address back, const Memory& memory) {
  const auto dimensions = memory.get<std::uint64_t>(back + 8).value_or(~0ULL);
  if (dimensions > kMostDimensions) return {};
  constexpr std::uint64_t kInline = 5;
  const auto sizes = dimensions <= kInline ? back + 16 : memory.pointer(back + 16);
  Native native{.kind = Native::Kind::Tensor};
  native.shape = read_shape(memory, sizes, static_cast<std::int32_t>(dimensions));
  // The number of elements is kept beside the shape: the two must agree.
  if (product(native.shape) != memory.get<std::uint64_t>(back + 104).value_or(~0ULL)) return {};
  const auto dtype = memory.get<std::uint8_t>(back + 112).value_or(255);
  native.dtype = dtype < kTorchTypes.size() ? kTorchTypes[dtype] : "other";
  native.behind = impl;
  native.back = static_cast<std::uint16_t>(back - impl);
  // Up to 2.2 the two reference counts were a word each.
  native.wide = back - impl >= 64;
  const Address wide = native.wide ? 8 : 0;
  const auto storage = memory.pointer(impl + 16 + wide);
  if (storage == 0) return native;
  native.device = torch_device(memory.get<std::uint8_t>(storage + wide + 40).value_or(255),
                               memory.get<std::int8_t>(storage + wide + 41).value_or(-1));
  if (native.device == "meta") return native;  // a shape without contents, as compilers use them
  native.bytes = claim(storage, memory.get<std::uint64_t>(storage + wide + 48).value_or(0));
  return native;
}

}  // namespace tidegauge::census
