// SPDX-License-Identifier: Apache-2.0
#include "proc/stat.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/text.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

// proc(5) counts fields from 1, pid and name first; `Fields` begins with the state.
constexpr std::size_t kFirstField = 3;
constexpr std::size_t kLastField = 52;
using Fields = std::array<std::string_view, kLastField - kFirstField + 1>;

Fields split(std::string_view tail) {
  Fields fields;
  for (auto& field : fields) field = next_word(tail);
  return fields;
}

template <class Number>
std::optional<Number> number(const Fields& fields, std::size_t field) {
  return to_number<Number>(fields[field - kFirstField]);
}

Error malformed() {
  return {Reason::Malformed, "stat: not in the form of proc(5)"};
}

bool is_dead(char state) {
  return state == 'Z' || state == 'X' || state == 'x';
}

}  // namespace

Result<Stat> parse_stat(std::string_view text) {
  // A process picks its own name and may call itself "a) Z 1 (b", so the name runs from the first
  // bracket to the last one.
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) return malformed();
  auto head = text.substr(0, open);
  const auto pid = to_number<pid_t>(next_word(head));
  const auto fields = split(text.substr(close + 1));
  const auto state = fields[0];
  const auto parent = number<pid_t>(fields, 4);
  const auto group = number<pid_t>(fields, 5);
  const auto minor = number<std::uint64_t>(fields, 10);
  const auto major = number<std::uint64_t>(fields, 12);
  const auto threads = number<std::uint64_t>(fields, 20);
  const auto start = number<std::uint64_t>(fields, 22);
  const auto rss = number<std::uint64_t>(fields, 24);
  if (!pid || *pid <= 0 || state.size() != 1 || !parent || !group) return malformed();
  if (!minor || !major || !threads || !start || !rss) return malformed();

  Stat stat{.id = {*pid, *start},
            .name = std::string(text.substr(open + 1, close - open - 1)),
            .state = state[0],
            .parent = *parent,
            .group = *group,
            .minor_faults = *minor,
            .major_faults = *major,
            .threads = *threads,
            .size_bytes = number<std::uint64_t>(fields, 23).value_or(0),
            .rss_pages = *rss,
            .exit_signal = number<int>(fields, 38).value_or(SIGCHLD),
            .image = {number<std::uint64_t>(fields, 26).value_or(0),
                      number<std::uint64_t>(fields, 28).value_or(0)}};
  constexpr std::uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD
  stat.of_the_kernel = (number<std::uint64_t>(fields, 9).value_or(0) & kKernelThread) != 0;
  if (is_dead(stat.state)) stat.wait_status = number<int>(fields, 52);
  return stat;
}

bool has_ended(const Stat& stat) {
  return is_dead(stat.state) && stat.threads <= 1;
}

bool is_census_copy(const Stat& stat) {
  constexpr char kHeldByATracer = 't';
  // In its first moment it is not held yet; but it has never run, and so has touched nothing.
  return stat.exit_signal == 0 &&
         (stat.state == kHeldByATracer || is_dead(stat.state) || stat.minor_faults == 0);
}

Result<Stat> read_stat(const Root& root, pid_t pid) {
  const auto file = root.open_file(pid, "stat");
  if (!file) return file.error();
  char buffer[1024];  // 52 numbers and a name
  const ssize_t got = ::pread(file->get(), buffer, sizeof buffer, 0);
  if (got < 0) return from_errno(errno, "stat");
  return parse_stat({buffer, static_cast<std::size_t>(got)});
}

}  // namespace tidegauge::proc
