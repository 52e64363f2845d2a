// SPDX-License-Identifier: Apache-2.0
#include "record/census_growth.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tidegauge::record {

namespace {

std::int64_t signed_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

auto key_of(const CensusGrowth::Type& type) {
  return std::tuple(type.name);
}
auto key_of(const CensusGrowth::Buffers& buffers) {
  return std::tuple(buffers.device, buffers.dtype, buffers.shape, buffers.requires_grad,
                    buffers.has_grad_fn);
}
auto key_of(const CensusGrowth::Holder& holder) {
  return std::tuple(holder.type, holder.path, holder.root);
}
CensusGrowth::Type as_change(const Census::Type& type) {
  return {type.name, signed_of(type.count), signed_of(type.bytes + type.native_bytes)};
}
CensusGrowth::Buffers as_change(const Census::Buffers& one) {
  return {one.device,           one.dtype,           one.shape, one.requires_grad, one.has_grad_fn,
          signed_of(one.count), signed_of(one.bytes)};
}
CensusGrowth::Holder as_change(const Census::Holder& one) {
  return {one.path, one.root, one.type, signed_of(one.count), signed_of(one.retained_bytes)};
}

template <class Thing>
auto changes(const std::vector<Thing>& before, const std::vector<Thing>& after) {
  using Change = decltype(as_change(before[0]));
  std::map<decltype(key_of(std::declval<Change>())), Change> all;
  const auto add = [&](const std::vector<Thing>& things, std::int64_t sign) {
    for (const auto& thing : things) {
      auto change = as_change(thing);
      change.count *= sign;
      change.bytes *= sign;
      const auto [into, is_new] = all.try_emplace(key_of(change), change);
      if (is_new) continue;
      into->second.count += change.count;
      into->second.bytes += change.bytes;
    }
  };
  add(after, 1);
  add(before, -1);
  std::vector<Change> sorted;
  for (auto& [key, change] : all) {
    if (change.count != 0 || change.bytes != 0) sorted.push_back(std::move(change));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Change& a, const Change& b) {
    return std::tie(a.bytes, a.count) > std::tie(b.bytes, b.count);
  });
  return sorted;
}

}  // namespace

CensusGrowth growth_between(const Census& before, const Census& after) {
  CensusGrowth growth{.objects = signed_of(after.objects) - signed_of(before.objects),
                      .bytes = signed_of(after.bytes) - signed_of(before.bytes),
                      .types = changes(before.types, after.types)};
  // A count that stops nothing sees neither.
  if (before.streaming || after.streaming) return growth;
  growth.tensors = changes(before.tensors, after.tensors);
  growth.arrays = changes(before.arrays, after.arrays);
  growth.images = changes(before.images, after.images);
  growth.retainers = changes(before.retainers, after.retainers);
  return growth;
}

}  // namespace tidegauge::record
