// SPDX-License-Identifier: Apache-2.0
#include "proc/meminfo.h"

#include "base/text.h"
#include "proc/kilobytes.h"

namespace tidegauge::proc {

namespace {

struct Field {
  std::string_view name;
  record::Bytes record::Machine::*member;
};
constexpr Field kFields[] = {
    {"MemTotal:", &record::Machine::total},     {"MemAvailable:", &record::Machine::available},
    {"MemFree:", &record::Machine::free},       {"Cached:", &record::Machine::cached},
    {"Shmem:", &record::Machine::shmem},        {"SwapTotal:", &record::Machine::swap_total},
    {"SwapFree:", &record::Machine::swap_free},
};

// "avg10=1.25" as 1.25; shares outside 0..100 are none.
std::optional<double> share(std::string_view word, std::string_view name) {
  if (!word.starts_with(name)) return {};
  const auto value = to_number<double>(word.substr(name.size()));
  if (!value || !(*value >= 0 && *value <= 100)) return {};
  return value;
}

}  // namespace

Result<record::Machine> parse_meminfo(std::string_view text) {
  record::Machine machine;
  while (!text.empty()) {
    auto line = next_line(text);
    const auto name = next_word(line);
    for (const auto& field : kFields) {
      if (field.name == name) machine.*field.member = kilobytes(line);
    }
  }
  if (!machine.total) return Error{Reason::Malformed, "meminfo: no MemTotal in it"};
  return machine;
}

Result<Pressure> parse_pressure(std::string_view text) {
  Pressure pressure;
  while (!text.empty()) {
    auto line = next_line(text);
    const auto who = next_word(line);
    const auto value = share(next_word(line), "avg10=");
    if (who == "some") pressure.some = value;
    if (who == "full") pressure.full = value;
  }
  if (!pressure.some && !pressure.full) {
    return Error{Reason::Malformed, "pressure: neither a some nor a full line in it"};
  }
  return pressure;
}

}  // namespace tidegauge::proc
