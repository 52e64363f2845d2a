// SPDX-License-Identifier: Apache-2.0
#include "cli/holder_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace tidegauge::cli {

std::string to_line(const record::Census::Holder& holder) {
  auto type = holder.type;
  std::replace(type.begin(), type.end(), ' ', '_');
  return fmt::format("{} {} {} {} {}\n", holder.retained_bytes, holder.count, holder.root,
                     printable(type), printable(holder.path));
}

std::optional<record::Census::Holder> parse_holder(std::string_view line) {
  record::Census::Holder holder;
  const auto bytes = to_number<std::uint64_t>(next_word(line));
  const auto count = to_number<std::uint64_t>(next_word(line));
  holder.root = next_word(line);
  holder.type = next_word(line);
  holder.path = trimmed(line);
  if (!bytes || !count || holder.path.empty()) return {};
  holder.retained_bytes = *bytes;
  holder.count = *count;
  return holder;
}

record::Event held(const record::Census::Holder& holder, const record::ProcessId& process,
                   std::int64_t at_ns) {
  return {.at_ns = at_ns,
          .kind = record::EventKind::Held,
          .process = process,
          .source = record::MarkSource::Kernel,
          .name = holder.type + " " + (holder.root == "native" ? "C code: " : "") + holder.path,
          .value = static_cast<double>(holder.retained_bytes),
          .total = static_cast<double>(holder.count)};
}

}  // namespace tidegauge::cli
