// SPDX-License-Identifier: Apache-2.0
// Entries as lines of a recording: docs/recording-format.md. A line says what has changed since the
// one before; a frame begins with everything.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/line_fields.h"
#include "record/recording.h"

namespace tidegauge::record {

class LineWriter {
 public:
  explicit LineWriter(Header header) : header_(std::move(header)) {}

  // Begins a frame: forgets what was said before, writes the header and, again, the processes that
  // still live.
  void begin_frame(std::uint64_t number);
  void add(const Entry& entry);
  void add(const Process& process);
  void add(const Event& event);
  void add(const Profile& profile);
  void add(const Sample& sample);

  // The lines since the last clear().
  const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  void write(const Process& process, bool again);
  bool are_as_they_were(const std::vector<ProcessSample>& now) const;
  void add_processes(const Sample& sample);
  void add_columns(const std::vector<ProcessSample>& now);
  template <class Value>
  void add_column(const ColumnField& column, const std::vector<ProcessSample>& now,
                  const Value& is_news);
  void add_states(const std::vector<ProcessSample>& now);
  void add_others(const std::vector<ProcessSample>& now);
  void add_machine(const std::optional<Machine>& machine);
  void add_cgroups(const std::vector<Cgroup>& cgroups);
  void add_gpus(const std::vector<Gpu>& gpus);
  void forget_the_gone(const Sample& sample);

  Header header_;
  std::string text_;
  Sample last_{};
  std::map<ProcessId, Process> living_;
  bool described_since_sample_ = false;
};

}  // namespace tidegauge::record
