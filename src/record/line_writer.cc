// SPDX-License-Identifier: Apache-2.0
#include "record/line_writer.h"

#include <algorithm>
#include <set>

#include "record/line_numbers.h"
#include "record/line_profile.h"
#include "record/names.h"

namespace tidegauge::record {

namespace {

void append_number(std::string& out, const Number& value, bool kib) {
  if (!value) {
    out += "null";
  } else if (kib) {
    append_kib(out, *value);
  } else {
    append_count(out, *value);
  }
}

// "pid" and "start" of a process, or of its parent.
void append_id(std::string& out, const ProcessId& id, std::string_view prefix) {
  append_key(out, std::string(prefix) + "pid");
  append_integer(out, id.pid);
  append_key(out, std::string(prefix) + "start");
  append_count(out, id.start_ticks);
}

// The fields of `now` that differ from `before`.
template <class T, std::size_t N>
void append_changes(std::string& out, const std::array<ObjectField<T>, N>& fields, const T& before,
                    const T& now) {
  for (const auto& field : fields) {
    if (before.*field.member == now.*field.member) continue;
    append_key(out, field.key);
    append_number(out, now.*field.member, field.kib);
  }
}

void append_pressure(std::string& out, std::string_view key, const std::optional<double>& before,
                     const std::optional<double>& now) {
  if (before == now) return;
  append_key(out, key);
  if (now) {
    append_double(out, *now);
  } else {
    out += "null";
  }
}

void append_series(std::string& out, const std::vector<NamedBytes>& series) {
  out += '[';
  for (const auto& one : series) {
    if (out.back() != '[') out += ',';
    out += '{';
    append_text(out, "name", one.name);
    append_key(out, "bytes");
    append_double(out, one.bytes);
    out += '}';
  }
  out += ']';
}

bool is_plain(char c) {
  return c > ' ' && c < 0x7F && c != '"' && c != '\\';
}

}  // namespace

void LineWriter::begin_frame(std::uint64_t number) {
  last_ = {};
  text_ += "{\"tidegauge\":";
  append_integer(text_, header_.version);
  text_ += ",\"kind\":\"recording\",\"frame\":";
  append_count(text_, number);
  append_text_field(text_, "tool", header_.tool);
  append_text_field(text_, "host", header_.host);
  append_text_field(text_, "command", header_.command);
  text_ += header_.clock == Clock::Steps ? ",\"clock\":\"steps\"" : ",\"clock\":\"seconds\"";
  append_key(text_, "started_unix_ns");
  append_integer(text_, header_.started_unix_ns);
  append_key(text_, "ticks_per_second");
  append_count(text_, header_.ticks_per_second);
  append_key(text_, "page_bytes");
  append_count(text_, header_.page_bytes);
  append_key(text_, "interval_seconds");
  append_double(text_, header_.interval_seconds);
  text_ += "}\n";
  for (const auto& [id, process] : living_) write(process, true);
}

void LineWriter::add(const Entry& entry) {
  std::visit([this](const auto& value) { add(value); }, entry);
}

void LineWriter::add(const Process& process) {
  write(process, false);
  living_[process.id] = process;
  described_since_sample_ = true;
}

void LineWriter::write(const Process& process, bool again) {
  text_ += "{\"kind\":\"process\",\"t\":";
  append_seconds(text_, process.at_ns);
  if (again) text_ += ",\"again\":true";
  append_id(text_, process.id, "");
  append_id(text_, process.parent, "parent_");
  append_text_field(text_, "name", process.name);
  append_text_field(text_, "command", process.command);
  append_key(text_, "role");
  text_ += '"';
  text_ += id_of(process.role);
  text_ += "\"}\n";
}

void LineWriter::add(const Event& event) {
  text_ += "{\"kind\":\"event\",\"t\":";
  append_seconds(text_, event.at_ns);
  text_ += ",\"event\":\"";
  text_ += id_of(event.kind);
  text_ += '"';
  if (event.process != ProcessId{}) append_id(text_, event.process, "");
  if (event.source != MarkSource::Kernel) {
    append_key(text_, "source");
    text_ += '"';
    text_ += id_of(event.source);
    text_ += '"';
  }
  if (!event.name.empty()) append_text_field(text_, "name", event.name);
  for (const auto& [key, value] : {std::pair("value", event.value), {"total", event.total}}) {
    if (!value) continue;
    append_key(text_, key);
    append_double(text_, *value);
  }
  text_ += "}\n";
}

void LineWriter::add(const Profile& profile) {
  append_profile(text_, profile);
}

void LineWriter::add(const Sample& sample) {
  text_ += "{\"kind\":\"sample\",\"t\":";
  append_seconds(text_, sample.at_ns);
  add_processes(sample);
  add_machine(sample.machine);
  add_cgroups(sample.cgroups);
  add_gpus(sample.gpus);
  if (sample.others != last_.others) {
    append_key(text_, "series");
    append_series(text_, sample.others);
  }
  text_ += "}\n";
  last_.machine = sample.machine;
  last_.cgroups = sample.cgroups;
  last_.gpus = sample.gpus;
  last_.others = sample.others;
}

// True where a line has nothing to say of the processes. What is of one sample only is news.
bool LineWriter::are_as_they_were(const std::vector<ProcessSample>& now) const {
  if (described_since_sample_ || now != last_.processes) return false;
  return std::none_of(now.begin(), now.end(), [](const ProcessSample& process) {
    return std::any_of(kColumns.begin(), kColumns.end(), [&](const ColumnField& column) {
      return column.momentary && column.of(process).has_value();
    });
  });
}

void LineWriter::add_processes(const Sample& sample) {
  const auto& now = sample.processes;
  if (are_as_they_were(now)) return;
  const bool same =
      std::equal(now.begin(), now.end(), last_.processes.begin(), last_.processes.end(),
                 [](const auto& a, const auto& b) { return a.id == b.id; });
  if (!same || described_since_sample_) forget_the_gone(sample);
  if (!same) {
    std::vector<ProcessId> ids;
    ids.reserve(now.size());
    for (const auto& process : now) ids.push_back(process.id);
    last_.processes = carried_forward(last_.processes, ids);
    append_key(text_, "pids");
    text_ += '[';
    for (const auto& id : ids) append_integer(text_ += text_.back() == '[' ? "" : ",", id.pid);
    text_ += ']';
    append_key(text_, "starts");
    text_ += '[';
    for (const auto& id : ids)
      append_count(text_ += text_.back() == '[' ? "" : ",", id.start_ticks);
    text_ += ']';
  }
  add_columns(now);
  add_states(now);
  add_others(now);
  last_.processes = now;
}

template <class IsNews>
void LineWriter::add_column(const ColumnField& column, const std::vector<ProcessSample>& now,
                            const IsNews& is_news) {
  bool any = false;
  for (std::size_t i = 0; i < now.size() && !any; ++i) any = is_news(i);
  if (!any) return;
  append_key(text_, column.key);
  text_ += '[';
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (i > 0) text_ += ',';
    append_number(text_, column.of(now[i]), column.memory != nullptr);
  }
  text_ += ']';
}

