// SPDX-License-Identifier: Apache-2.0
#include "record/line_sample.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "record/line_fields.h"

namespace tidegauge::record {

namespace ondemand = simdjson::ondemand;

namespace {

template <class T, std::size_t N>
bool read_object_field(const std::array<ObjectField<T>, N>& fields, std::string_view key,
                       Value& value, T& object) {
  for (const auto& field : fields) {
    if (field.key != key) continue;
    object.*field.member = read_number(value, field.kib);
    return true;
  }
  return false;
}

int read_int(Value& value) {
  const auto number = read_integer(value);
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    refuse();
  }
  return static_cast<int>(number);
}

// Far more than any machine has, and few enough to be gone through at every line.
constexpr std::size_t kMostProcesses = 65'536;
constexpr std::size_t kMostSeries = 16'384;
constexpr std::size_t kMostGroups = 256;
constexpr std::size_t kMostGpus = 256;

std::vector<NamedBytes> read_series(Value& value) {
  std::vector<NamedBytes> series;
  for (auto element : value.get_array()) {
    if (series.size() == kMostSeries) refuse();
    NamedBytes one;
    for (auto field : element.get_object()) {
      const std::string_view key = field.unescaped_key();
      Value number = field.value();
      if (!read_text_field(key, number, "name", one.name) && key == "bytes") {
        one.bytes = read_double(number).value_or(std::numeric_limits<double>::quiet_NaN());
      }
    }
    series.push_back(std::move(one));
  }
  return series;
}

}  // namespace

// Lines that say nothing of the processes are many: those cost nothing for each process.
void SampleLines::touch_processes() {
  if (std::exchange(touched_, true)) return;
  sample_.processes_version = ++versions_;
  before_.clear();
  for (const auto& process : sample_.processes) before_.push_back(process.memory);
}

void SampleLines::begin_line() {
  ids_pending_ = false;
  processes_changed_ = false;
  rss_said_ = false;
  touched_ = false;
  before_.clear();
  if (!std::exchange(momentary_, false)) return;
  for (auto& process : sample_.processes) {
    for (const auto& column : kColumns) {
      if (column.momentary) column.of(process).reset();
    }
  }
  touch_processes();
}

std::size_t SampleLines::parts() const {
  return (touched_ ? sample_.processes.size() + series_ : 0) +
         (processes_changed_ ? sample_.processes.size() : 0) + sample_.others.size() +
         sample_.cgroups.size() + sample_.gpus.size();
}

void SampleLines::apply(ondemand::object& line) {
  begin_line();
  for (auto field : line) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    apply_field(key, value);
  }
  use_new_ids();
  if (rss_said_) return;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    auto& memory = sample_.processes[i].memory;
    memory.rss = implied_rss(before_[i], memory);
  }
}

// "pids" and "starts" come before the columns, which are in their order.
void SampleLines::use_new_ids() {
  if (!std::exchange(ids_pending_, false)) return;
  sample_.processes = carried_forward(sample_.processes, new_ids_);
  touched_ = false;  // `before_` is what was carried forward
  touch_processes();
  processes_changed_ = true;
}

void SampleLines::apply_field(std::string_view key, Value& value) {
  if (key == "t") {
    sample_.at_ns = read_seconds(value);
  } else if (key == "pids") {
    new_ids_.clear();
    for (auto element : value.get_array()) {
      Value pid = element.value();
      if (new_ids_.size() == kMostProcesses) refuse();
      new_ids_.push_back({.pid = read_int(pid)});
    }
    ids_pending_ = true;
  } else if (key == "starts") {
    std::size_t i = 0;
    for (auto element : value.get_array()) {
      Value start = element.value();
      if (!ids_pending_ || i == new_ids_.size()) refuse();
      new_ids_[i++].start_ticks = read_count(start);
    }
  } else if (!apply_column(key, value)) {
    if (key == "machine") read_machine(value);
    if (key == "cgroups") read_cgroups(value);
    if (key == "gpus") read_gpus(value);
    if (key == "series") sample_.others = read_series(value);
  }
}

