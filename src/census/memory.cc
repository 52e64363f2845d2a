// SPDX-License-Identifier: Apache-2.0
#include "census/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "census/parts.h"

namespace tidegauge::census {

std::string Memory::text(Address from, std::size_t most) const {
  constexpr std::size_t kPiece = 64;
  std::string text;
  while (text.size() < most) {
    char piece[kPiece];
    // Short of the end of a page, so that a text at the end of a mapping can be read.
    const auto here = from + text.size();
    const auto size = std::min({kPiece, most - text.size(), std::size_t(4096 - here % 4096)});
    if (!read(here, std::as_writable_bytes(std::span(piece, size)))) return {};
    const auto* const end = static_cast<const char*>(std::memchr(piece, 0, size));
    if (end != nullptr) return text.append(piece, static_cast<std::size_t>(end - piece));
    text.append(piece, size);
  }
  return {};
}

bool ProcessMemory::read(Address from, std::span<std::byte> into) const {
  while (!into.empty()) {
    iovec local{into.data(), into.size()};
    iovec remote{reinterpret_cast<void*>(from), into.size()};
    const ssize_t got = ::process_vm_readv(pid_, &local, 1, &remote, 1, 0);
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    from += static_cast<Address>(got);
  }
  return true;
}

bool FileMemory::is_avoided(Address from, std::size_t bytes) const {
  const auto next = std::upper_bound(avoided_.begin(), avoided_.end(), from,
                                     [](Address a, const Stretch& b) { return a < b.end; });
  return next != avoided_.end() && next->begin < from + bytes;
}

bool FileMemory::read(Address from, std::span<std::byte> into) const {
  if (!avoided_.empty() && is_avoided(from, into.size())) return false;
  while (!into.empty()) {
    const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    from += static_cast<Address>(got);
  }
  return true;
}

CachedMemory::CachedMemory(const Memory& behind, std::size_t most_chunks)
    : behind_(behind),
      slots_(most_chunks),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(most_chunks * kChunkBytes)) {}

const std::byte* CachedMemory::chunk_at(Address start) const {
  // Neighbouring chunks go to neighbouring slots; far ones that collide push each other out.
  const auto index = static_cast<std::size_t>((start / kChunkBytes) % slots_.size());
  auto& slot = slots_[index];
  std::byte* const bytes = bytes_.get() + index * kChunkBytes;
  if (slot.start != start) {
    slot.readable = behind_.read(start, {bytes, kChunkBytes});
    slot.start = start;
  }
  return slot.readable ? bytes : nullptr;
}

bool CachedMemory::read(Address from, std::span<std::byte> into) const {
  if (into.size() > 16 * kChunkBytes) return behind_.read(from, into);
  while (!into.empty()) {
    const auto offset = static_cast<std::size_t>(from % kChunkBytes);
    const auto size = std::min(into.size(), kChunkBytes - offset);
    const std::byte* const chunk = chunk_at(from - offset);
    if (chunk == nullptr) return false;
    std::memcpy(into.data(), chunk + offset, size);
    into = into.subspan(size);
    from += size;
  }
  return true;
}

HugeBuffer::HugeBuffer(std::size_t bytes) {
  if (bytes == 0) return;
  void* const start =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  ::madvise(start, bytes, MADV_HUGEPAGE);
  start_ = static_cast<std::byte*>(start);
  bytes_ = bytes;
}

HugeBuffer::~HugeBuffer() {
  if (start_ != nullptr) ::munmap(start_, bytes_);
}

Image::Image(const Memory& behind, std::vector<Stretch> stretches, std::size_t threads)
    : map_(std::move(stretches)) {
  const auto& all = map_.all();
  std::size_t bytes = 0;
  for (const auto& stretch : all) {
    offsets_.push_back(bytes);
    bytes += static_cast<std::size_t>(stretch.end - stretch.begin);
  }
  offsets_.push_back(bytes);
  bytes_ = HugeBuffer(bytes);
  in_parts(all.size(), threads, [&](std::size_t, std::size_t first, std::size_t end) {
    for (auto i = first; i < end; ++i) {
      const std::span into(bytes_.get() + offsets_[i], offsets_[i + 1] - offsets_[i]);
      if (!behind.read(all[i].begin, into)) std::fill(into.begin(), into.end(), std::byte{});
    }
  });
}

void Image::drop() {
  map_ = StretchMap();
  bytes_ = HugeBuffer();
}

}  // namespace tidegauge::census
