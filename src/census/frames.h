// SPDX-License-Identifier: Apache-2.0
// The functions that run in a thread, the innermost one first.
#pragma once

#include "census/layout.h"
#include "census/types.h"

namespace tidegauge::census {

struct RunningFunction {
  Address code = 0;
  Address locals = 0;  // where its variables are
  Address object = 0;  // the frame, where that is an object (up to 3.10); else 0
};

inline Shape shape_of(const Memory& memory, TypeTable& types, Address object) {
  if (object == 0) return Shape::Plain;
  const auto* const type = types.type_of(memory, object);
  return type == nullptr ? Shape::Plain : type->shape;
}

inline Address first_frame(const Memory& memory, const Layout& layout, Address thread) {
  const auto there = memory.pointer(thread + layout.thread_frame);
  if (layout.frame_kind != FrameKind::ThroughC || there == 0) return there;
  return memory.pointer(there + layout.cframe_current);
}

// Until `call` returns false.
template <class Call>
void for_each_running(const Memory& memory, const Layout& layout, TypeTable& types, Address thread,
                      Call&& call) {
  constexpr int kMostFrames = 5'000;
  constexpr Address kTag = 3;
  constexpr Address kRoomForOne = 8;  // counted in the basic size of a frame object
  auto frame = first_frame(memory, layout, thread);
  for (int i = 0; frame != 0 && i < kMostFrames; ++i) {
    const auto code = memory.pointer(frame + layout.frame_code) & ~kTag;
    if (layout.frame_kind == FrameKind::Objects) {
      const auto* const type = types.type_of(memory, frame);
      if (type == nullptr || type->shape != Shape::Frame) return;
      if (shape_of(memory, types, code) != Shape::Code) return;
      // Its locals follow it, cells and free variables behind them.
      const auto locals = frame + static_cast<Address>(type->basic_bytes) - kRoomForOne;
      if (!call(RunningFunction{code, locals, frame})) return;
    } else if (shape_of(memory, types, code) == Shape::Code) {
      if (!call(RunningFunction{code, frame + layout.frame_locals, 0})) return;
    }
    frame = memory.pointer(frame + layout.frame_previous);
  }
}

template <class Call>
void for_each_thread(const Memory& memory, const Layout& layout, Address interp, Call&& call) {
  constexpr int kMostThreads = 10'000;
  auto thread = memory.pointer(interp + layout.interp_threads);
  for (int i = 0; thread != 0 && i < kMostThreads; ++i) {
    call(thread);
    thread = memory.pointer(thread + thread::kNext);
  }
}

}  // namespace tidegauge::census
