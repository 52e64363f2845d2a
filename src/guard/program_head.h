// SPDX-License-Identifier: Apache-2.0
// What the first bytes of a program's file tell: who will load it, and for which machine it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidegauge::guard {

struct ProgramHead {
  bool elf = false;
  std::uint8_t width = 0;     // 1: 32 bits, 2: 64 bits, as ELF counts
  std::uint16_t machine = 0;  // EM_X86_64…
  std::string linker{};       // "/lib64/ld-linux-x86-64.so.2"; empty: static, or not in the head
  std::string interpreter{};  // of a script: what follows "#!", up to the first blank
};

// `bytes` are the first few kilobytes of the file.
ProgramHead parse_program_head(std::string_view bytes);

// Whether a library that was built like `ours` may be preloaded into `theirs`. One of another width
// or machine would make the linker complain on the job's stderr, and musl's linker ends the
// program.
bool can_preload(const ProgramHead& ours, const ProgramHead& theirs);

// The same for a command as exec would find it, through scripts and PATH, and a library built like
// `own_program`; true where it cannot be told.
bool can_preload_into(const std::string& command, const std::string& own_program);

}  // namespace tidegauge::guard
