// SPDX-License-Identifier: Apache-2.0
// Where CPython keeps what, by version: facts as data. Which row fits a process is found by checks
// on the process, never by its version number alone.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

namespace tidegauge::census {

enum class FrameKind {
  Objects,   // tstate->frame is a frame object (up to 3.10)
  ThroughC,  // tstate->cframe->current_frame (3.11, 3.12)
  Direct,    // tstate->current_frame (from 3.13)
};

enum class InstanceKind {
  InBody,        // a dict pointer at tp_dictoffset (up to 3.10)
  ValuesBefore,  // values at object - 32, dict at object - 24 (3.11)
  TaggedBefore,  // one tagged word at object - 24 (3.12)
  InlineValues,  // values behind the object, dict at object - 24 (from 3.13)
};

// The same in all of them. Free-threaded builds begin an object with more: there everything that
// follows lies that much further in, which is not counted in the offsets below; see in_object.
namespace object {
inline constexpr std::uint64_t kType = 8, kSize = 16, kHeader = 16;
inline constexpr std::uint64_t kGcHead = 16;  // before a collected object: next, prev
inline constexpr std::uint64_t kFreeThreaded = 16;
}  // namespace object
namespace type {
inline constexpr std::uint64_t kName = 24, kBasicSize = 32, kItemSize = 40, kFlags = 168,
                               kWeakrefsOffset = 208, kBase = 256, kDict = 264, kDictOffset = 288;
inline constexpr std::uint64_t kReadBytes = 296 + object::kFreeThreaded;
// Bits of tp_flags.
inline constexpr std::uint64_t kInlineValues = 1U << 2, kManagedWeakref = 1U << 3,
                               kManagedDict = 1U << 4, kHeapType = 1U << 9, kGc = 1U << 14,
                               kInt = 1U << 24, kList = 1U << 25, kTuple = 1U << 26,
                               kBytes = 1U << 27, kText = 1U << 28, kDictionary = 1U << 29,
                               kTypeObject = 1U << 31;
}  // namespace type
namespace thread {
inline constexpr std::uint64_t kNext = 8, kInterp = 16;
}
namespace list {
inline constexpr std::uint64_t kItems = 24, kAllocated = 32;
}
namespace dict {
inline constexpr std::uint64_t kKeys = 32, kValues = 40, kEnd = 48;
}
namespace set {
inline constexpr std::uint64_t kMask = 32, kTable = 40, kSmallTable = 64;
}
namespace text {
inline constexpr std::uint64_t kLength = 16, kState = 32;
}

// Offsets in bytes, x86-64.
struct Layout {
  const char* version;
  std::uint16_t runtime_interpreters;
  // Of an interpreter.
  std::uint16_t interp_next, interp_threads, interp_modules, interp_sysdict;
  std::uint16_t gc_heads;  // three list heads of 24 bytes; none in a free-threaded build
  std::uint16_t gc_collecting;
  // Of a thread and its frames.
  FrameKind frame_kind;
  std::uint16_t thread_frame, cframe_current;
  std::uint16_t frame_code, frame_previous, frame_locals;
  std::uint16_t code_local_names, code_filename, code_name, code_qualname;
  // Of objects.
  std::uint16_t heap_type_qualname, heap_type_cached_keys;
  std::uint16_t tuple_items, ascii_header, compact_header;
  std::uint16_t text_kind_bit;  // of a str's state; "compact" and "ascii" are 3 and 4 further
  InstanceKind instance_kind;
  bool compact_keys;        // dict keys with logarithms instead of sizes (from 3.11)
  bool values_header;       // 8 bytes before instance values (from 3.13)
  bool int_tag;             // digits counted in lv_tag >> 3 (from 3.12)
  bool flagged_refcount;    // 32 bits of count, flags above (from 3.14)
  bool bytearray_in_bytes;  // holds a bytes object (from 3.15)
  bool free_threaded;       // no global lock: larger objects, in mimalloc's pages
  std::uint32_t pool_bytes, arena_bytes;

  // By how much everything in an object is further in than with a global lock.
  std::uint64_t shift() const { return free_threaded ? object::kFreeThreaded : 0; }
  std::uint64_t header() const { return object::kHeader + shift(); }
  std::uint64_t gc_head() const { return free_threaded ? 0 : object::kGcHead; }
};

// Where an object has what is the same in all versions, by one of the offsets above.
inline std::uint64_t in_object(const Layout& layout, std::uint64_t object, std::uint64_t offset) {
  return object + layout.shift() + offset;
}

std::span<const Layout> known_layouts();

// What a build without a global lock changes of any version.
Layout free_threaded(const Layout& layout);

// Calls `call(name, pointer to the member)` for every fact.
template <class Call>
void for_each_fact(Call&& call) {
  call("runtime_interpreters", &Layout::runtime_interpreters);
  call("interp_next", &Layout::interp_next);
  call("interp_threads", &Layout::interp_threads);
  call("interp_modules", &Layout::interp_modules);
  call("interp_sysdict", &Layout::interp_sysdict);
  call("gc_heads", &Layout::gc_heads);
  call("gc_collecting", &Layout::gc_collecting);
  call("frame_kind", &Layout::frame_kind);
  call("thread_frame", &Layout::thread_frame);
  call("cframe_current", &Layout::cframe_current);
  call("frame_code", &Layout::frame_code);
  call("frame_previous", &Layout::frame_previous);
  call("frame_locals", &Layout::frame_locals);
  call("code_local_names", &Layout::code_local_names);
  call("code_filename", &Layout::code_filename);
  call("code_name", &Layout::code_name);
  call("code_qualname", &Layout::code_qualname);
  call("heap_type_qualname", &Layout::heap_type_qualname);
  call("heap_type_cached_keys", &Layout::heap_type_cached_keys);
  call("tuple_items", &Layout::tuple_items);
  call("ascii_header", &Layout::ascii_header);
  call("compact_header", &Layout::compact_header);
  call("text_kind_bit", &Layout::text_kind_bit);
  call("instance_kind", &Layout::instance_kind);
  call("compact_keys", &Layout::compact_keys);
  call("values_header", &Layout::values_header);
  call("int_tag", &Layout::int_tag);
  call("flagged_refcount", &Layout::flagged_refcount);
  call("bytearray_in_bytes", &Layout::bytearray_in_bytes);
  call("free_threaded", &Layout::free_threaded);
  call("pool_bytes", &Layout::pool_bytes);
  call("arena_bytes", &Layout::arena_bytes);
}

// The largest value that a fact can have.
template <class Fact>
constexpr std::uint64_t most_of() {
  if (std::is_same_v<Fact, bool>) return 1;
  if (std::is_same_v<Fact, FrameKind>) return static_cast<std::uint64_t>(FrameKind::Direct);
  if (std::is_same_v<Fact, InstanceKind>) {
    return static_cast<std::uint64_t>(InstanceKind::InlineValues);
  }
  return sizeof(Fact) == sizeof(std::uint16_t) ? 0xffffU : 1U << 30;
}

}  // namespace tidegauge::census
