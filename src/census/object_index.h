// SPDX-License-Identifier: Apache-2.0
// The objects in the arenas by address, and back: a bit for every place where one can begin, and
// how many come before each word of bits. A sixtieth of the arenas' size.
#pragma once

#include "census/dominators.h"
#include "census/stretch_map.h"

namespace tidegauge::census {

class ObjectIndex {
 public:
  static constexpr Address kGranule = 16;  // blocks in pools are aligned to that, and their objects

  ObjectIndex() = default;
  explicit ObjectIndex(const StretchMap& arenas);

  // Different arenas may be marked at the same time.
  void mark(std::size_t arena, Address object) {
    const auto granule = (object - arenas_.all()[arena].begin) / kGranule;
    bits_[words_[arena] + granule / 64] |= 1ULL << (granule % 64);
  }
  Node number();  // once all are marked; how many there are

  bool covers(Address address) const { return arenas_.find(address) != StretchMap::kNone; }
  Node find(Address object) const {  // kNoNode: not one of them
    const auto arena = arenas_.find(object);
    if (arena == StretchMap::kNone) return kNoNode;
    const auto offset = object - arenas_.all()[arena].begin;
    if (offset % kGranule != 0) return kNoNode;
    const auto word = words_[arena] + offset / kGranule / 64;
    const auto bit = offset / kGranule % 64;
    if (((bits_[word] >> bit) & 1) == 0) return kNoNode;
    return before_[word] + count_bits(bits_[word] & ((1ULL << bit) - 1));
  }
  Address address(Node node) const;
  Node first_of(std::size_t arena) const { return before_[words_[arena]]; }

  // Calls `call(address)` for each object of an arena, in order.
  template <class Call>
  void for_each(std::size_t arena, Call&& call) const {
    const auto begin = arenas_.all()[arena].begin;
    for (auto word = words_[arena]; word < words_[arena + 1]; ++word) {
      for (auto bits = bits_[word]; bits != 0; bits &= bits - 1) {
        call(begin + ((word - words_[arena]) * 64 + lowest_bit(bits)) * kGranule);
      }
    }
  }

 private:
  // Without a special instruction, which old processors lack, and without a call.
  static Node count_bits(std::uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return static_cast<Node>((bits * 0x0101010101010101ULL) >> 56);
  }
  static std::uint64_t lowest_bit(std::uint64_t bits) {
    return static_cast<std::uint64_t>(__builtin_ctzll(bits));
  }

  StretchMap arenas_{};
  std::vector<std::size_t> words_{};  // where each arena's bits begin
  std::vector<std::uint64_t> bits_{};
  std::vector<Node> before_{};  // objects before each word
};

}  // namespace tidegauge::census
