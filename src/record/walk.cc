// SPDX-License-Identifier: Apache-2.0
#include "record/walk.h"

#include <algorithm>
#include <limits>

namespace tidegauge::record {

namespace {

using Amount = std::int64_t;

Amount amount(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<Amount>::max() / 4;  // sums stay in range
  return static_cast<Amount>(std::min(bytes, kMost));
}

// pss by kind. Kernels before 5.4 give the sum only: what it lacks to rss is then taken off the
// kinds in the order in which they are commonly shared.
std::array<Bytes, kWalkedKinds> shares(const Memory& memory,
                                       const std::array<Bytes, kWalkedKinds>& counters) {
  std::array<Bytes, kWalkedKinds> found{memory.pss_anon, memory.pss_file, memory.pss_shmem, {}};
  if (!memory.pss) return found;
  if (counters[WalkedUnsplit]) {
    auto rest = *memory.pss;
    for (const auto& share : found) rest -= std::min(rest, share.value_or(0));
    found[WalkedUnsplit] = rest;
  }
  if (memory.pss_anon || memory.pss_file || memory.pss_shmem) return found;
  std::uint64_t mapped = 0;
  for (const auto& counter : counters) mapped += counter.value_or(0);
  auto counted_twice = mapped - std::min(mapped, *memory.pss);
  for (const auto kind : {WalkedFile, WalkedShmem, WalkedAnon, WalkedUnsplit}) {
    if (!counters[kind]) continue;
    const auto less = std::min(*counters[kind], counted_twice);
    found[kind] = *counters[kind] - less;
    counted_twice -= less;
  }
  return found;
}

// If all shared pages were shared by all `sharers`: share = own + (counter - own) / sharers.
Amount own_if_evenly_shared(Amount counter, Amount share, std::size_t sharers) {
  const auto most = std::min(counter, share);
  if (sharers < 2) return most;
  const auto n = static_cast<double>(sharers);
  const double own = (static_cast<double>(share) * n - static_cast<double>(counter)) / (n - 1);
  return std::clamp(static_cast<Amount>(own), Amount{0}, most);
}

// uss is the sum over the kinds and exact, so the guesses are made to add up to it.
void fit_to_uss(Walk& walk, Amount uss) {
  Amount own = 0;
  Amount room = 0;
  for (const auto& part : walk) {
    if (!part) continue;
    own += part->own;
    room += std::min(part->share, part->counter) - part->own;
  }
  const auto missing = static_cast<double>(uss - own);
  for (auto& part : walk) {
    if (!part) continue;
    const auto part_room = std::min(part->share, part->counter) - part->own;
    const double by = missing < 0 ? static_cast<double>(part->own) / static_cast<double>(own)
                      : room > 0  ? static_cast<double>(part_room) / static_cast<double>(room)
                                  : 0;
    part->own += std::clamp(static_cast<Amount>(missing * by), -part->own, part_room);
  }
}

}  // namespace

std::array<Bytes, kWalkedKinds> resident_kinds(const Memory& memory) {
  std::array<Bytes, kWalkedKinds> kinds{memory.anon, memory.file, memory.shmem, {}};
  if (memory.anon && memory.file && memory.shmem) return kinds;
  auto rest = memory.rss ? memory.rss : memory.pss ? memory.pss : memory.uss;
  if (!rest) return kinds;
  for (const auto& kind : kinds) *rest -= std::min(*rest, kind.value_or(0));
  kinds[WalkedUnsplit] = rest;
  return kinds;
}

Walk walk_of(const Memory& memory, std::size_t sharers) {
  const auto counters = resident_kinds(memory);
  const auto found = shares(memory, counters);
  Walk walk;
  for (std::size_t kind = 0; kind < kWalkedKinds; ++kind) {
    if (!counters[kind] || !found[kind]) continue;
    WalkedPart part{amount(*counters[kind]), amount(*found[kind]), 0};
    part.own = own_if_evenly_shared(part.counter, part.share, sharers);
    walk[kind] = part;
  }
  if (memory.uss) fit_to_uss(walk, amount(*memory.uss));
  return walk;
}

}  // namespace tidegauge::record
