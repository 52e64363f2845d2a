// SPDX-License-Identifier: Apache-2.0
#include "census/saved_pieces.h"

#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace tidegauge::census {

namespace {

constexpr std::size_t kAtOnce = 512;  // of the 1024 that the kernel takes
constexpr std::byte kIsThere{1};

}  // namespace

void UnmapRoom::operator()(std::byte* room) const {
  if (bytes != 0) ::munmap(room, bytes);
}

SavedPieces::SavedPieces(std::vector<Stretch> pieces) : pieces_(std::move(pieces)) {
  if (pieces_.empty()) return;
  offsets_.push_back(0);
  for (const auto& piece : pieces_) {
    offsets_.push_back(offsets_.back() + (piece.end - piece.begin));
  }
}

Result<SavedPieces> SavedPieces::made_in(std::vector<Stretch> pieces, std::span<std::byte> room) {
  SavedPieces saved(std::move(pieces));
  if (saved.room_bytes() > room.size()) return Error{Reason::NoRoom, "there is too much to save"};
  saved.room_ = {room.data(), UnmapRoom{}};
  return saved;
}

Result<SavedPieces> SavedPieces::make_room(std::vector<Stretch> pieces, std::span<std::byte> room) {
  if (!room.empty()) {
    auto saved = made_in(std::move(pieces), room);
    // All of its pages now: nobody is waiting yet.
    if (saved) std::fill_n(room.begin(), saved->room_bytes(), std::byte{});
    return saved;
  }
  SavedPieces saved(std::move(pieces));
  const auto bytes = saved.room_bytes();
  if (bytes == 0) return saved;
  void* const made = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (made == MAP_FAILED) return from_errno(errno, "mmap");
  saved.room_ = {static_cast<std::byte*>(made), UnmapRoom{bytes}};
  return saved;
}

// False: not all of them could be read.
bool SavedPieces::read_some(pid_t pid, std::size_t first, std::size_t end) const {
  std::array<iovec, kAtOnce> theirs{};
  for (auto piece = first; piece < end; ++piece) {
    theirs[piece - first] = {reinterpret_cast<void*>(pieces_[piece].begin), bytes_of(piece)};
  }
  const auto bytes = offsets_[end] - offsets_[first];
  const iovec ours{room_.get() + offsets_[first], bytes};
  const auto got = ::process_vm_readv(pid, &ours, 1, theirs.data(), end - first, 0);
  const bool all = got == static_cast<ssize_t>(bytes);
  std::fill(is_there(first), is_there(end), all ? kIsThere : std::byte{});
  return all;
}

void SavedPieces::read_from(pid_t pid) const {
  for (std::size_t first = 0; first < pieces_.size(); first += kAtOnce) {
    const auto end = std::min(pieces_.size(), first + kAtOnce);
    if (read_some(pid, first, end)) continue;
    for (auto piece = first; piece < end; ++piece) read_some(pid, piece, piece + 1);
  }
}

bool SavedPieces::put_into(Address from, std::span<std::byte> bytes) const {
  const auto to = from + bytes.size();
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), from,
                                [](Address a, const Stretch& b) { return a < b.end; });
  bool any = false;
  for (; piece != pieces_.end() && piece->begin < to; ++piece) {
    const auto index = static_cast<std::size_t>(piece - pieces_.begin());
    if (*is_there(index) != kIsThere) continue;
    const auto begin = std::max(from, piece->begin);
    const auto* const saved = room_.get() + offsets_[index];
    std::copy(saved + (begin - piece->begin), saved + (std::min(to, piece->end) - piece->begin),
              bytes.begin() + static_cast<std::ptrdiff_t>(begin - from));
    any = true;
  }
  return any;
}

bool PatchedMemory::read(Address from, std::span<std::byte> into) const {
  const bool is_there = behind_.read(from, into);
  // What is beside a saved piece may have gone since.
  if (!is_there) std::fill(into.begin(), into.end(), std::byte{});
  return saved_.put_into(from, into) || is_there;
}

}  // namespace tidegauge::census
