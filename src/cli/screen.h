// SPDX-License-Identifier: Apache-2.0
// What a watch shows while it goes on: the live view on a terminal, otherwise a line now and then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/live.h"
#include "cli/session.h"

namespace tidegauge::cli {

class Screen {
 public:
  enum class Kind {
    Best,   // the live view if stdin and stdout are a terminal for it, else lines
    View,   // the live view on the controlling terminal, else nothing
    Lines,  // a status line on stderr when the verdict changes, and every minute
    Silent,
  };
  Screen(Kind kind, bool ascii);

  // After every look, and after every key.
  void show(Session& session);
  // Obeys waiting keys; true if the user wants to leave.
  bool take_keys(Session& session);
  int fd() const;  // readable when a key is waiting; -1: no keys
  // Gives the terminal back, for what is printed at the end.
  void close();

 private:
  void show_line(Session& session);

  std::optional<Live> live_{};
  bool lines_ = false;
  std::string note_{};
  std::int64_t note_until_ns_ = 0;
  std::optional<verdict::Class> last_class_{};
  std::uint64_t last_kills_ = 0;
  double last_line_at_ = -1e9;
};

}  // namespace tidegauge::cli
