// SPDX-License-Identifier: Apache-2.0
// What a zip file's directory says about its members: torch's checkpoints are such files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidegauge::guard {

struct ZipDirectory {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t members = 0;
};
// Found in the last bytes of a file of `file_bytes`; the record that says so may lie up to 64 KB
// before its end. Malformed: it ends otherwise, as a file does that was cut short.
Result<ZipDirectory> find_zip_directory(std::string_view tail, std::uint64_t file_bytes);

struct ZipMember {
  std::string name{};
  std::uint64_t offset = 0;
  std::uint64_t stored_bytes = 0;
};
// Malformed: not that many members, or one that is cut off.
Result<std::vector<ZipMember>> parse_zip_members(std::string_view directory, std::uint64_t members);

}  // namespace tidegauge::guard
