// SPDX-License-Identifier: Apache-2.0
#include "record/line_reader.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "record/line_profile.h"
#include "record/line_sample.h"
#include "record/line_values.h"
#include "record/names.h"

namespace tidegauge::record {

namespace ondemand = simdjson::ondemand;

namespace {

Error no_recording() {
  return {Reason::Malformed, "this is no recording of tidegauge"};
}

// Processes whose description is remembered, to tell what is said again from what is new.
constexpr std::size_t kMostLiving = 65'536;

// What a line has said of a process, in few bytes however long its command is.
struct Told {
  ProcessId parent{};
  Role role = Role::Other;
  std::int64_t at_ns = 0;
  std::size_t name = 0;
  std::size_t command = 0;

  bool operator==(const Told&) const = default;
};

Told told_of(const Process& process) {
  const std::hash<std::string> hash;
  return {process.parent, process.role, process.at_ns, hash(process.name), hash(process.command)};
}

int read_version(std::int64_t version) {
  constexpr std::int64_t kMost = 1'000'000;  // a number for a message, no more
  return static_cast<int>(std::clamp<std::int64_t>(version, 0, kMost));
}

Header read_header(ondemand::object& line) {
  Header header;
  for (auto field : line) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    if (read_text_field(key, value, "tool", header.tool)) continue;
    if (read_text_field(key, value, "host", header.host)) continue;
    if (read_text_field(key, value, "command", header.command)) continue;
    if (key == "tidegauge") header.version = read_version(read_integer(value));
    if (key == "clock") {
      header.clock =
          std::string_view(value.get_string()) == "steps" ? Clock::Steps : Clock::Seconds;
    }
    if (key == "started_unix_ns") header.started_unix_ns = read_integer(value);
    if (key == "ticks_per_second") header.ticks_per_second = read_count(value);
    if (key == "page_bytes") header.page_bytes = read_count(value);
    if (key == "interval_seconds") header.interval_seconds = read_double(value).value_or(0);
  }
  return header;
}

void start_again(ondemand::object& object) {
  const auto error = object.reset().error();
  if (error) throw simdjson::simdjson_error(error);
}

// After any other error than a missing field, simdjson's object must not be used any more.
bool has(ondemand::object& object, std::string_view key) {
  const auto error = object.find_field_unordered(key).error();
  if (error && error != simdjson::NO_SUCH_FIELD) throw simdjson::simdjson_error(error);
  start_again(object);
  return !error;
}

}  // namespace

struct LineReader::State {
  ondemand::parser parser{};
  std::optional<Header> header{};
  Entry entry{};        // that is no sample
  Entry last_sample{};  // stays, so that what has not changed need not be copied again
  const Entry* current = &entry;
  std::size_t parts = 0;
  bool told = false;  // of processes, since the last sample
  SampleLines samples{};
  std::map<ProcessId, Told> living{};
  bool lost = false;  // the line before a sample is missing, so what it builds on is not known

  Result<Found> take(std::string_view line);
  Result<Found> take_header(ondemand::object& line);
  Found take_process(ondemand::object& line);
  Found take_event(ondemand::object& line);
  Found take_sample(ondemand::object& line);
  void hand_over_sample();
};

Result<LineReader::Found> LineReader::State::take(std::string_view line) {
  current = &entry;
  parts = 0;
  auto document =
      parser.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING);
  ondemand::object object = document.get_object();
  // A first line of whatever version has this one.
  if (has(object, "tidegauge")) return take_header(object);
  if (!header) return no_recording();
  const std::string kind(std::string_view(object.find_field_unordered("kind").get_string()));
  start_again(object);
  if (kind == "sample") return take_sample(object);
  if (kind == "event") return take_event(object);
  if (kind == "process") return take_process(object);
  if (kind == "profile") {
    entry = read_profile(object);
    return Found::News;
  }
  return Found::Unknown;
}

