// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/units.h"
#include "view/census.h"
#include "view/table.h"

namespace tidegauge::view {

namespace {

std::string size_of(std::uint64_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}

// 1234567 -> "1,234,567"
std::string grouped(std::uint64_t number) {
  const auto digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

void append_table(std::string& out, const char* title, const Table& table, std::size_t columns) {
  if (table.empty()) return;
  out += fmt::format("\n{}\n", title);
  for (const auto& line : table.lines(columns)) out += line + "\n";
}

// How much there is.
std::string bytes_cell(std::uint64_t bytes) {
  return size_of(bytes);
}
std::string count_cell(std::uint64_t count) {
  return grouped(count);
}
// By how much it has changed: "+1.5 MiB", "-3.0 KiB".
std::string bytes_cell(std::int64_t bytes) {
  return (bytes < 0 ? "-" : "+") + size_of(static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes));
}
std::string count_cell(std::int64_t count) {
  return (count < 0 ? "-" : "+") + grouped(static_cast<std::uint64_t>(count < 0 ? -count : count));
}

template <class Holder>
std::string place_of(const Holder& holder) {
  return holder.root == "native" ? "C code: " + holder.path : holder.path;
}

Table held_by(const record::Census& census, std::size_t most) {
  Table table({{"HELD", true, 3}, {"COUNT", true, 2}, {"TYPE", false, 1}, {"BY", false, 3, true}});
  for (std::size_t i = 0; i < std::min(most, census.retainers.size()); ++i) {
    const auto& holder = census.retainers[i];
    table.add(
        {size_of(holder.retained_bytes), grouped(holder.count), holder.type, place_of(holder)});
  }
  return table;
}

Table by_type(const record::Census& census, std::size_t most) {
  Table table(
      {{"BYTES", true, 3}, {"NATIVE", true, 2}, {"COUNT", true, 2}, {"TYPE", false, 3, true}});
  for (std::size_t i = 0; i < std::min(most, census.types.size()); ++i) {
    const auto& type = census.types[i];
    table.add({size_of(type.bytes), type.native_bytes > 0 ? size_of(type.native_bytes) : "",
               grouped(type.count), type.name});
  }
  return table;
}

// What there is of tensors, arrays or images, or what has changed.
template <class Buffers>
Table of_buffers(const std::vector<Buffers>& buffers, std::size_t most) {
  Table table({{"BYTES", true, 3},
               {"COUNT", true, 2},
               {"DEVICE", false, 1},
               {"KIND", false, 1},
               {"SHAPE", false, 3},
               {"GRADIENT", false, 1}});
  for (std::size_t i = 0; i < std::min(most, buffers.size()); ++i) {
    const auto& one = buffers[i];
    table.add({bytes_cell(one.bytes), count_cell(one.count), one.device, one.dtype,
               fmt::format("{}", fmt::join(one.shape, "×")),
               one.has_grad_fn ? "grad_fn" : (one.requires_grad ? "required" : "")});
  }
  return table;
}

Table grown_types(const record::CensusGrowth& growth, std::size_t most) {
  Table table({{"BYTES", true, 3}, {"COUNT", true, 2}, {"TYPE", false, 3, true}});
  for (std::size_t i = 0; i < std::min(most, growth.types.size()); ++i) {
    const auto& type = growth.types[i];
    table.add({bytes_cell(type.bytes), count_cell(type.count), type.name});
  }
  return table;
}

Table grown_holders(const record::CensusGrowth& growth, std::size_t most) {
  Table table({{"HELD", true, 3}, {"COUNT", true, 2}, {"TYPE", false, 1}, {"BY", false, 3, true}});
  for (std::size_t i = 0; i < std::min(most, growth.retainers.size()); ++i) {
    const auto& holder = growth.retainers[i];
    table.add({bytes_cell(holder.bytes), count_cell(holder.count), holder.type, place_of(holder)});
  }
  return table;
}

std::size_t most_buffers(const CensusTextOptions& options) {
  return options.tensors ? std::size_t(-1) : options.lines / 2 + 1;
}

}  // namespace

std::string growth_text(const Since& since, const CensusTextOptions& options) {
  const auto& growth = since.growth;
  auto out = fmt::format("\nSince {}: {} objects, {}\n", since.source, count_cell(growth.objects),
                         bytes_cell(growth.bytes));
  append_table(out, "Who holds more", grown_holders(growth, options.lines), options.columns);
  append_table(out, "What there is more of", grown_types(growth, options.lines), options.columns);
  const auto most = most_buffers(options);
  append_table(out, "More tensors", of_buffers(growth.tensors, most), options.columns);
  append_table(out, "More arrays", of_buffers(growth.arrays, most), options.columns);
  append_table(out, "More images", of_buffers(growth.images, most), options.columns);
  return out;
}

std::string census_text(const record::Census& census, const CensusTextOptions& options) {
  auto out = fmt::format("Python {} in process {}: {} objects, {}\n", census.python, census.pid,
                         grouped(census.objects), size_of(census.bytes));
  out += census.streaming ? fmt::format("counted in {:.2f} s without stopping it\n", census.seconds)
                          : fmt::format("read in {:.2f} s; it stood still for {:.1f} ms\n",
                                        census.seconds, census.pause_ms);
  append_table(out, "Who holds what", held_by(census, options.lines), options.columns);
  append_table(out, "What there is", by_type(census, options.lines), options.columns);
  const auto most = most_buffers(options);
  append_table(out, "Tensors", of_buffers(census.tensors, most), options.columns);
  append_table(out, "Arrays", of_buffers(census.arrays, most), options.columns);
  append_table(out, "Images", of_buffers(census.images, most), options.columns);
  if (census.garbage_count > 0) {
    out += fmt::format("\n{} objects ({}) hold only each other and wait for the collector\n",
                       grouped(census.garbage_count), size_of(census.garbage_bytes));
  }
  if (census.incomplete) out += "\nincomplete: " + *census.incomplete + "\n";
  return out;
}

}  // namespace tidegauge::view
