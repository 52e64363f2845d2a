// SPDX-License-Identifier: Apache-2.0
#include "census/layout_search.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

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

// All builds that tell are 3.13 or newer, whatever version is known before them.
void take_what_all_have_that_tell(Layout& row) {
  row.frame_kind = FrameKind::Direct;
  row.frame_code = 0;
  row.frame_previous = 8;
  row.instance_kind = InstanceKind::InlineValues;
  row.values_header = row.compact_keys = row.int_tag = true;
}

// What the build tells further on, in an order that changes from version to version: known by the
// numbers beside it.
class ToldNumbers {
 public:
  ToldNumbers(const Memory& memory, Address runtime) {
    if (!memory.read(runtime, std::as_writable_bytes(std::span(numbers_)))) numbers_.fill(0);
  }

  // Behind where a thread has the next one and its interpreter.
  std::optional<std::uint16_t> thread_frame() const {
    return only([&](std::size_t i) -> std::optional<std::uint64_t> {
      const bool is_it = numbers_[i] == thread::kNext && numbers_[i + 1] == thread::kInterp;
      return is_it ? std::optional(numbers_[i + 2]) : std::nullopt;
    });
  }
  // A frame: its size, the one before, what it runs, where that is, its variables, its owner.
  std::optional<std::uint16_t> frame_locals(const Layout& row) const {
    return only([&](std::size_t i) -> std::optional<std::uint64_t> {
      constexpr std::uint64_t kSmallest = 64;
      constexpr std::uint64_t kLargest = 256;
      const auto size = numbers_[i];
      const auto locals = numbers_[i + 4];
      const bool is_it = size >= kSmallest && size <= kLargest &&
                         numbers_[i + 1] == row.frame_previous &&
                         numbers_[i + 2] == row.frame_code && numbers_[i + 3] < size &&
                         numbers_[i + 5] < size && locals >= kSmallest && locals <= size;
      return is_it ? std::optional(locals) : std::nullopt;
    });
  }

 private:
  // Nothing where several places look like it and say different things.
  template <class Find>
  std::optional<std::uint16_t> only(Find&& find) const {
    constexpr std::size_t kWidth = 6;
    constexpr std::uint64_t kMost = 1024;
    std::optional<std::uint64_t> found;
    for (std::size_t i = 0; i + kWidth <= numbers_.size(); ++i) {
      const auto here = find(i);
      if (!here || *here % 8 != 0 || *here == 0 || *here > kMost) continue;
      if (found && *found != *here) return {};
      found = here;
    }
    if (!found) return {};
    return static_cast<std::uint16_t>(*found);
  }

  std::array<std::uint64_t, 128> numbers_{};
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
    if (word % 8 == 0 && is_dict(memory, row, word) && has_keys(memory, row, word, keys)) {
      return static_cast<std::uint16_t>(offset);
    }
  }
  return 0;
}

std::uint16_t find_modules(const Memory& memory, const Layout& row, Address interp) {
  return find_dict(memory, row, interp, {"sys", "builtins"});
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
std::uint16_t find_qualname(const Memory& memory, const Layout& row, Address type) {
  constexpr Address kSmallestType = 400;
  constexpr Address kLargestType = 1400;
  for (Address offset = kSmallestType; offset < kLargestType; offset += 8) {
    if (type_name_of(memory, row, memory.pointer(type + offset)) == "str" &&
        type_name_of(memory, row, memory.pointer(type + offset + 16)) == "str") {
      return static_cast<std::uint16_t>(offset + 16);
    }
  }
  return 0;
}

// A class is the first in its own order of resolution.
std::uint16_t find_tuple_items(const Memory& memory, const Layout& row, Address type) {
  constexpr Address kOrder = 344;
  const auto order = memory.pointer(in_object(row, type, kOrder));
  for (const std::uint16_t offset : std::initializer_list<std::uint16_t>{24, 32, 40, 48, 56}) {
    if (memory.pointer(order + offset) == type) return offset;
  }
  return 0;
}

// What one of the builtins is called by that name; 0: none.
Address builtin(const Memory& memory, const Layout& row, Address interp, std::string_view name) {
  const auto find = [&](Address dict, std::string_view wanted) {
    Address found = 0;
    for_each_item(memory, row, dict, [&](Address key_at, Address value) {
      if (read_text(memory, row, memory.pointer(key_at), 32) == wanted) found = value;
      return found == 0;
    });
    return found;
  };
  const auto module = find(memory.pointer(interp + row.interp_modules), "builtins");
  if (module == 0) return 0;
  return find(memory.pointer(in_object(row, module, object::kHeader)), name);
}

// By what can be told of types that are always there.
void find_kinds_of_objects(const Memory& memory, Address interp, Layout& row) {
  constexpr std::uint64_t kWithoutBytes = 56;
  const auto type = builtin(memory, row, interp, "bytearray");
  if (type == 0) return;
  const auto size = memory.pointer(in_object(row, type, type::kBasicSize));
  row.bytearray_in_bytes = size > kWithoutBytes + row.shift();
  // It never goes, which is said by flags above its count where there are some.
  constexpr unsigned kFlags = 48;
  if (!row.free_threaded) row.flagged_refcount = memory.pointer(type) >> kFlags != 0;
}

}  // namespace

