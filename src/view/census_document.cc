// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "view/census.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

Json types_of(const record::Census& census) {
  auto list = Json::array();
  for (const auto& type : census.types) {
    list.push_back({{"type", type.name},
                    {"count", type.count},
                    {"bytes", type.bytes},
                    {"native_bytes", type.native_bytes},
                    {"retained_bytes", type.retained_bytes ? Json(*type.retained_bytes) : Json()}});
  }
  return list;
}

// An image has a size, the others a shape; only tensors are on a device and have gradients.
template <class Buffers>
Json buffers_of(const std::vector<Buffers>& buffers, bool on_devices, const char* extent) {
  auto list = Json::array();
  for (const auto& one : buffers) {
    Json entry;
    if (on_devices) entry["device"] = one.device;
    entry["dtype"] = one.dtype;
    entry[extent] = one.shape;
    if (on_devices) {
      entry["requires_grad"] = one.requires_grad;
      entry["grad_fn"] = one.has_grad_fn;
    }
    entry["count"] = one.count;
    entry["bytes"] = one.bytes;
    list.push_back(std::move(entry));
  }
  return list;
}

Json retainers_of(const record::Census& census) {
  auto list = Json::array();
  for (const auto& holder : census.retainers) {
    list.push_back({{"path", holder.path},
                    {"root", holder.root},
                    {"type", holder.type},
                    {"count", holder.count},
                    {"retained_bytes", holder.retained_bytes}});
  }
  return list;
}

Json growth_of(const Since& since) {
  const auto& growth = since.growth;
  auto types = Json::array();
  for (const auto& type : growth.types) {
    types.push_back({{"type", type.name}, {"count", type.count}, {"bytes", type.bytes}});
  }
  auto retainers = Json::array();
  for (const auto& holder : growth.retainers) {
    retainers.push_back({{"path", holder.path},
                         {"root", holder.root},
                         {"type", holder.type},
                         {"count", holder.count},
                         {"retained_bytes", holder.bytes}});
  }
  return {{"since", since.source},
          {"objects", growth.objects},
          {"bytes", growth.bytes},
          {"types", std::move(types)},
          {"tensors", buffers_of(growth.tensors, true, "shape")},
          {"arrays", buffers_of(growth.arrays, false, "shape")},
          {"images", buffers_of(growth.images, false, "size")},
          {"retainers", std::move(retainers)}};
}

}  // namespace

std::string census_document(const record::Census& census, const std::optional<Since>& since) {
  Json document = {
      {"schema", "tidegauge/census/1"},
      {"pid", census.pid},
      {"python", census.python},
      {"mode", census.streaming ? "streaming" : "snapshot"},
      {"pause_ms", census.pause_ms},
      {"seconds", census.seconds},
      {"objects", census.objects},
      {"bytes", census.bytes},
      {"types", types_of(census)},
      {"tensors", buffers_of(census.tensors, true, "shape")},
      {"arrays", buffers_of(census.arrays, false, "shape")},
      {"images", buffers_of(census.images, false, "size")},
      {"retainers", retainers_of(census)},
      {"garbage", {{"count", census.garbage_count}, {"bytes", census.garbage_bytes}}},
      {"incomplete", census.incomplete ? Json(*census.incomplete) : Json()},
  };
  if (since) document["growth"] = growth_of(*since);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tidegauge::view
