// SPDX-License-Identifier: Apache-2.0
#include "guard/checkpoint_json.h"

#include <simdjson.h>

#include <algorithm>

#include "base/python_json.h"

namespace tidegauge::guard {

namespace {

Error malformed(const char* why) {
  return {Reason::Malformed, why};
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

}  // namespace

Result<std::int64_t> parse_trainer_step(std::string_view json) {
  // A loss that is NaN does not make a checkpoint any less whole.
  const auto text = python_json_as_json(json);
  simdjson::dom::parser parser;
  simdjson::dom::element state;
  std::int64_t step = 0;
  if (parser.parse(text).get(state) != simdjson::SUCCESS ||
      state["global_step"].get(step) != simdjson::SUCCESS) {
    return malformed("cut short");
  }
  return step;
}

Result<std::set<std::string>> parse_weight_files(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::object weights;
  const simdjson::padded_string text(json);
  if (parser.parse(text).get(document) != simdjson::SUCCESS ||
      document["weight_map"].get(weights) != simdjson::SUCCESS) {
    return malformed("cut short");
  }
  std::set<std::string> files;
  for (const auto& [tensor, value] : weights) {
    std::string_view file;
    if (value.get(file) != simdjson::SUCCESS || !is_file_name(file)) {
      return malformed("makes no sense");
    }
    files.emplace(file);
  }
  return files;
}

Result<std::uint64_t> parse_end_of_tensors(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::object header;
  const simdjson::padded_string text(json);
  if (parser.parse(text).get(header) != simdjson::SUCCESS) {
    return malformed("its header is no JSON");
  }
  std::uint64_t end = 0;
  for (const auto& [name, tensor] : header) {
    if (name == "__metadata__") continue;
    simdjson::dom::array offsets;
    std::uint64_t last = 0;
    if (tensor["data_offsets"].get(offsets) != simdjson::SUCCESS || offsets.size() != 2 ||
        offsets.at(1).get(last) != simdjson::SUCCESS) {
      return malformed("its header makes no sense");
    }
    end = std::max(end, last);
  }
  return end;
}

}  // namespace tidegauge::guard
