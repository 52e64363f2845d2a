// SPDX-License-Identifier: Apache-2.0
#include "census/calibrate.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "census/dicts.h"
#include "census/layout_checks.h"

namespace tidegauge::census {

namespace {

constexpr Address kRuntimeBytes = 8 << 10;       // in which the first interpreter is
constexpr Address kInterpreterBytes = 48 << 10;  // in which what matters is
constexpr Address kTag = 3;                      // of pointers in frames

class Calibration {
 public:
  Calibration(const ModelFacts& facts, const Memory& memory, Address runtime, const Layout& before)
      : facts_(facts), memory_(memory), runtime_(runtime), row_(before) {
    row_.version = "unknown";
  }

  std::optional<Layout> find() {
    const bool found = find_interpreter() && find_numbers() && find_texts() && find_type() &&
                       find_instance() && find_code() && find_frame();
    return found ? std::optional(row_) : std::nullopt;
  }
  Address interpreter() const { return interpreter_; }
  Address collector() const { return collector_; }  // its thresholds, in the interpreter

 private:
  Address fact(const char* name) const {
    const auto found = facts_.find(name);
    return found == facts_.end() ? 0 : found->second;
  }

  Address in_fact(const char* name, Address offset) const {
    return in_object(row_, fact(name), offset);
  }

  // The offset of a word in [from, to) of what lies at `start`.
  std::optional<std::uint16_t> offset_of(Address word, Address start, Address from, Address to,
                                         Address mask = ~Address(0)) const {
    for (auto at = from; word != 0 && at < to; at += 8) {
      if ((memory_.pointer(start + at) & mask) == word) return static_cast<std::uint16_t>(at);
    }
    return {};
  }
  bool take(std::uint16_t& into, std::optional<std::uint16_t> found) const {
    if (found) into = *found;
    return found.has_value();
  }

  bool find_interpreter() {
    for (Address at = 0; at < kRuntimeBytes; at += 8) {
      const auto word = memory_.pointer(runtime_ + at);
      if (word % 8 != 0 || word < (1 << 12)) continue;
      const auto modules = offset_of(fact("modules"), word, 0, kInterpreterBytes);
      const auto sysdict = offset_of(fact("sysdict"), word, 0, kInterpreterBytes);
      if (!modules || !sysdict) continue;
      interpreter_ = word;
      row_.runtime_interpreters = static_cast<std::uint16_t>(at);
      row_.interp_modules = *modules;
      row_.interp_sysdict = *sysdict;
      return find_next() && find_collector() && find_thread();
    }
    return false;
  }

  // From 3.13 on the runtime tells where an interpreter has the next one.
  bool find_next() {
    constexpr Address kNextOffset = 64;
    constexpr Address kLargest = 60'000;
    const auto cookie = memory_.get<std::array<char, 8>>(runtime_);
    if (!cookie || std::string_view(cookie->data(), cookie->size()) != "xdebugpy") return true;
    const auto told = memory_.pointer(runtime_ + kNextOffset);
    if (told > kLargest) return false;
    row_.interp_next = static_cast<std::uint16_t>(told);
    return true;
  }

  bool find_collector() {
    constexpr std::int32_t kThreshold = 70001;  // the model's own
    constexpr Address kHead = 24;
    for (Address at = 0; at < kInterpreterBytes; at += 8) {
      const auto head = interpreter_ + at;
      if (memory_.get<std::int32_t>(head + 16) != kThreshold) continue;
      if (!row_.free_threaded &&
          (!is_gc_head(memory_, head) || !is_gc_head(memory_, head + kHead) ||
           !is_gc_head(memory_, head + 2 * kHead))) {
        continue;
      }
      collector_ = at;
      row_.gc_heads = static_cast<std::uint16_t>(row_.free_threaded ? 0 : at);
      return true;
    }
    return false;
  }

  bool find_thread() {
    for (Address at = 0; at < kInterpreterBytes; at += 8) {
      const auto word = memory_.pointer(interpreter_ + at);
      if (word % 8 != 0 || word < (1 << 12) || word == interpreter_) continue;
      if (memory_.pointer(word + thread::kInterp) != interpreter_) continue;
      row_.interp_threads = static_cast<std::uint16_t>(at);
      thread_ = word;
      return true;
    }
    return false;
  }