std::optional<Layout> newest_before(std::span<const Layout> known, std::uint32_t version,
                                    bool free_threaded) {
  const auto minor = static_cast<int>((version >> 16) & 0xff);
  const Layout* best = nullptr;
  for (const auto& row : known) {
    if (minor_of(row.version) > minor || (row.free_threaded && !free_threaded)) continue;
    const bool newer = best == nullptr || minor_of(row.version) > minor_of(best->version);
    const bool nearer = best != nullptr && minor_of(row.version) == minor_of(best->version) &&
                        row.free_threaded == free_threaded;
    if (newer || nearer) best = &row;
  }
  if (best == nullptr) return {};
  return free_threaded && !best->free_threaded ? census::free_threaded(*best) : *best;
}

std::optional<Layout> search_layout(const Memory& memory, Address runtime,
                                    std::span<const Layout> known) {
  const auto told = memory.get<FirstOffsets>(runtime);
  constexpr std::uint64_t kMostOffset = 60'000;
  if (!told || std::string_view(told->cookie, 8) != "xdebugpy" || told->free_threaded > 1 ||
      told->interpreters > kMostOffset || told->interp_next > kMostOffset ||
      told->interp_threads > kMostOffset) {
    return {};
  }
  const auto before =
      newest_before(known, static_cast<std::uint32_t>(told->version), told->free_threaded == 1);
  if (!before) return {};
  auto row = *before;
  row.version = "unknown";
  take_what_all_have_that_tell(row);
  const ToldNumbers numbers(memory, runtime);
  row.thread_frame = numbers.thread_frame().value_or(row.thread_frame);
  row.frame_locals = numbers.frame_locals(row).value_or(row.frame_locals);
  row.runtime_interpreters = static_cast<std::uint16_t>(told->interpreters);
  row.interp_next = static_cast<std::uint16_t>(told->interp_next);
  row.interp_threads = static_cast<std::uint16_t>(told->interp_threads);
  const auto interp = main_interpreter(memory, runtime, row);
  if (interp == 0) return {};
  row.interp_modules = find_modules(memory, row, interp);
  if (row.interp_modules == 0 && row.free_threaded) {
    // Where the flag that a text is interned is changed without a lock, it has a byte of its own.
    row.text_kind_bit = 8;
    row.interp_modules = find_modules(memory, row, interp);
  }
  row.interp_sysdict = find_dict(memory, row, interp, {"modules", "version_info"});
  if (!row.free_threaded) row.gc_heads = find_gc_heads(memory, interp);
  row.gc_collecting = 0;
  if (row.interp_modules != 0) find_kinds_of_objects(memory, interp, row);
  const auto type = some_heap_type(memory, row, interp);
  if (type == 0) return {};
  row.heap_type_qualname = find_qualname(memory, row, type);
  row.heap_type_cached_keys = static_cast<std::uint16_t>(row.heap_type_qualname + 8);
  row.tuple_items = find_tuple_items(memory, row, type);
  const bool whole = row.interp_modules != 0 && row.interp_sysdict != 0 &&
                     (row.gc_heads != 0 || row.free_threaded) && row.heap_type_qualname != 0 &&
                     row.tuple_items != 0;
  return whole ? std::optional(row) : std::nullopt;
}

}  // namespace tidegauge::census
