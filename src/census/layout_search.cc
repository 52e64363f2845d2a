// SPDX-License-Identifier: Apache-2.0
#include "census/layout_search.h"

#include <algorithm>
#include <charconv>

#include "census/layout_checks.h"
#include "census/types.h"

namespace tidegauge::census {

namespace {

// The beginning of _Py_DebugOffsets, which has been the same since there is one.
struct FirstOffsets {
  char cookie[8];
  std::uint64_t version, free_threaded, runtime_size, finalizing, interpreters, interp_size,
      interp_id, interp_next, interp_threads;
};

constexpr std::uint64_t kSearchedBytes = 64 << 10;  // of an interpreter; fields of use come first

int minor_of(const char* version) {
  int minor = 0;
  const std::string_view text(version);
  std::from_chars(text.data() + 2, text.data() + text.size(), minor);
  return minor;
}

bool has_keys(const Memory& memory, const Layout& row, Address dict,
              std::initializer_list<std::string_view> wanted) {
  std::size_t found = 0;
  for_each_item(memory, row, dict, [&](Address key_at, Address) {
    const auto key = read_text(memory, row, memory.pointer(key_at), 32);
    found += std::count(wanted.begin(), wanted.end(), key) > 0 ? 1U : 0U;
    return found < wanted.size();
  });
  return found == wanted.size();
}

std::uint16_t find_dict(const Memory& memory, const Layout& row, Address interp,
                        std::initializer_list<std::string_view> keys) {
  for (Address offset = 0; offset < kSearchedBytes; offset += 8) {
    const auto word = memory.pointer(interp + offset);
    if (word % 8 == 0 && is_dict(memory, word) && has_keys(memory, row, word, keys)) {
      return static_cast<std::uint16_t>(offset);
    }
  }
  return 0;
}

// Three heads of lists one after the other, each with its threshold.
std::uint16_t find_gc_heads(const Memory& memory, Address interp) {
  constexpr Address kHead = 24;
  for (Address offset = 0; offset < kSearchedBytes; offset += 8) {
    const auto at = interp + offset;
    const auto threshold = memory.get<std::int32_t>(at + 16).value_or(0);
    if (threshold <= 0 || threshold > 10'000'000) continue;
    if (is_gc_head(memory, at) && is_gc_head(memory, at + kHead) &&
        is_gc_head(memory, at + 2 * kHead)) {
      return static_cast<std::uint16_t>(offset);
    }
  }
  return 0;
}

// A class's name, something else, and its qualified name.
std::uint16_t find_qualname(const Memory& memory, Address type) {
  constexpr Address kSmallestType = 400;
  constexpr Address kLargestType = 1400;
  for (Address offset = kSmallestType; offset < kLargestType; offset += 8) {
    if (type_name_of(memory, memory.pointer(type + offset)) == "str" &&
        type_name_of(memory, memory.pointer(type + offset + 16)) == "str") {
      return static_cast<std::uint16_t>(offset + 16);
    }
  }
  return 0;
}

// A class is the first in its own order of resolution.
std::uint16_t find_tuple_items(const Memory& memory, Address type) {
  constexpr Address kOrder = 344;
  const auto order = memory.pointer(type + kOrder);
  for (const std::uint16_t offset : std::initializer_list<std::uint16_t>{24, 32, 40}) {
    if (memory.pointer(order + offset) == type) return offset;
  }
  return 0;
}

}  // namespace

const Layout* newest_before(std::span<const Layout> known, std::uint32_t version) {
  const auto minor = static_cast<int>((version >> 16) & 0xff);
  const Layout* best = nullptr;
  for (const auto& row : known) {
    if (minor_of(row.version) > minor) continue;
    if (best == nullptr || minor_of(row.version) > minor_of(best->version)) best = &row;
  }
  return best;
}

std::optional<Layout> search_layout(const Memory& memory, Address runtime,
                                    std::span<const Layout> known) {
  const auto told = memory.get<FirstOffsets>(runtime);
  constexpr std::uint64_t kMostOffset = 60'000;
  if (!told || std::string_view(told->cookie, 8) != "xdebugpy" || told->free_threaded != 0 ||
      told->interpreters > kMostOffset || told->interp_next > kMostOffset ||
      told->interp_threads > kMostOffset) {
    return {};
  }
  const auto* const before = newest_before(known, static_cast<std::uint32_t>(told->version));
  if (before == nullptr) return {};
  auto row = *before;
  row.version = "unknown";
  row.runtime_interpreters = static_cast<std::uint16_t>(told->interpreters);
  row.interp_next = static_cast<std::uint16_t>(told->interp_next);
  row.interp_threads = static_cast<std::uint16_t>(told->interp_threads);
  const auto interp = memory.pointer(runtime + row.runtime_interpreters);
  if (interp == 0) return {};
  row.interp_modules = find_dict(memory, row, interp, {"sys", "builtins"});
  row.interp_sysdict = find_dict(memory, row, interp, {"modules", "version_info"});
  row.gc_heads = find_gc_heads(memory, interp);
  row.gc_collecting = 0;
  const auto type = some_heap_type(memory, row, interp);
  if (type == 0) return {};
  row.heap_type_qualname = find_qualname(memory, type);
  row.heap_type_cached_keys = static_cast<std::uint16_t>(row.heap_type_qualname + 8);
  row.tuple_items = find_tuple_items(memory, type);
  const bool whole = row.interp_modules != 0 && row.interp_sysdict != 0 && row.gc_heads != 0 &&
                     row.heap_type_qualname != 0 && row.tuple_items != 0;
  return whole ? std::optional(row) : std::nullopt;
}

}  // namespace tidegauge::census
