// SPDX-License-Identifier: Apache-2.0
// Sample lines, each of which says only what has changed.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "record/sample.h"

namespace tidegauge::record {

// These throw simdjson_error for values that are not what they should be; LineReader catches it.
std::int64_t read_seconds(simdjson::ondemand::value& value);
std::int64_t read_integer(simdjson::ondemand::value& value);
std::uint64_t read_count(simdjson::ondemand::value& value);
std::uint64_t read_kib(simdjson::ondemand::value& value);  // as bytes
std::optional<double> read_double(simdjson::ondemand::value& value);
// True if `key` is `field` or `field`_hex, which has the exact bytes; then the text is read.
bool read_text_field(std::string_view key, simdjson::ondemand::value& value, std::string_view field,
                     std::string& text);

class SampleLines {
 public:
  void reset() { sample_ = {}; }  // a frame begins: nothing is carried forward
  // The sample that this line makes of the one before.
  void apply(simdjson::ondemand::object& line);
  Sample& sample() { return sample_; }
  bool processes_changed() const { return processes_changed_; }

 private:
  using Value = simdjson::ondemand::value;
  void apply_field(std::string_view key, Value& value);
  bool apply_column(std::string_view key, Value& value);
  void use_new_ids();
  void read_states(Value& value);
  void read_machine(Value& value);
  void read_cgroups(Value& value);
  void read_gpus(Value& value);

  Sample sample_{};
  std::vector<ProcessId> new_ids_{};
  bool ids_pending_ = false;
  bool processes_changed_ = false;
  bool rss_said_ = false;
  std::vector<Memory> before_{};
};

}  // namespace tidegauge::record