void LineWriter::add_columns(const std::vector<ProcessSample>& now) {
  const auto& before = last_.processes;
  for (const auto& column : kColumns) {
    add_column(column, now, [&](std::size_t i) {
      return column.momentary ? column.of(now[i]).has_value()
                              : column.of(now[i]) != column.of(before[i]);
    });
  }
  add_column(kRss, now, [&](std::size_t i) {
    return now[i].memory.rss != implied_rss(before[i].memory, now[i].memory);
  });
}

// One letter each: "SSRD". Letters that would need quoting are written as a list of their codes.
void LineWriter::add_states(const std::vector<ProcessSample>& now) {
  bool news = false;
  bool plain = true;
  for (std::size_t i = 0; i < now.size(); ++i) {
    news = news || now[i].activity.state != last_.processes[i].activity.state;
    plain = plain && is_plain(now[i].activity.state);
  }
  if (!news) return;
  append_key(text_, "state");
  text_ += plain ? '"' : '[';
  for (const auto& process : now) {
    if (plain) {
      text_ += process.activity.state;
    } else {
      if (text_.back() != '[') text_ += ',';
      append_count(text_, static_cast<unsigned char>(process.activity.state));
    }
  }
  text_ += plain ? '"' : ']';
}

void LineWriter::add_others(const std::vector<ProcessSample>& now) {
  bool news = false;
  for (std::size_t i = 0; i < now.size() && !news; ++i) {
    news = now[i].others != last_.processes[i].others;
  }
  if (!news) return;
  append_key(text_, "others");
  text_ += '[';
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (i > 0) text_ += ',';
    append_series(text_, now[i].others);
  }
  text_ += ']';
}

void LineWriter::add_machine(const std::optional<Machine>& machine) {
  if (machine == last_.machine) return;
  append_key(text_, "machine");
  if (!machine) {
    text_ += "null";
    return;
  }
  const auto before = last_.machine.value_or(Machine{});
  text_ += '{';
  append_changes(text_, kMachineFields, before, *machine);
  append_pressure(text_, "pressure_some", before.pressure_some, machine->pressure_some);
  append_pressure(text_, "pressure_full", before.pressure_full, machine->pressure_full);
  text_ += '}';
}

void LineWriter::add_cgroups(const std::vector<Cgroup>& cgroups) {
  if (cgroups == last_.cgroups) return;
  append_key(text_, "cgroups");
  text_ += '[';
  for (std::size_t i = 0; i < cgroups.size(); ++i) {
    const auto& now = cgroups[i];
    const bool known = i < last_.cgroups.size() && last_.cgroups[i].path == now.path &&
                       last_.cgroups[i].version == now.version;
    const auto& before = known ? last_.cgroups[i] : Cgroup{};
    text_ += i > 0 ? ",{" : "{";
    if (!known) {
      append_text(text_, "path", now.path);
      append_key(text_, "version");
      append_integer(text_, now.version);
    }
    if (before.exclusive != now.exclusive) {
      append_key(text_, "exclusive");
      text_ += now.exclusive ? "true" : "false";
    }
    append_changes(text_, kCgroupFields, before, now);
    text_ += '}';
  }
  text_ += ']';
}

void LineWriter::add_gpus(const std::vector<Gpu>& gpus) {
  if (gpus == last_.gpus) return;
  append_key(text_, "gpus");
  text_ += '[';
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const bool known = i < last_.gpus.size() && last_.gpus[i].index == gpus[i].index;
    text_ += i > 0 ? ",{" : "{";
    if (!known) {
      append_key(text_, "index");
      append_integer(text_, gpus[i].index);
    }
    append_changes(text_, kGpuFields, known ? last_.gpus[i] : Gpu{}, gpus[i]);
    text_ += '}';
  }
  text_ += ']';
}

// Processes are described before the sample that first has them, so one that a sample lacks is
// gone.
void LineWriter::forget_the_gone(const Sample& sample) {
  std::set<ProcessId> here;
  for (const auto& process : sample.processes) here.insert(process.id);
  std::erase_if(living_, [&](const auto& known) { return !here.contains(known.first); });
  described_since_sample_ = false;
}

}  // namespace tidegauge::record
