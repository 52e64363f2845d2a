// SPDX-License-Identifier: Apache-2.0
// Small pieces of a process, read at once while it stands still by one process of ours and looked
// at by another.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "census/memory.h"

namespace tidegauge::census {

struct UnmapRoom {
  std::size_t bytes = 0;
  void operator()(std::byte* room) const;
};

class SavedPieces {
 public:
  SavedPieces() = default;  // none
  // Room for them, which a child shares; `pieces` are in order and do not overlap. In `room`, if
  // there is any, which is the caller's.
  static Result<SavedPieces> make_room(std::vector<Stretch> pieces, std::span<std::byte> room = {});
  // The same of what another process of ours has made in that room.
  static Result<SavedPieces> made_in(std::vector<Stretch> pieces, std::span<std::byte> room);

  // A microsecond each. What cannot be read is not there.
  void read_from(pid_t pid) const;

  // Puts what there is of these bytes into their place; false where there is nothing.
  bool put_into(Address from, std::span<std::byte> bytes) const;

 private:
  explicit SavedPieces(std::vector<Stretch> pieces);
  std::size_t room_bytes() const { return offsets_.empty() ? 0 : offsets_.back() + pieces_.size(); }
  std::size_t bytes_of(std::size_t piece) const { return offsets_[piece + 1] - offsets_[piece]; }
  std::byte* is_there(std::size_t piece) const { return room_.get() + offsets_.back() + piece; }
  bool read_some(pid_t pid, std::size_t first, std::size_t end) const;

  std::vector<Stretch> pieces_{};
  std::vector<std::size_t> offsets_{};  // of each in the room, and of what is behind them
  std::unique_ptr<std::byte, UnmapRoom> room_{};
};

// A memory of which some pieces have been saved at another moment, and count.
class PatchedMemory final : public Memory {
 public:
  PatchedMemory(const Memory& behind, const SavedPieces& saved) : behind_(behind), saved_(saved) {}
  bool read(Address from, std::span<std::byte> into) const override;

 private:
  const Memory& behind_;
  const SavedPieces& saved_;
};

}  // namespace tidegauge::census
