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
  const Sample& sample() const { return sample_; }
  bool processes_changed() const { return processes_changed_; }  // some came or went
  // How many parts the last line touched or that are copied with every sample: processes where one
  // has changed, twice where some came or went, series, groups, devices.
  std::size_t parts() const;

 private:
  void begin_line();
  void apply_field(std::string_view key, Value& value);
  void touch_processes();
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
  bool touched_ = false;    // the processes are no longer as the line before had them
  bool momentary_ = false;  // some have values that are of this line only
  std::size_t series_ = 0;  // of all processes
  std::uint64_t versions_ = 0;
  std::vector<Memory> before_{};
};

}  // namespace tidegauge::record
