// SPDX-License-Identifier: Apache-2.0
#include "proc/pagemap.h"

namespace tidegauge::proc {

PageCounts& PageCounts::operator+=(const PageCounts& other) {
  exclusive_anon += other.exclusive_anon;
  exclusive_file += other.exclusive_file;
  shared_anon += other.shared_anon;
  shared_file += other.shared_file;
  return *this;
}

PageCounts count_pages(std::span<const std::uint64_t> entries) {
  PageCounts counts;
  for (const auto raw : entries) {
    const auto entry = decode_pagemap(raw);
    counts.exclusive_anon += entry.exclusive && !entry.file;
    counts.exclusive_file += entry.exclusive && entry.file;
    counts.shared_anon += entry.present && !entry.exclusive && !entry.file;
    counts.shared_file += entry.present && !entry.exclusive && entry.file;
  }
  return counts;
}

}  // namespace tidegauge::proc
