// SPDX-License-Identifier: Apache-2.0
#include "guard/zip_members.h"

#include <algorithm>
#include <cstring>

namespace tidegauge::guard {

namespace {

// "PK\5\6", "PK\6\6", "PK\6\7", "PK\1\2".
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint32_t kEntry = 0x02014b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kEntryBytes = 46;
constexpr std::uint32_t kElsewhere = 0xffffffff;  // in the extra field of 64 bits
constexpr std::uint16_t kExtra64 = 1;

// Little-endian, as zip files are and so is every machine that we run on.
template <class Number>
Number at(std::string_view bytes, std::size_t offset) {
  Number value{};
  if (offset + sizeof value <= bytes.size()) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

Error bad(std::string_view what) {
  return {Reason::Malformed, std::string(what)};
}

// The numbers that did not fit stand here in the order of the entry.
void add_extra(ZipMember& member, std::string_view extra) {
  while (extra.size() >= 4) {
    const auto id = at<std::uint16_t>(extra, 0);
    const std::size_t size = at<std::uint16_t>(extra, 2);
    auto field = extra.substr(4, size);
    if (id == kExtra64) {
      // The real size comes first where that did not fit either; torch stores, so both are one.
      if (member.stored_bytes == kElsewhere) {
        member.stored_bytes = at<std::uint64_t>(field, 0);
        field = field.substr(std::min<std::size_t>(16, field.size()));
      }
      if (member.offset == kElsewhere && field.size() >= 8)
        member.offset = at<std::uint64_t>(field, 0);
    }
    if (4 + size > extra.size()) return;
    extra.remove_prefix(4 + size);
  }
}

}  // namespace

Result<ZipDirectory> find_zip_directory(std::string_view tail, std::uint64_t file_bytes) {
  if (tail.size() < kEndBytes) return bad("too short for a zip file");
  for (std::size_t from_end = kEndBytes; from_end <= tail.size(); ++from_end) {
    const auto record = tail.substr(tail.size() - from_end);
    if (at<std::uint32_t>(record, 0) != kEnd) continue;
    if (at<std::uint16_t>(record, 20) + kEndBytes != from_end) continue;  // its comment's length
    ZipDirectory found{.offset = at<std::uint32_t>(record, 16),
                       .bytes = at<std::uint32_t>(record, 12),
                       .members = at<std::uint16_t>(record, 10)};
    const auto before = tail.substr(0, tail.size() - from_end);
    if (before.size() >= kLocatorBytes + kEnd64Bytes) {
      const auto locator = before.substr(before.size() - kLocatorBytes);
      const auto large = before.substr(before.size() - kLocatorBytes - kEnd64Bytes, kEnd64Bytes);
      if (at<std::uint32_t>(locator, 0) == kEnd64Locator && at<std::uint32_t>(large, 0) == kEnd64) {
        found = {.offset = at<std::uint64_t>(large, 48),
                 .bytes = at<std::uint64_t>(large, 40),
                 .members = at<std::uint64_t>(large, 32)};
      }
    }
    if (found.offset > file_bytes || found.bytes > file_bytes - found.offset) {
      return bad("its directory lies outside the file");
    }
    return found;
  }
  return bad("no end of a zip file: it was cut short");
}

Result<std::vector<ZipMember>> parse_zip_members(std::string_view directory,
                                                 std::uint64_t members) {
  std::vector<ZipMember> all;
  for (std::uint64_t i = 0; i < members; ++i) {
    if (directory.size() < kEntryBytes || at<std::uint32_t>(directory, 0) != kEntry) {
      return bad("its directory is cut short");
    }
    const std::size_t name = at<std::uint16_t>(directory, 28);
    const std::size_t extra = at<std::uint16_t>(directory, 30);
    const std::size_t comment = at<std::uint16_t>(directory, 32);
    if (directory.size() < kEntryBytes + name + extra + comment) {
      return bad("its directory is cut short");
    }
    ZipMember member{.name = std::string(directory.substr(kEntryBytes, name)),
                     .offset = at<std::uint32_t>(directory, 42),
                     .stored_bytes = at<std::uint32_t>(directory, 20)};
    add_extra(member, directory.substr(kEntryBytes + name, extra));
    all.push_back(std::move(member));
    directory.remove_prefix(kEntryBytes + name + extra + comment);
  }
  return all;
}

}  // namespace tidegauge::guard