  bool find_numbers() {
    const auto first = fact("first");
    const auto tuple = offset_of(first, fact("three"), 16, 64);
    if (!take(row_.tuple_items, tuple)) return false;
    constexpr std::uint64_t kDigits = 4;  // of 2 ** 100
    const auto size = memory_.get<std::uint64_t>(in_fact("number", object::kSize)).value_or(0);
    row_.int_tag = size >> 3 == kDigits;
    if (!row_.int_tag && size != kDigits) return false;
    // Flags above the count: a built-in object, which never goes, has some.
    if (!row_.free_threaded) {
      row_.flagged_refcount = memory_.get<std::uint64_t>(fact("none")).value_or(0) >> 48 != 0;
    }
    const auto content = memory_.pointer(in_fact("array", 56));
    row_.bytearray_in_bytes =
        memory_.pointer(in_object(row_, content, object::kType)) == fact("bytes");
    return memory_.pointer(memory_.pointer(in_fact("some", list::kItems)) + 8) == first;
  }

  std::optional<std::uint16_t> text_offset(Address text, std::string_view begins) const {
    std::vector<char> bytes(96 + begins.size());
    if (!memory_.read(text, std::as_writable_bytes(std::span(bytes)))) return {};
    const auto at = std::string_view(bytes.data(), bytes.size()).find(begins);
    if (at == std::string_view::npos) return {};
    return static_cast<std::uint16_t>(at);
  }
  // Compact, ASCII, a byte for each character, and not interned.
  bool find_text_state() {
    constexpr std::uint32_t kKnown = 1 | 1U << 3 | 1U << 4;
    const auto state = memory_.get<std::uint32_t>(in_fact("text", text::kState)).value_or(0);
    for (const auto bit : std::initializer_list<std::uint16_t>{2, 8}) {
      if ((state & (kKnown << bit)) != kKnown << bit) continue;
      row_.text_kind_bit = bit;
      return true;
    }
    return false;
  }
  bool find_texts() {
    return find_text_state() &&
           take(row_.ascii_header, text_offset(fact("text"), "tidegauge: known")) &&
           take(row_.compact_header, text_offset(fact("wide"), "tidegauge: kn\xf6wn"));
  }

  bool find_type() {
    const auto kind = fact("kind");
    if (memory_.pointer(in_object(row_, kind, type::kBasicSize)) != fact("basicsize") ||
        memory_.pointer(in_object(row_, kind, type::kFlags)) != fact("flags")) {
      return false;
    }
    constexpr Address kSmallest = 400;
    constexpr Address kLargest = 1400;
    if (!take(row_.heap_type_qualname, offset_of(fact("qualname"), kind, kSmallest, kLargest))) {
      return false;
    }
    return find_dict_keys() && find_cached_keys(kind);
  }

  bool find_dict_keys() {
    for (const bool compact : {true, false}) {
      row_.compact_keys = compact;
      std::vector<Address> values;
      for_each_item(memory_, row_, fact("known"), [&](Address, Address value) {
        values.push_back(value);
        return true;
      });
      if (values == std::vector<Address>{fact("first"), fact("second")}) return true;
    }
    return false;
  }

  // The names that instances share: two of them.
  bool find_cached_keys(Address kind) {
    constexpr Address kAround = 64;
    for (Address at = row_.heap_type_qualname; at < row_.heap_type_qualname + kAround; at += 8) {
      const auto keys = read_key_table(memory_, row_, memory_.pointer(kind + at));
      if (!keys || !keys->shared || keys->count != 2) continue;
      row_.heap_type_cached_keys = static_cast<std::uint16_t>(at);
      return true;
    }
    return false;
  }

  bool find_instance() {
    const auto one = fact("one");
    const auto first = fact("first");
    const auto before = memory_.pointer(one - 24);
    const auto inline_values = one + fact("basicsize");
    row_.values_header = false;
    if (memory_.pointer(inline_values + 8) == first) {
      row_.instance_kind = InstanceKind::InlineValues;
      row_.values_header = true;
    } else if ((before & 1) != 0 && memory_.pointer(before + 1) == first) {
      row_.instance_kind = InstanceKind::TaggedBefore;
    } else if (memory_.pointer(memory_.pointer(one - 32)) == first) {
      row_.instance_kind = InstanceKind::ValuesBefore;
    } else {
      row_.instance_kind = InstanceKind::InBody;
      const auto offset =
          memory_.get<std::uint32_t>(in_fact("kind", type::kDictOffset)).value_or(0);
      return is_dict(memory_, row_, memory_.pointer(one + offset));
    }
    return true;
  }

