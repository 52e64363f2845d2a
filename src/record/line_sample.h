// SPDX-License-Identifier: Apache-2.0
// Sample lines, each of which says only what has changed.
#pragma once

#include <string_view>
#include <vector>

#include "record/line_values.h"
#include "record/sample.h"

namespace tidegauge::record {

class SampleLines {
 public:
  void reset() { sample_ = {}; }  // a frame begins: nothing is carried forward
  // The sample that this line makes of the one before.
  void apply(simdjson::ondemand::object& line);
  Sample& sample() { return sample_; }
  bool processes_changed() const { return processes_changed_; }

 private:
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
