// SPDX-License-Identifier: Apache-2.0
#include "census/layout.h"

#include <array>

namespace tidegauge::census {

namespace {

constexpr std::uint32_t kKiB = 1024;

// Each was read from a running build of that version, and is checked again in every process. A row
// is the one before with what that version changed.
constexpr Layout k3_9 = {
    .version = "3.9",
    .runtime_interpreters = 32,
    .interp_next = 0,
    .interp_threads = 8,
    .interp_modules = 856,
    .interp_sysdict = 872,
    .gc_heads = 640,
    .gc_collecting = 816,
    .frame_kind = FrameKind::Objects,
    .thread_frame = 24,
    .cframe_current = 0,
    .frame_code = 32,
    .frame_previous = 24,
    .frame_locals = 0,
    .code_local_names = 72,
    .code_filename = 104,
    .code_name = 112,
    .code_qualname = 0,
    .heap_type_qualname = 856,
    .heap_type_cached_keys = 864,
    .tuple_items = 24,
    .ascii_header = 48,
    .compact_header = 72,
    .text_kind_bit = 2,
    .instance_kind = InstanceKind::InBody,
    .compact_keys = false,
    .values_header = false,
    .int_tag = false,
    .flagged_refcount = false,
    .bytearray_in_bytes = false,
    .free_threaded = false,
    .pool_bytes = 4 * kKiB,
    .arena_bytes = 256 * kKiB,
};

constexpr Layout k3_10 = [] {
  Layout layout = k3_9;
  layout.version = "3.10";
  layout.heap_type_qualname = 864;
  layout.heap_type_cached_keys = 872;
  layout.pool_bytes = 16 * kKiB;
  layout.arena_bytes = 1024 * kKiB;
  return layout;
}();

constexpr Layout k3_11 = [] {
  Layout layout = k3_10;
  layout.version = "3.11";
  layout.runtime_interpreters = 40;
  layout.interp_threads = 16;
  layout.interp_modules = 888;
  layout.interp_sysdict = 904;
  layout.gc_heads = 672;
  layout.gc_collecting = 848;
  layout.frame_kind = FrameKind::ThroughC;
  layout.thread_frame = 56;
  layout.cframe_current = 8;
  layout.frame_previous = 48;
  layout.frame_locals = 72;
  layout.code_local_names = 96;
  layout.code_filename = 112;
  layout.code_name = 120;
  layout.code_qualname = 128;
  layout.instance_kind = InstanceKind::ValuesBefore;
  layout.compact_keys = true;
  return layout;
}();

constexpr Layout k3_12 = [] {
  Layout layout = k3_11;
  layout.version = "3.12";
  layout.interp_threads = 72;
  layout.interp_modules = 944;
  layout.interp_sysdict = 352;
  layout.gc_heads = 136;
  layout.gc_collecting = 312;
  layout.cframe_current = 0;
  layout.frame_code = 0;
  layout.frame_previous = 8;
  layout.heap_type_qualname = 872;
  layout.heap_type_cached_keys = 880;
  layout.ascii_header = 40;
  layout.compact_header = 56;
  layout.instance_kind = InstanceKind::TaggedBefore;
  layout.int_tag = true;
  return layout;
}();

constexpr Layout k3_13 = [] {
  Layout layout = k3_12;
  layout.version = "3.13";
  layout.runtime_interpreters = 632;
  layout.interp_next = 7264;
  layout.interp_threads = 7344;
  layout.interp_modules = 7656;
  layout.interp_sysdict = 7640;
  layout.gc_heads = 7424;
  layout.gc_collecting = 7600;
  layout.frame_kind = FrameKind::Direct;
  layout.thread_frame = 72;
  layout.instance_kind = InstanceKind::InlineValues;
  layout.values_header = true;
  return layout;
}();

constexpr Layout k3_14 = [] {
  Layout layout = k3_13;
  layout.version = "3.14";
  layout.runtime_interpreters = 808;
  layout.interp_next = 7272;
  layout.interp_modules = 7688;
  layout.interp_sysdict = 7672;
  layout.gc_heads = 7432;
  layout.frame_locals = 80;
  layout.tuple_items = 32;
  layout.flagged_refcount = true;
  return layout;
}();

constexpr Layout k3_15 = [] {
  Layout layout = k3_14;
  layout.version = "3.15";
  layout.runtime_interpreters = 936;
  layout.interp_next = 7264;
  layout.interp_threads = 7336;
  layout.interp_modules = 7592;
  layout.interp_sysdict = 7576;
  layout.gc_heads = 7408;
  layout.gc_collecting = 7512;
  layout.heap_type_qualname = 880;
  layout.heap_type_cached_keys = 888;
  layout.bytearray_in_bytes = true;
  return layout;
}();

constexpr Layout without_lock(Layout layout) {
  constexpr auto more = static_cast<std::uint16_t>(object::kFreeThreaded);
  layout.free_threaded = true;
  layout.flagged_refcount = false;  // counted in another way
  layout.gc_heads = 0;
  for (const auto offset :
       {&Layout::code_local_names, &Layout::code_filename, &Layout::code_name,
        &Layout::code_qualname, &Layout::heap_type_qualname, &Layout::heap_type_cached_keys,
        &Layout::tuple_items, &Layout::ascii_header, &Layout::compact_header}) {
    layout.*offset = static_cast<std::uint16_t>(layout.*offset + more);
  }
  layout.pool_bytes = 64 * kKiB;  // mimalloc's pages of small blocks
  layout.arena_bytes = 64 * kKiB;
  return layout;
}

constexpr Layout k3_13t = [] {
  Layout layout = without_lock(k3_13);
  layout.version = "3.13t";
  layout.interp_modules = 7664;
  layout.interp_sysdict = 7648;
  return layout;
}();

constexpr Layout k3_14t = [] {
  Layout layout = without_lock(k3_14);
  layout.version = "3.14t";
  layout.interp_modules = 7712;
  layout.interp_sysdict = 7696;
  layout.gc_collecting = 7600;
  layout.text_kind_bit = 8;
  return layout;
}();

constexpr Layout k3_15t = [] {
  Layout layout = without_lock(k3_15);
  layout.version = "3.15t";
  layout.text_kind_bit = 8;
  return layout;
}();

constexpr std::array kLayouts = {k3_9,  k3_10, k3_11,  k3_12,  k3_13,
                                 k3_14, k3_15, k3_13t, k3_14t, k3_15t};

}  // namespace

Layout free_threaded(const Layout& layout) {
  return without_lock(layout);
}

std::span<const Layout> known_layouts() {
  return kLayouts;
}

}  // namespace tidegauge::census
