// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidegauge::census {

// What we want of a 64-bit little-endian ELF file, which may be anything.
class ElfFile {
 public:
  explicit ElfFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool is_elf() const;
  // The value of a defined dynamic or static symbol.
  std::optional<std::uint64_t> symbol(std::string_view name) const;
  // The address of the first loaded segment, as linked: with where it was loaded, the difference.
  std::optional<std::uint64_t> first_load_address() const;
  // In hexadecimal digits, as the linker wrote it; empty: none.
  std::string build_id() const;

 private:
  template <class T>
  std::optional<T> at(std::uint64_t offset) const;
  std::optional<std::uint64_t> symbol_in(std::uint64_t table, std::uint64_t table_bytes,
                                         std::uint64_t names, std::uint64_t names_bytes,
                                         std::string_view name) const;

  std::span<const std::byte> bytes_;
};

}  // namespace tidegauge::census
