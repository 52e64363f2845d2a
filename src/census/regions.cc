// SPDX-License-Identifier: Apache-2.0
#include "census/regions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "base/mapping.h"
#include "base/text.h"

namespace tidegauge::census {

namespace {

// Reading it may do something.
bool is_device(const Region& region) {
  return region.path.starts_with("/dev/");
}

}  // namespace

MappedMemory::MappedMemory(const Memory& behind, const std::vector<Region>& regions)
    : behind_(behind) {
  for (const auto& region : regions) {
    if (!region.readable || is_device(region)) continue;
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

std::vector<Stretch> libraries_in(const std::vector<Region>& regions) {
  std::vector<Stretch> libraries;
  for (const auto& region : regions) {
    if (region.inode != 0 && !region.shared && region.readable) {
      libraries.push_back({region.begin, region.end});
    }
  }
  return libraries;
}

std::vector<Stretch> devices_in(const std::vector<Region>& regions) {
  std::vector<Stretch> devices;
  for (const auto& region : regions) {
    if (is_device(region)) devices.push_back({region.begin, region.end});
  }
  return devices;
}

std::vector<Stretch> unnamed_in(const std::vector<Region>& regions) {
  std::vector<Stretch> unnamed;
  for (const auto& region : regions) {
    if (region.inode != 0 && !region.path.starts_with("/dev/zero")) continue;
    unnamed.push_back({region.begin, region.end});
  }
  return unnamed;
}

std::vector<Region> parse_regions(std::string_view maps) {
  std::vector<Region> regions;
  while (!maps.empty()) {
    const auto line = parse_mapping_line(next_line(maps));
    if (!line) continue;
    regions.push_back({.begin = line->begin,
                       .end = line->end,
                       .readable = line->permissions[0] == 'r',
                       .writable = line->permissions[1] == 'w',
                       .executable = line->permissions[2] == 'x',
                       .shared = line->permissions[3] == 's',
                       .offset = line->offset,
                       .inode = line->inode,
                       .path = std::string(line->path)});
  }
  return regions;
}

Result<std::vector<Region>> read_regions(pid_t pid) {
  const auto path = fmt::format("/proc/{}/maps", pid);
  errno = 0;
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in || text.empty()) {
    if (errno == 0 || errno == ESRCH || errno == ENOENT)
      return Error{Reason::Gone,
                   fmt::format("{} has no memory: it has ended, or is a kernel thread", pid)};
    return from_errno(errno, path);
  }
  return parse_regions(text);
}

std::vector<Region> read_regions_of(int fd) {
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (true) {
    const auto got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return parse_regions(text);
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace tidegauge::census
