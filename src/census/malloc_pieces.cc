// SPDX-License-Identifier: Apache-2.0
#include "census/malloc_pieces.h"

#include <algorithm>
#include <optional>

namespace tidegauge::census {

namespace {

// Before each piece: the size of the one before if that is free, then its own with three flags.
constexpr Address kSizeOffset = 8;
constexpr Address kHeader = 16;
constexpr std::uint64_t kFlags = 7;
constexpr std::uint64_t kMapped = 2;         // a mapping of its own
constexpr std::uint64_t kBeforeIsInUse = 1;  // the piece before it
constexpr Address kPage = 4096;
constexpr std::uint64_t kSmallest = 32;
constexpr std::uint64_t kAlignment = 16;

// Reads on from where it is, a little at a time: large pieces are jumped over.
class Headers {
 public:
  Headers(const Memory& memory, const Stretch& mapping) : memory_(memory), mapping_(mapping) {}

  // The size of the piece there, if there can be one.
  std::optional<std::uint64_t> size_at(Address piece) {
    if (mapping_.end - piece < kHeader || !has(piece)) return {};
    const auto size = value_at<std::uint64_t>(bytes_, piece + kSizeOffset - from_) & ~kFlags;
    if (size < kSmallest || size % kAlignment != 0 || size > mapping_.end - piece) return {};
    return size;
  }

 private:
  bool has(Address piece) {
    if (piece >= from_ && piece + kHeader <= from_ + bytes_.size()) return true;
    constexpr Address kAtOnce = 32 << 10;
    // Behind a large piece there may be another one.
    const bool has_jumped = piece > from_ + bytes_.size() + kAtOnce;
    const auto wanted = has_jumped ? kPage : kAtOnce;
    constexpr std::uint64_t kMostRead = 512 << 20;  // a tenth of a second
    bytes_.resize(static_cast<std::size_t>(std::min(wanted, mapping_.end - piece)));
    from_ = piece;
    read_ += bytes_.size();
    if (read_ <= kMostRead && memory_.read(piece, bytes_)) return true;
    bytes_.clear();
    return false;
  }

  const Memory& memory_;
  const Stretch& mapping_;
  Address from_ = 0;
  std::vector<std::byte> bytes_{};
  std::uint64_t read_ = 0;
};

}  // namespace

MallocPieces pieces_in(const Memory& memory, const Stretch& mapping, std::uint64_t large) {
  MallocPieces pieces;
  Headers headers(memory, mapping);
  auto small_from = mapping.begin;
  auto at = mapping.begin;
  while (const auto size = headers.size_at(at)) {
    if (*size >= large) {
      if (small_from < at) pieces.small.push_back({small_from, at + kHeader});
      small_from = at + *size;
      pieces.large.push_back({at, small_from});
    }
    at += *size;
  }
  if (small_from < at) pieces.small.push_back({small_from, at});
  return pieces;
}

bool begins_large_piece(const Memory& memory, const Stretch& mapping, Address place,
                        std::uint64_t large) {
  const auto piece = place - kHeader;
  if (place % kAlignment != 0 || piece < mapping.begin || place > mapping.end) return false;
  const auto word = memory.get<std::uint64_t>(piece + kSizeOffset).value_or(0);
  const auto size = word & ~kFlags;
  if (size < large || size % kAlignment != 0 || size > mapping.end - piece) return false;
  if ((word & kFlags) == kMapped) return piece % kPage == 0 && size % kPage == 0;
  // It is in use, and the one behind it knows.
  const auto next = memory.get<std::uint64_t>(piece + size + kSizeOffset).value_or(0);
  return (word & kMapped) == 0 && (next & kBeforeIsInUse) != 0 && (next & ~kFlags) >= kSmallest &&
         (next & ~kFlags) <= mapping.end - piece - size;
}

}  // namespace tidegauge::census
