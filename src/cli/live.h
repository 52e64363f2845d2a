// SPDX-License-Identifier: Apache-2.0
// The live view on a terminal. live.cc and terminfo.cc are the only files that know ncurses.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "view/controls.h"
#include "view/live_state.h"

namespace tidegauge::cli {

class Live {
 public:
  struct Options {
    bool ascii = false;  // even where the locale knows more
    bool colour = true;  // where the terminal has it
  };
  // Takes over the terminal (/dev/tty, whatever stdout is), and gives it back when destroyed. Open
  // it after the program's own signal handlers are set: ncurses leaves those alone.
  // Unsupported: there is no terminal, or it can do too little.
  static Result<Live> open(const Options& options);
  Live(Live&&) noexcept;
  Live& operator=(Live&&) noexcept;
  ~Live();

  // Draws. While the user has paused the view it keeps what it showed. What `state` refers to must
  // live until the next call.
  void show(const view::LiveState& state);

  // Reads the keys that are waiting and obeys those that concern the view alone (zoom, pause, sort,
  // help, a new size). Returns the first that is somebody else's business: Quit or Report. Call it
  // until it returns nothing.
  std::optional<view::Key> poll();

  int fd() const;  // readable when a key is waiting

 private:
  struct State;
  explicit Live(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::cli
