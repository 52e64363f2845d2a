// SPDX-License-Identifier: Apache-2.0
// Another process's memory, read and never written. Whatever comes from there is untrusted.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "census/stretch_map.h"

namespace tidegauge::census {

class Memory {
 public:
  virtual ~Memory() = default;

  // All of `into`, or false.
  virtual bool read(Address from, std::span<std::byte> into) const = 0;

  template <class T>
  std::optional<T> get(Address from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    if (!read(from, std::as_writable_bytes(std::span(&value, 1)))) return {};
    return value;
  }
  Address pointer(Address from) const { return get<Address>(from).value_or(0); }

  // The bytes themselves, where they are at hand; else nothing, and they must be read.
  virtual std::span<const std::byte> view(Address /*from*/, std::size_t /*bytes*/) const {
    return {};
  }

  // Up to `most` bytes before the first NUL; empty where there is none within them.
  std::string text(Address from, std::size_t most) const;
};

// A live process, or a child of it that stands still.
class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}
  bool read(Address from, std::span<std::byte> into) const override;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// A process, or a copy of one, read through its file (/proc/PID/mem), which may have been opened by
// somebody with more rights. Of a copy it is also the only right way: the other one makes the
// kernel give it pages of its own first, since a page shared by two may change under a reader who
// pins it.
class FileMemory final : public Memory {
 public:
  // The descriptor is the caller's. What is in `avoided`, in order, is not read: reading a device
  // may do something.
  explicit FileMemory(int fd, std::vector<Stretch> avoided = {})
      : fd_(fd), avoided_(std::move(avoided)) {}
  bool read(Address from, std::span<std::byte> into) const override;

 private:
  bool is_avoided(Address from, std::size_t bytes) const;

  int fd_;
  std::vector<Stretch> avoided_;
};

// The same memory in chunks that are read once: for many small reads of something that stands
// still.
class CachedMemory final : public Memory {
 public:
  CachedMemory(const Memory& behind, std::size_t most_chunks);
  bool read(Address from, std::span<std::byte> into) const override;
  void forget() { slots_.assign(slots_.size(), {}); }  // what changes must be read anew

 private:
  static constexpr std::size_t kChunkBytes = 4096;  // a page: what can be read is decided by pages
  struct Slot {
    Address start = 1;  // no chunk starts there
    bool readable = false;
  };
  const std::byte* chunk_at(Address start) const;

  const Memory& behind_;
  mutable std::vector<Slot> slots_;
  std::unique_ptr<std::byte[]> bytes_;  // not touched before a chunk is read
};

// What the first does not have, the second may.
class EitherMemory final : public Memory {
 public:
  EitherMemory(const Memory& first, const Memory& second) : first_(first), second_(second) {}
  bool read(Address from, std::span<std::byte> into) const override {
    return first_.read(from, into) || second_.read(from, into);
  }

 private:
  const Memory& first_;
  const Memory& second_;
};

// Room for many bytes on large pages, where the kernel has some: filling it costs half as much.
class HugeBuffer {
 public:
  HugeBuffer() = default;
  explicit HugeBuffer(std::size_t bytes);
  HugeBuffer(HugeBuffer&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  HugeBuffer& operator=(HugeBuffer other) noexcept {
    std::swap(start_, other.start_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HugeBuffer();
  std::byte* get() const { return start_; }

 private:
  std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
};

// Stretches of memory that were read at once.
class Image {
 public:
  // What cannot be read reads as zeros. `behind` is read by that many threads at once.
  Image(const Memory& behind, std::vector<Stretch> stretches, std::size_t threads);
  const StretchMap& map() const { return map_; }
  std::span<const std::byte> stretch(std::size_t index) const {
    return {bytes_.get() + offsets_[index], offsets_[index + 1] - offsets_[index]};
  }
  std::span<const std::byte> view(Address from, std::size_t bytes) const {
    const auto index = map_.find(from);
    if (index == StretchMap::kNone || bytes > map_.all()[index].end - from) return {};
    return {bytes_.get() + offsets_[index] + (from - map_.all()[index].begin), bytes};
  }
  void drop();  // it has been read

 private:
  StretchMap map_;
  std::vector<std::size_t> offsets_;
  HugeBuffer bytes_;
};

// An image over another memory for the rest.
class ImageMemory final : public Memory {
 public:
  ImageMemory(const Image& image, const Memory& behind) : image_(image), behind_(behind) {}
  bool read(Address from, std::span<std::byte> into) const override {
    const auto at_hand = image_.view(from, into.size());
    if (at_hand.empty()) return behind_.read(from, into);
    std::memcpy(into.data(), at_hand.data(), into.size());
    return true;
  }
  std::span<const std::byte> view(Address from, std::size_t bytes) const override {
    return image_.view(from, bytes);
  }

 private:
  const Image& image_;
  const Memory& behind_;
};

// The value at an offset of bytes that were read; the caller has checked that it is there.
template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace tidegauge::census
