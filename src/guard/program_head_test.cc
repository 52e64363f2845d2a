// SPDX-License-Identifier: Apache-2.0
#include "guard/program_head.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace tidegauge::guard {
namespace {

// The head of a program for `machine` whose linker is `linker`.
template <class Header, class Segment>
std::string program(unsigned char width, std::uint16_t machine, const std::string& linker) {
  Header header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = width;
  header.e_machine = machine;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Segment);
  header.e_phnum = 1;
  Segment segment{};
  segment.p_type = linker.empty() ? PT_LOAD : PT_INTERP;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = static_cast<decltype(segment.p_filesz)>(linker.size() + 1);
  std::string bytes(sizeof header + sizeof segment, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &segment, sizeof segment);
  return bytes + linker + '\0';
}

ProgramHead elf64(const std::string& linker, std::uint16_t machine = EM_X86_64) {
  return parse_program_head(program<Elf64_Ehdr, Elf64_Phdr>(ELFCLASS64, machine, linker));
}

TEST(ProgramHead, FindsTheLinker) {
  const auto head = elf64("/lib64/ld-linux-x86-64.so.2");
  EXPECT_TRUE(head.elf);
  EXPECT_EQ(head.machine, EM_X86_64);
  EXPECT_EQ(head.linker, "/lib64/ld-linux-x86-64.so.2");
}

TEST(ProgramHead, FindsTheInterpreterOfAScript) {
  EXPECT_EQ(parse_program_head("#!/usr/bin/env python3\nprint()").interpreter, "/usr/bin/env");
  EXPECT_EQ(parse_program_head("#! /bin/sh").interpreter, "/bin/sh");
  EXPECT_EQ(parse_program_head("#!\n/bin/sh").interpreter, "");
  EXPECT_FALSE(parse_program_head("#!/bin/sh").elf);
}

TEST(ProgramHead, SaysNothingOfWhatIsCutOrNoProgram) {
  const auto whole = program<Elf64_Ehdr, Elf64_Phdr>(ELFCLASS64, EM_X86_64, "/lib/ld.so");
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    EXPECT_NE(parse_program_head(whole.substr(0, size)).linker, "/lib/ld.so");
  }
  EXPECT_FALSE(parse_program_head("MZ").elf);
}

TEST(CanPreload, OnlyIntoProgramsOfTheSameKind) {
  const auto ours = elf64("/lib64/ld-linux-x86-64.so.2");
  EXPECT_TRUE(can_preload(ours, ours));
  EXPECT_TRUE(can_preload(ours, elf64("/nix/store/x/lib/ld-linux-x86-64.so.2")));
  EXPECT_TRUE(can_preload(ours, elf64("")));
  EXPECT_TRUE(can_preload(ours, parse_program_head("a script without a first line")));
  EXPECT_FALSE(can_preload(ours, elf64("/lib/ld-musl-x86_64.so.1")));
  EXPECT_FALSE(can_preload(ours, elf64("/lib/ld-linux-aarch64.so.1", EM_AARCH64)));
  EXPECT_FALSE(can_preload(ours, parse_program_head(program<Elf32_Ehdr, Elf32_Phdr>(
                                     ELFCLASS32, EM_386, "/lib/ld-linux.so.2"))));
}

TEST(CanPreload, DoesNotNeedToKnowItsOwnLinker) {
  EXPECT_TRUE(can_preload(elf64(""), elf64("/lib64/ld-linux-x86-64.so.2")));
  EXPECT_FALSE(can_preload(elf64(""), elf64("/lib/ld-musl-x86_64.so.1")));
}

TEST(CanPreload, LooksThroughScripts) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tidegauge-head-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto foreign = (folder / "foreign").string();
  const auto script = (folder / "script").string();
  std::ofstream(foreign, std::ios::binary)
      << program<Elf64_Ehdr, Elf64_Phdr>(ELFCLASS64, EM_X86_64, "/lib/ld-musl-x86_64.so.1");
  std::ofstream(script) << "#!" << foreign << "\n";
  const std::string own = "/bin/sh";
  EXPECT_FALSE(can_preload_into(foreign, own));
  EXPECT_FALSE(can_preload_into(script, own));
  EXPECT_TRUE(can_preload_into(own, own));
  EXPECT_TRUE(can_preload_into("sh", own));
  EXPECT_TRUE(can_preload_into("no such command", own));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tidegauge::guard
