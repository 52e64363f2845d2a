// SPDX-License-Identifier: Apache-2.0
#include "census/other_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/text.h"

namespace tidegauge::census {

namespace {

constexpr const char* kRead = "a census reads CPython from 3.9 on";

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// How the file's name begins, and whose it is. A program that has one of these inside has it under
// that name, too.
struct Sign {
  std::string_view begins;
  const char* runtime;
};
constexpr Sign kSigns[] = {
    {"pypy", "PyPy"},
    {"libpypy", "PyPy"},
    {"graalpy", "GraalPy"},
    {"libpythonvm", "GraalPy"},
    {"python-language", "GraalPy"},
    {"micropython", "MicroPython"},
    {"circuitpython", "CircuitPython"},
    {"rustpython", "RustPython"},
    {"jython", "Jython"},
    {"IronPython", "IronPython"},
};

// "python3.8", "libpython2.7.so.1.0": the version, and nothing else of the name.
std::string old_version(std::string_view name) {
  constexpr std::string_view kLibrary = "lib";
  constexpr std::string_view kPython = "python";
  if (name.starts_with(kLibrary)) name.remove_prefix(kLibrary.size());
  if (!name.starts_with(kPython)) return "";
  name.remove_prefix(kPython.size());
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto end =
      std::find_if_not(name.begin(), name.end(), [&](char c) { return is_digit(c) || c == '.'; });
  std::string version(name.begin(), end);
  while (!version.empty() && version.back() == '.') version.pop_back();
  const bool is_old = version.starts_with("2") ||
                      (version.size() == 3 && version.starts_with("3.") && version[2] < '9');
  return is_old ? "CPython " + version : "";
}

std::string runtime_of_file(std::string_view path) {
  const auto name = file_name(path);
  for (const auto& [begins, runtime] : kSigns) {
    if (name.starts_with(begins)) return runtime;
  }
  return old_version(name);
}

}  // namespace

std::string other_runtime(const std::string& program, const std::vector<Region>& regions) {
  auto found = runtime_of_file(program);
  for (const auto& region : regions) {
    if (!found.empty()) break;
    if (region.inode != 0) found = runtime_of_file(region.path);
  }
  return found;
}

std::string why_not_read(const std::string& program, const std::vector<Region>& regions) {
  const auto shown = printable(program);
  const auto runtime = other_runtime(program, regions);
  if (!runtime.empty()) return fmt::format("{} ({}): {}", runtime, shown, kRead);
  return fmt::format(
      "{}, in which no CPython can be found: {}; one that is built into a program must not be "
      "stripped of the symbol _PyRuntime, or be 3.13 or newer",
      shown.empty() ? "something" : shown, kRead);
}

}  // namespace tidegauge::census
