// SPDX-License-Identifier: Apache-2.0
#include "guard/program_head.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/fd.h"
#include "base/text.h"

namespace tidegauge::guard {

namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr int kMostScripts = 5;  // a script may name a script; the kernel follows as many

// The structure at `offset`, if all of it is there.
template <class Structure>
std::optional<Structure> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Structure)) return {};
  Structure found;
  std::memcpy(&found, bytes.data() + offset, sizeof found);
  return found;
}

template <class Header, class Segment>
void parse_elf(std::string_view bytes, ProgramHead& head) {
  const auto header = at<Header>(bytes, 0);
  if (!header) return;
  head.machine = header->e_machine;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = at<Segment>(bytes, header->e_phoff + i * header->e_phentsize);
    if (!segment) return;
    if (segment->p_type != PT_INTERP || segment->p_offset >= bytes.size()) continue;
    const auto name = bytes.substr(segment->p_offset, segment->p_filesz);
    head.linker = name.substr(0, name.find('\0'));
    return;
  }
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::optional<std::string> head_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return {};
  std::string bytes(kHeadBytes, '\0');
  const auto got = ::pread(file.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return {};
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

// Where exec would find it.
std::string found_in_path(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  const char* const path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/bin:/usr/bin";
  while (true) {
    const auto end = folders.find(':');
    const auto folder = folders.substr(0, end);
    auto file = std::string(folder.empty() ? "." : folder) + "/" + command;
    if (::access(file.c_str(), X_OK) == 0) return file;
    if (end == std::string_view::npos) return command;
    folders.remove_prefix(end + 1);
  }
}

}  // namespace

ProgramHead parse_program_head(std::string_view bytes) {
  ProgramHead head;
  if (bytes.starts_with("#!")) {
    auto line = next_line(bytes).substr(2);
    head.interpreter = next_word(line);
    return head;
  }
  if (!bytes.starts_with(ELFMAG) || bytes.size() <= EI_CLASS) return head;
  head.elf = true;
  head.width = static_cast<std::uint8_t>(bytes[EI_CLASS]);
  if (head.width == ELFCLASS64) parse_elf<Elf64_Ehdr, Elf64_Phdr>(bytes, head);
  if (head.width == ELFCLASS32) parse_elf<Elf32_Ehdr, Elf32_Phdr>(bytes, head);
  return head;
}

bool can_preload(const ProgramHead& ours, const ProgramHead& theirs) {
  if (!theirs.elf) return true;
  if (theirs.width != ours.width || theirs.machine != ours.machine) return false;
  // A static program ignores it, and its children may not. Our own linker's name may have been
  // moved out of the head, as patchelf does for a wheel.
  if (theirs.linker.empty()) return true;
  if (ours.linker.empty()) return !file_name(theirs.linker).starts_with("ld-musl");
  return file_name(theirs.linker) == file_name(ours.linker);
}

bool can_preload_into(const std::string& command, const std::string& own_program) {
  const auto own = head_of(own_program);
  if (!own) return true;
  const auto ours = parse_program_head(*own);
  auto path = found_in_path(command);
  for (int i = 0; i < kMostScripts; ++i) {
    const auto bytes = head_of(path);
    if (!bytes) return true;
    const auto theirs = parse_program_head(*bytes);
    if (theirs.interpreter.empty()) return can_preload(ours, theirs);
    path = theirs.interpreter;
  }
  return true;
}

}  // namespace tidegauge::guard
