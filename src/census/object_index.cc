// SPDX-License-Identifier: Apache-2.0
#include "census/object_index.h"

#include <algorithm>

namespace tidegauge::census {

ObjectIndex::ObjectIndex(const StretchMap& arenas) : arenas_(arenas) {
  std::size_t words = 0;
  for (const auto& arena : arenas_.all()) {
    words_.push_back(words);
    words += static_cast<std::size_t>((arena.end - arena.begin) / kGranule / 64) + 1;
  }
  words_.push_back(words);
  bits_.resize(words);
}

Node ObjectIndex::number() {
  before_.resize(bits_.size() + 1);
  Node before = 0;
  for (std::size_t word = 0; word < bits_.size(); ++word) {
    before_[word] = before;
    before += count_bits(bits_[word]);
  }
  before_.back() = before;
  return before;
}

Address ObjectIndex::address(Node node) const {
  const auto behind = std::upper_bound(before_.begin(), before_.end() - 1, node);
  const auto word = static_cast<std::size_t>(behind - before_.begin()) - 1;
  auto bits = bits_[word];
  for (auto skipped = node - before_[word]; skipped > 0; --skipped) bits &= bits - 1;
  const auto arena = static_cast<std::size_t>(std::upper_bound(words_.begin(), words_.end(), word) -
                                              words_.begin()) -
                     1;
  return arenas_.all()[arena].begin + ((word - words_[arena]) * 64 + lowest_bit(bits)) * kGranule;
}

}  // namespace tidegauge::census
