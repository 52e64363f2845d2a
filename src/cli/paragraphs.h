// SPDX-License-Identifier: Apache-2.0
// How a process beside us answers: some lines, then an empty one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidegauge::cli {

class Paragraphs {
 public:
  // As it comes, in any pieces.
  void add(std::string_view piece) { heard_ += piece; }
  // The next that has come whole, its empty line included.
  std::optional<std::string> take();

  struct Next {
    std::optional<std::string> text{};  // nothing: it has not come in time, or never will
    bool gone = false;                  // the other end is closed
  };
  // The same, of what comes from a socket. Waits that long at most.
  Next take_from(int socket, double wait_seconds);

 private:
  std::string heard_{};
};

}  // namespace tidegauge::cli
