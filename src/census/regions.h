// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "census/memory.h"

namespace tidegauge::census {

// A line of /proc/PID/maps.
struct Region {
  Address begin = 0;
  Address end = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  std::uint64_t offset = 0;
  std::uint64_t inode = 0;
  std::string path{};  // or "[heap]", "[vdso]", empty

  bool holds(Address address) const { return address >= begin && address < end; }
  bool operator==(const Region&) const = default;
};

// The memory of a process, asked only for what its map says is there: most words that might be
// pointers lead nowhere, and each would cost a system call to find out.
class MappedMemory final : public Memory {
 public:
  MappedMemory(const Memory& behind, const std::vector<Region>& regions);
  bool read(Address from, std::span<std::byte> into) const override;

 private:
  struct Range {
    Address begin = 0, end = 0;
  };
  const Memory& behind_;
  std::vector<Range> ranges_;  // in order, neighbours joined
};

// Where files are mapped.
std::vector<Stretch> libraries_in(const std::vector<Region>& regions);

// Where devices are mapped.
std::vector<Stretch> devices_in(const std::vector<Region>& regions);

// Memory of no file, also such as is shared with others.
std::vector<Stretch> unnamed_in(const std::vector<Region>& regions);

// Lines that are not of that form are left out.
std::vector<Region> parse_regions(std::string_view maps);
Result<std::vector<Region>> read_regions(pid_t pid);
// From /proc/PID/maps, opened by somebody else.
std::vector<Region> read_regions_of(int fd);

}  // namespace tidegauge::census
