// SPDX-License-Identifier: Apache-2.0
// Which program a command line runs, seen through interpreters.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::proc {

enum class Language { None, Python, Shell, Other };  // Other: perl, ruby, node

// "/opt/venv/bin/python3.11 -u -m torch.distributed.run --nproc 4 t.py" is the module
// "torch.distributed.run" in Python, with what follows it as `rest`.
struct Program {
  Language language = Language::None;
  std::string name{};  // base name of the file, or the module after -m; for -c its text
  bool is_module = false;
  bool is_inline = false;                // -c: the program is in the arguments
  std::vector<std::string_view> rest{};  // the program's own arguments; views of those given
};

// `comm` is used where a process has no arguments (it is a zombie, or wiped them).
Program program_of(std::span<const std::string> arguments, std::string_view comm);

// What follows the last slash.
std::string_view base_name(std::string_view path);

bool is_python(std::string_view file);  // "python3.12", "/usr/bin/pypy3", "ipython"

}  // namespace tidegauge::proc