  bool find_code() {
    constexpr Address kLargest = 320;
    const auto code = fact("code");
    const auto in_code = [&](const char* name) {
      return offset_of(fact(name), code, object::kHeader, kLargest);
    };
    if (!take(row_.code_filename, in_code("filename")) || !take(row_.code_name, in_code("name"))) {
      return false;
    }
    // Where a name and a qualified name are the same text, the latter comes behind.
    if (fact("code_qualname") != fact("none")) {
      const auto qualname =
          offset_of(fact("code_qualname"), code, row_.code_name + Address(8), kLargest);
      if (!take(row_.code_qualname, qualname)) return false;
    }
    for (Address at = object::kHeader; at < kLargest; at += 8) {
      const auto names = memory_.pointer(code + at);
      if (names % 8 != 0 || memory_.pointer(names + row_.tuple_items) != fact("first_name")) {
        continue;
      }
      row_.code_local_names = static_cast<std::uint16_t>(at);
      return true;
    }
    return false;
  }

  // What holds a function's code and, somewhere behind it, its two arguments side by side.
  bool is_frame(Address frame) {
    constexpr Address kLargest = 160;
    if (frame % 8 != 0 || frame < (1 << 12)) return false;
    const auto code = offset_of(fact("code"), frame, 0, kLargest, ~kTag);
    const auto locals = offset_of(fact("first"), frame, 0, kLargest, ~kTag);
    if (!code || !locals) return false;
    if ((memory_.pointer(frame + *locals + 8) & ~kTag) != fact("second")) return false;
    for (Address at = 0; at < kLargest; at += 8) {
      const auto previous = memory_.pointer(frame + at) & ~kTag;
      if (previous < (1 << 12) || previous == frame ||
          (memory_.pointer(previous + *code) & ~kTag) != fact("caller")) {
        continue;
      }
      row_.frame_code = *code;
      row_.frame_locals = *locals;
      row_.frame_previous = static_cast<std::uint16_t>(at);
      return true;
    }
    return false;
  }

  bool find_frame() {
    constexpr Address kLargest = 400;
    if (row_.frame_kind == FrameKind::Objects) return true;  // versions that are all known
    for (Address at = 0; at < kLargest; at += 8) {
      if (!is_frame(memory_.pointer(thread_ + at))) continue;
      row_.frame_kind = FrameKind::Direct;
      row_.thread_frame = static_cast<std::uint16_t>(at);
      return true;
    }
    return row_.frame_kind == FrameKind::ThroughC;
  }

  const ModelFacts& facts_;
  const Memory& memory_;
  Address runtime_;
  Layout row_;
  Address interpreter_ = 0;
  Address collector_ = 0;
  Address thread_ = 0;
};

constexpr Address kCollectorBytes = 512;

std::vector<std::int32_t> words_of(const Memory& memory, Address from) {
  std::vector<std::int32_t> words(kCollectorBytes / sizeof(std::int32_t));
  if (!memory.read(from, std::as_writable_bytes(std::span(words)))) words.clear();
  return words;
}

}  // namespace

std::optional<Layout> calibrate(const ModelFacts& facts, const Memory& memory, Address runtime,
                                const Layout& before,
                                const std::function<bool()>& go_on_to_a_collection) {
  const CachedMemory standing_still(memory, 256);
  Calibration calibration(facts, standing_still, runtime, before);
  auto row = calibration.find();
  if (!row) return {};
  // That a collection is under way is said by the one number near its lists that becomes 1 with it.
  row->gc_collecting = 0;
  const auto lists = calibration.interpreter() + calibration.collector();
  const auto idle = words_of(memory, lists);
  if (!go_on_to_a_collection()) return row;
  const auto busy = words_of(memory, lists);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < std::min(idle.size(), busy.size()); ++i) {
    if (idle[i] == 0 && busy[i] == 1) candidates.push_back(i);
  }
  if (candidates.size() == 1) {
    row->gc_collecting =
        static_cast<std::uint16_t>(calibration.collector() + candidates[0] * sizeof(std::int32_t));
  }
  return row;
}

}  // namespace tidegauge::census
