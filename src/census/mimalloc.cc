// SPDX-License-Identifier: Apache-2.0
#include "census/mimalloc.h"

#include <algorithm>
#include <optional>

namespace tidegauge::census {

namespace {

constexpr Address kSegment = 32 << 20;
constexpr Address kSlice = MimallocPage::kBytes;
constexpr std::uint64_t kMostSlices = kSegment / kSlice;
constexpr std::uint32_t kLargestBlock = 512;

// The end of a segment's description of itself; pages' descriptions follow.
struct SegmentHead {
  std::uint64_t used, cookie, slices, info_slices, kind, entries, thread_id;
};
constexpr Address kSegmentBytes = 32;
constexpr Address kSegmentHead = 208;
constexpr Address kFirstSlice = kSegmentHead + sizeof(SegmentHead);
constexpr Address kSliceHead = 96;

struct SliceHead {
  std::uint32_t slices, offset;
  std::uint8_t flags, debug_offset;
  std::uint16_t capacity, reserved;
  std::uint8_t in_full, retire;
  Address free;
  std::uint32_t used, block_bytes;
  Address local_free, thread_free;

  unsigned tag() const { return (flags >> 3) & 15U; }
};
static_assert(sizeof(SliceHead) == 48);

// What heaps are for, by the tag of their pages: memory, objects without and with the collector,
// and such with a place for a dict before them.
constexpr unsigned kMemoryTag = 0;
constexpr unsigned kLastTag = 3;

// mimalloc moves the first block on, so that not all of them begin on the same lines of the cache.
std::uint32_t first_block(std::uint32_t block_bytes) {
  constexpr std::uint32_t kTiny = 64;
  return block_bytes <= kTiny ? 3 * block_bytes : block_bytes;
}

bool is_page_of_small_blocks(const SliceHead& slice) {
  if (slice.slices != 1 || slice.offset != 0 || slice.tag() > kLastTag) return false;
  if (slice.block_bytes < 8 || slice.block_bytes > kLargestBlock || slice.block_bytes % 8 != 0) {
    return false;
  }
  return slice.capacity > 0 && slice.capacity <= slice.reserved &&
         first_block(slice.block_bytes) + slice.reserved * slice.block_bytes <= kSlice;
}

std::optional<SegmentHead> segment_at(const Memory& memory, Address at) {
  const auto head = memory.get<SegmentHead>(at + kSegmentHead);
  if (!head) return {};
  const auto bytes = memory.get<std::uint64_t>(at + kSegmentBytes).value_or(0);
  constexpr std::uint64_t kMostInfo = 16;
  const bool plausible = head->slices > 0 && bytes == head->slices * kSlice && head->entries > 0 &&
                         head->entries <= kMostSlices && head->entries <= head->slices &&
                         head->info_slices > 0 && head->info_slices <= kMostInfo &&
                         head->info_slices < head->entries;
  return plausible ? head : std::nullopt;
}

void add_pages(const Memory& memory, Address segment, const SegmentHead& head,
               std::vector<MimallocPage>& pages) {
  std::vector<std::byte> slices(static_cast<std::size_t>(head.entries * kSliceHead));
  if (!memory.read(segment + kFirstSlice, slices)) return;
  for (auto i = head.info_slices; i < head.entries;) {
    const auto slice = value_at<SliceHead>(slices, i * kSliceHead);
    if (slice.used > 0 && is_page_of_small_blocks(slice)) {
      pages.push_back(
          {segment + i * kSlice, segment + kFirstSlice + i * kSliceHead, slice.block_bytes});
    }
    i += std::max<std::uint32_t>(slice.slices, 1);
  }
}

}  // namespace

std::vector<MimallocPage> find_pages(const Memory& memory, const std::vector<Region>& regions) {
  std::vector<MimallocPage> pages;
  for (const auto& region : regions) {
    if (!region.readable || !region.writable || region.shared || region.inode != 0) continue;
    for (auto at = (region.begin + kSegment - 1) / kSegment * kSegment; at < region.end;
         at += kSegment) {
      if (const auto head = segment_at(memory, at)) add_pages(memory, at, *head, pages);
    }
  }
  return pages;
}

Places find_places(const Memory& memory, const Interpreter& python,
                   const std::vector<Region>& regions) {
  if (!python.layout->free_threaded) return {find_arenas(memory, python), {}};
  Places places{{}, find_pages(memory, regions)};
  for (const auto& page : places.pages) {
    places.arenas.push_back({page.begin, page.begin + MimallocPage::kBytes});
  }
  return places;
}

PageState read_page(const Memory& memory, const MimallocPage& page) {
  const auto slice = memory.get<SliceHead>(page.said_at);
  if (!slice || !is_page_of_small_blocks(*slice)) return {};
  constexpr Address kTag = 3;  // how threads agree on who frees it
  const auto first = first_block(slice->block_bytes);
  return {.pool = {slice->block_bytes, first, first + slice->capacity * slice->block_bytes},
          .holds_objects = slice->tag() != kMemoryTag,
          .free_lists = {slice->free, slice->local_free, slice->thread_free & ~kTag}};
}

void FreeBlocks::find(const PageState& state, Address begin, std::span<const std::byte> bytes) {
  forget();
  const auto& [block, first, end] = state.pool;
  for (auto at : state.free_lists) {
    while (at >= begin + first && at + block <= begin + end && at - begin + 8 <= bytes.size() &&
           (at - begin - first) % block == 0) {
      const auto place = static_cast<std::size_t>(at - begin);
      if (free_[place / kGranule]) break;  // of a page that changes there may be a circle
      free_[place / kGranule] = true;
      any_ = true;
      at = value_at<Address>(bytes, place);
    }
  }
}

void FreeBlocks::forget() {
  if (any_) free_.reset();
  any_ = false;
}

}  // namespace tidegauge::census
