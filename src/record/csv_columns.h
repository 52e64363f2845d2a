// SPDX-License-Identifier: Apache-2.0
// What the columns of somebody's CSV mean, from their names alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/sample.h"

namespace tidegauge::record {

struct Column {
  enum class Meaning {
    Ignored,
    Time,  // in `unit` seconds, or a date
    Step,
    Epoch,
    Pid,
    Start,   // of the process: any number that differs for the next one with this pid
    Parent,  // its pid
    Name,
    Command,
    Role,
    Event,
    Value,
    Total,
    Limit,  // of the cgroup, or whatever binds
    MachineTotal,
    MachineAvailable,
    Series,
  };
  Meaning meaning = Meaning::Ignored;
  std::string title{};            // as the file has it, for messages
  std::string name{};             // without the unit; the usual one where we know it
  std::optional<double> unit{};   // bytes of one (Time: seconds); empty if the name does not say
  Bytes Memory::*kind = nullptr;  // where we know which kind of memory it is
};

// `title` as the header has it: "rss_mb", "RSS (MiB)", "time [s]", "globalStep".
Column understand_column(std::string_view title);

// Index of the first column of that meaning.
std::optional<std::size_t> find_column(const std::vector<Column>& columns, Column::Meaning meaning);

// "a, b, c…" for messages.
std::string titles_of(const std::vector<Column>& columns);

}  // namespace tidegauge::record
