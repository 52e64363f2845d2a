// SPDX-License-Identifier: Apache-2.0
// Recording: samples in order, what is known of each process, events, and profiles. The same in
// memory and on disk (docs/recording-format.md). Everything depends on this file, so it changes
// rarely and only together with that document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "record/profile.h"
#include "record/sample.h"

namespace tidegauge::record {

// What stays the same between samples. Sent again when it changes (exec, renamed, better known
// role).
struct Process {
  ProcessId id{};
  ProcessId parent{};     // the one that started it, even after it was given to another
  std::string name{};     // comm, as the process set it: any bytes
  std::string command{};  // arguments joined by blanks, secrets masked
  Role role = Role::Other;
  std::int64_t at_ns = 0;  // when this became known

  bool operator==(const Process&) const = default;
};

enum class EventKind {
  Started,     // a process joined the tree
  Exited,      // it is gone; value = exit status where we are its parent (128 + signal if killed)
  Exec,        // it runs another program now
  Step,        // value = number of the optimizer step that has just ended
  Epoch,       // value = number of the epoch that begins
  PhaseBegin,  // name = "eval", "save", "compile", "predict", or the job's own
  PhaseEnd,
  Distinct,   // value = distinct examples that this process has read so far, total = size of its
              // data set
  Note,       // name = free text
  MarksLost,  // value = how many marks were overwritten before we read them
  OomKill,    // value = processes killed so far in the cgroup named by `name`
  Gap,        // no samples for longer than planned: we were stopped, or the machine slept
  Held,  // of a census: value bytes in total objects are held; name = their type, a blank, by whom
};

// Who says so. The reader, not the job, decides which source is the step.
enum class MarkSource {
  Kernel,     // not a mark
  Explicit,   // tidegauge.step(), tidegauge mark, tidegauge_mark()
  Framework,  // HF Trainer's, Lightning's or DeepSpeed's own counter
  Optimizer,  // optimizer hook
  Loader,     // DataLoader
  Output,     // read off the job's terminal
  File,       // a markers file given by the user
};

struct Event {
  std::int64_t at_ns = 0;
  EventKind kind = EventKind::Note;
  ProcessId process{};  // pid 0: the tree as a whole
  MarkSource source = MarkSource::Kernel;
  std::string name{};
  std::optional<double> value{};
  std::optional<double> total{};

  bool operator==(const Event&) const = default;
};

using Entry = std::variant<Process, Event, Sample, Profile>;

// When an entry was, on the recording's clock.
inline std::int64_t at_of(const Entry& entry) {
  return std::visit([](const auto& value) { return value.at_ns; }, entry);
}

// What at_ns counts. A file of others' numbers may know steps only.
enum class Clock { Seconds, Steps };  // Steps: at_ns is the step number times 1e9

struct Header {
  int version = 1;
  std::string tool{};  // "tidegauge 0.1.0"
  std::string host{};
  std::string command{};  // what was run or watched, secrets masked
  Clock clock = Clock::Seconds;
  std::int64_t started_unix_ns = 0;  // wall clock when at_ns was 0; 0: unknown
  std::uint64_t ticks_per_second = 100;
  std::uint64_t page_bytes = 4096;
  double interval_seconds = 1;

  bool operator==(const Header&) const = default;
};

struct Recording {
  Header header{};
  std::vector<Entry> entries{};

  bool operator==(const Recording&) const = default;
};

}  // namespace tidegauge::record