Result<LineReader::Found> LineReader::State::take_header(ondemand::object& line) {
  auto found = read_header(line);
  if (found.version > kNewestVersion) {
    return Error{Reason::Malformed,
                 fmt::format("this recording is of version {}; this tidegauge reads up to {}: "
                             "please update",
                             found.version, kNewestVersion)};
  }
  if (found.version < 1) return no_recording();
  if (!header) header = std::move(found);
  samples.reset();
  lost = false;
  return Found::Header;
}

LineReader::Found LineReader::State::take_process(ondemand::object& line) {
  Process process;
  bool again = false;
  for (auto field : line) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    if (read_text_field(key, value, "name", process.name)) continue;
    if (read_text_field(key, value, "command", process.command)) continue;
    if (key == "t") process.at_ns = read_seconds(value);
    if (key == "again") again = value.get_bool();
    if (key == "pid") process.id.pid = static_cast<pid_t>(read_integer(value));
    if (key == "start") process.id.start_ticks = read_count(value);
    if (key == "parent_pid") process.parent.pid = static_cast<pid_t>(read_integer(value));
    if (key == "parent_start") process.parent.start_ticks = read_count(value);
    if (key == "role") process.role = role_of(value.get_string()).value_or(Role::Other);
  }
  const auto known = living.find(process.id);
  if (again && known != living.end() && known->second == told_of(process)) return Found::Nothing;
  if (known != living.end() || living.size() < kMostLiving) living[process.id] = told_of(process);
  told = true;
  entry = std::move(process);
  return Found::News;
}

LineReader::Found LineReader::State::take_event(ondemand::object& line) {
  Event event;
  bool understood = true;
  for (auto field : line) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    if (read_text_field(key, value, "name", event.name)) continue;
    if (key == "t") event.at_ns = read_seconds(value);
    if (key == "event") {
      const auto kind = event_kind_of(value.get_string());
      understood = understood && kind.has_value();
      event.kind = kind.value_or(EventKind::Note);
    }
    if (key == "source") {
      const auto source = mark_source_of(value.get_string());
      understood = understood && source.has_value();
      event.source = source.value_or(MarkSource::Kernel);
    }
    if (key == "pid") event.process.pid = static_cast<pid_t>(read_integer(value));
    if (key == "start") event.process.start_ticks = read_count(value);
    if (key == "value") event.value = read_double(value);
    if (key == "total") event.total = read_double(value);
  }
  if (!understood) return Found::Unknown;
  told = told || event.kind == EventKind::Started || event.kind == EventKind::Exited ||
         event.kind == EventKind::Exec;
  entry = std::move(event);
  return Found::News;
}

LineReader::Found LineReader::State::take_sample(ondemand::object& line) {
  if (lost) return Found::Bad;
  lost = true;  // until the line is known to make sense
  samples.apply(line);
  lost = false;
  if (samples.processes_changed()) {
    std::set<ProcessId> here;
    for (const auto& process : samples.sample().processes) here.insert(process.id);
    std::erase_if(living, [&](const auto& known) { return !here.contains(known.first); });
  }
  hand_over_sample();
  return Found::News;
}

void LineReader::State::hand_over_sample() {
  const auto& from = samples.sample();
  parts = samples.parts() + (std::exchange(told, false) ? from.processes.size() : 0);
  current = &last_sample;
  auto* const into = std::get_if<Sample>(&last_sample);
  if (into == nullptr || into->processes_version != from.processes_version) {
    last_sample = from;
    return;
  }
  into->at_ns = from.at_ns;
  into->machine = from.machine;
  into->cgroups = from.cgroups;
  into->gpus = from.gpus;
  into->others = from.others;
}

LineReader::LineReader() : state_(std::make_unique<State>()) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader::Found> LineReader::take(std::string_view line) {
  try {
    return state_->take(line);
  } catch (const simdjson::simdjson_error&) {
    if (!state_->header) return no_recording();
    return Found::Bad;
  }
}

void LineReader::lose() {
  state_->lost = true;
}
const Header& LineReader::header() const {
  return *state_->header;
}
const Entry& LineReader::entry() const {
  return *state_->current;
}
std::size_t LineReader::parts() const {
  return state_->parts;
}
std::size_t line_padding() {
  return simdjson::SIMDJSON_PADDING;
}

}  // namespace tidegauge::record