bool SampleLines::apply_column(std::string_view key, Value& value) {
  const auto* column = std::find_if(kColumns.begin(), kColumns.end(),
                                    [&](const ColumnField& field) { return field.key == key; });
  if (key == kRss.key) {
    column = &kRss;
    rss_said_ = true;
  }
  const bool known = column != kColumns.end();
  if (!known && key != "state" && key != "others") return false;
  use_new_ids();
  touch_processes();
  if (key == "state") {
    read_states(value);
    return true;
  }
  if (known && column->momentary) momentary_ = true;
  if (!known) series_ = 0;
  std::size_t i = 0;
  for (auto element : value.get_array()) {
    Value number = element.value();
    if (i == sample_.processes.size()) refuse();
    auto& process = sample_.processes[i++];
    if (known) {
      column->of(process) = read_number(number, column->memory != nullptr);
    } else {
      process.others = read_series(number);
      series_ += process.others.size();
      if (series_ > kMostProcesses) refuse();
    }
  }
  if (i != sample_.processes.size()) refuse();
  return true;
}

void SampleLines::read_states(Value& value) {
  auto& processes = sample_.processes;
  if (value.type() == ondemand::json_type::string) {
    const std::string_view letters = value.get_string();
    if (letters.size() != processes.size()) refuse();
    for (std::size_t i = 0; i < letters.size(); ++i) processes[i].activity.state = letters[i];
    return;
  }
  std::size_t i = 0;
  for (auto element : value.get_array()) {
    Value code = element.value();
    if (i == processes.size()) refuse();
    processes[i++].activity.state = static_cast<char>(read_count(code));
  }
  if (i != processes.size()) refuse();
}

void SampleLines::read_machine(Value& value) {
  if (value.is_null()) {
    sample_.machine.reset();
    return;
  }
  if (!sample_.machine) sample_.machine.emplace();
  auto& machine = *sample_.machine;
  for (auto field : value.get_object()) {
    const std::string_view key = field.unescaped_key();
    Value number = field.value();
    if (read_object_field(kMachineFields, key, number, machine)) continue;
    if (key == "pressure_some") machine.pressure_some = read_double(number);
    if (key == "pressure_full") machine.pressure_full = read_double(number);
  }
}

void SampleLines::read_cgroups(Value& value) {
  std::size_t i = 0;
  for (auto element : value.get_array()) {
    if (i == kMostGroups) refuse();
    if (i == sample_.cgroups.size()) sample_.cgroups.emplace_back();
    auto& cgroup = sample_.cgroups[i++];
    for (auto field : element.get_object()) {
      const std::string_view key = field.unescaped_key();
      Value inner = field.value();
      if (key == "path") {  // another group than the one that was in this place
        cgroup = {};
        cgroup.path = std::string_view(inner.get_string());
      } else if (key == "version") {
        cgroup.version = read_int(inner);
      } else if (key == "exclusive") {
        cgroup.exclusive = inner.get_bool();
      } else if (!read_text_field(key, inner, "path", cgroup.path)) {
        read_object_field(kCgroupFields, key, inner, cgroup);
      }
    }
  }
  sample_.cgroups.resize(i);
}

void SampleLines::read_gpus(Value& value) {
  std::size_t i = 0;
  for (auto element : value.get_array()) {
    if (i == kMostGpus) refuse();
    if (i == sample_.gpus.size()) sample_.gpus.emplace_back();
    auto& gpu = sample_.gpus[i++];
    for (auto field : element.get_object()) {
      const std::string_view key = field.unescaped_key();
      Value inner = field.value();
      if (key == "index") {
        gpu = {.index = read_int(inner)};
      } else {
        read_object_field(kGpuFields, key, inner, gpu);
      }
    }
  }
  sample_.gpus.resize(i);
}

}  // namespace tidegauge::record
