// SPDX-License-Identifier: Apache-2.0
#include "census/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/text.h"

namespace tidegauge::census {

namespace {

// Takes what is before `end` off the front of `rest`.
std::string_view take_until(std::string_view& rest, char end) {
  const auto at = rest.find(end);
  const auto word = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return word;
}

std::optional<std::uint64_t> number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

// 7f12c000-7f12d000 rw-p 00000000 fd:00 123   /usr/lib/x.so
std::optional<Region> parse_region(std::string_view line) {
  const auto begin = number(take_until(line, '-'), 16);
  const auto end = number(take_until(line, ' '), 16);
  const auto rights = take_until(line, ' ');
  const auto offset = number(take_until(line, ' '), 16);
  take_until(line, ' ');
  const auto inode = number(take_until(line, ' '), 10);
  if (!begin || !end || !offset || !inode || *begin >= *end || rights.size() != 4) return {};
  const auto path = line.find_first_not_of(' ');
  return Region{.begin = *begin,
                .end = *end,
                .readable = rights[0] == 'r',
                .writable = rights[1] == 'w',
                .shared = rights[3] == 's',
                .offset = *offset,
                .inode = *inode,
                .path = path == std::string_view::npos ? "" : std::string(line.substr(path))};
}

}  // namespace

MappedMemory::MappedMemory(const Memory& behind, const std::vector<Region>& regions)
    : behind_(behind) {
  for (const auto& region : regions) {
    // Reading a device may do something.
    if (!region.readable || region.path.starts_with("/dev/")) continue;
    if (!ranges_.empty() && ranges_.back().end == region.begin) {
      ranges_.back().end = region.end;
    } else {
      ranges_.push_back({region.begin, region.end});
    }
  }
}

bool MappedMemory::read(Address from, std::span<std::byte> into) const {
  auto range = std::upper_bound(ranges_.begin(), ranges_.end(), from,
                                [](Address a, const Range& b) { return a < b.begin; });
  if (range == ranges_.begin() || from >= (--range)->end || into.size() > range->end - from) {
    return false;
  }
  return behind_.read(from, into);
}

std::vector<Region> parse_regions(std::string_view maps) {
  std::vector<Region> regions;
  while (!maps.empty()) {
    if (auto region = parse_region(next_line(maps))) regions.push_back(*std::move(region));
  }
  return regions;
}

Result<std::vector<Region>> read_regions(pid_t pid) {
  const auto path = fmt::format("/proc/{}/maps", pid);
  errno = 0;
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in || text.empty()) {
    if (errno == 0 || errno == ESRCH)
      return Error{Reason::Gone,
                   fmt::format("{} has no memory: it has ended, or is a kernel thread", pid)};
    return from_errno(errno, path);
  }
  return parse_regions(text);
}

}  // namespace tidegauge::census
