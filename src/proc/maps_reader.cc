// SPDX-License-Identifier: Apache-2.0
#include "proc/maps_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace tidegauge::proc {

namespace {

constexpr std::size_t kPieceBytes = 16384;  // the kernel gives at most a page at a time
// A thousand mappings or more, so that most processes are read without a pause: to wake up from one
// costs as much as two hundred mappings do.
constexpr double kTurnSeconds = 500e-6;

// Hands whole lines to `take`, as many as came at once.
template <class Take>
Result<> for_whole_lines(const Root& root, pid_t pid, std::string_view file, Turns& turns,
                         Take take) {
  const auto fd = root.open_file(pid, file);
  if (!fd) return fd.error();
  std::string text;
  while (true) {
    const auto had = text.size();
    text.resize(had + kPieceBytes);
    const ssize_t got = ::read(fd->get(), text.data() + had, kPieceBytes);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) return from_errno(errno, std::string(file));
    if (got == 0) return Ok{};
    const auto whole = text.rfind('\n') + 1;  // 0 where there is none
    take(std::string_view(text).substr(0, whole));
    text.erase(0, whole);
    turns.between(kTurnSeconds);
  }
}

}  // namespace

Result<std::uint64_t> count_mappings(const Root& root, pid_t pid, std::string_view file) {
  std::uint64_t count = 0;
  Turns turns;
  const auto done = for_whole_lines(root, pid, file, turns, [&](std::string_view lines) {
    count += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
  });
  if (!done) return done.error();
  return count;
}

Result<std::vector<Mapping>> read_mappings(const Root& root, pid_t pid, std::string_view file,
                                           Turns& turns) {
  std::vector<Mapping> mappings;
  const auto done = for_whole_lines(root, pid, file, turns, [&](std::string_view lines) {
    for (const auto& mapping : parse_maps(lines)) {
      if (mappings.empty() || mapping.begin >= mappings.back().end) mappings.push_back(mapping);
    }
  });
  if (!done) return done.error();
  return mappings;
}

}  // namespace tidegauge::proc
