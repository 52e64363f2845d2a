// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tidegauge {

// Forgets every second one; the first stays.
template <class T>
void keep_every_second(std::vector<T>& all) {
  for (std::size_t i = 1; 2 * i < all.size(); ++i) all[i] = std::move(all[2 * i]);
  all.resize((all.size() + 1) / 2);
}

}  // namespace tidegauge
