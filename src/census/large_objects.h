// SPDX-License-Identifier: Apache-2.0
// The objects of a live process that lie outside its arenas: those of more than 512 bytes, and
// those that are part of the program. Found by the words that point to them.
#pragma once

#include "census/address_book.h"
#include "census/malloc_pieces.h"
#include "census/streaming.h"

namespace tidegauge::census {

// What lies beside the arenas and can be written to: where such objects can be.
std::vector<Stretch> beside_arenas(const std::vector<Region>& regions,
                                   const std::vector<Arena>& arenas);

class LargeObjects {
 public:
  explicit LargeObjects(const StretchMap& places) : places_(places) {}

  void note(Address word, bool certain) {
    // Every object names its type, and many name None: what came lately is known.
    auto& recent = recent_[(word >> 4) % kRecent];
    if (recent == word || !may_be_large(word)) return;
    book_.number_of(word, certain);
    recent = word;
  }
  void note_words(std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      note(value_at<Address>(bytes, at), false);
    }
  }
  // The large table of a container.
  void note_table(Address begin, std::uint64_t bytes) {
    constexpr std::uint64_t kLarge = 32 << 10;  // smaller ones are near where they are pointed to
    constexpr std::uint64_t kLargest = 1ULL << 40;
    if (bytes >= kLarge && bytes < kLargest) tables_.push_back({begin, begin + bytes});
  }
  void take(const LargeObjects& others) {
    for (const auto& [address, certain] : others.book_.all()) book_.number_of(address, certain);
  }
  // Tables, and everything that a word leads to with what may follow it. Of malloc's large pieces
  // only objects: others are the data of arrays and the like, which nobody reads.
  std::vector<Stretch> places(const LiveSource& source, TypeTable& types,
                              const PieceMap& pieces) const;
  // Those that prove themselves, and what these point to.
  void count(const LiveSource& source, TypeTable& types, Tally& tally);

 private:
  bool may_be_large(Address word) const {
    return word % 8 == 0 && places_.find(word) != StretchMap::kNone;
  }

  const StretchMap& places_;
  AddressBook book_{};
  std::vector<Stretch> tables_{};
  static constexpr std::size_t kRecent = 512;
  std::vector<Address> recent_ = std::vector<Address>(kRecent);
};

}  // namespace tidegauge::census
