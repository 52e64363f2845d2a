// SPDX-License-Identifier: Apache-2.0
#include "census/elf_symbols.h"

#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <cstring>

namespace tidegauge::census {

template <class T>
std::optional<T> ElfFile::at(std::uint64_t offset) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return {};
  T value;
  std::memcpy(&value, bytes_.data() + offset, sizeof value);
  return value;
}

bool ElfFile::is_elf() const {
  const auto header = at<Elf64_Ehdr>(0);
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
         header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB;
}

std::optional<std::uint64_t> ElfFile::first_load_address() const {
  if (!is_elf()) return {};
  const auto header = *at<Elf64_Ehdr>(0);
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return {};
    if (segment->p_type == PT_LOAD) return segment->p_vaddr - segment->p_offset;
  }
  return {};
}

std::string ElfFile::build_id() const {
  if (!is_elf()) return {};
  constexpr std::uint64_t kLongest = 64;
  const auto header = *at<Elf64_Ehdr>(0);
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return {};
    if (segment->p_type != PT_NOTE) continue;
    for (std::uint64_t done = 0; done < segment->p_filesz;) {
      const auto note = at<Elf64_Nhdr>(segment->p_offset + done);
      if (!note) break;
      const auto name = done + sizeof *note;
      const auto content = name + (note->n_namesz + 3ULL) / 4 * 4;
      const auto owner = at<std::array<char, 4>>(segment->p_offset + name);
      if (note->n_type == NT_GNU_BUILD_ID && owner == std::array{'G', 'N', 'U', '\0'} &&
          note->n_descsz <= kLongest) {
        std::string digits;
        for (std::uint64_t byte = 0; byte < note->n_descsz; ++byte) {
          const auto value = at<std::uint8_t>(segment->p_offset + content + byte);
          if (!value) return {};
          digits += fmt::format("{:02x}", *value);
        }
        return digits;
      }
      done = content + (note->n_descsz + 3ULL) / 4 * 4;
    }
  }
  return {};
}

std::optional<std::uint64_t> ElfFile::symbol_in(std::uint64_t table, std::uint64_t table_bytes,
                                                std::uint64_t names, std::uint64_t names_bytes,
                                                std::string_view name) const {
  for (std::uint64_t i = 0; i < table_bytes / sizeof(Elf64_Sym); ++i) {
    const auto entry = at<Elf64_Sym>(table + i * sizeof(Elf64_Sym));
    if (!entry) return {};
    // A program that only uses the symbol lists it too, undefined.
    if (entry->st_shndx == SHN_UNDEF || entry->st_name >= names_bytes) continue;
    const auto start = names + entry->st_name;
    if (start > bytes_.size() || bytes_.size() - start <= name.size()) continue;
    const auto* const text = reinterpret_cast<const char*>(bytes_.data() + start);
    if (std::string_view(text, name.size()) == name && text[name.size()] == 0) {
      return entry->st_value;
    }
  }
  return {};
}

std::optional<std::uint64_t> ElfFile::symbol(std::string_view name) const {
  if (!is_elf()) return {};
  const auto header = *at<Elf64_Ehdr>(0);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return {};
    if (section->sh_type != SHT_DYNSYM && section->sh_type != SHT_SYMTAB) continue;
    const auto names = at<Elf64_Shdr>(header.e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    if (!names) continue;
    if (auto value = symbol_in(section->sh_offset, section->sh_size, names->sh_offset,
                               names->sh_size, name)) {
      return value;
    }
  }
  return {};
}

}  // namespace tidegauge::census
