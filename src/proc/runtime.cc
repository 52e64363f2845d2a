// SPDX-License-Identifier: Apache-2.0
#include "proc/runtime.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "proc/program.h"

namespace tidegauge::proc {

namespace {

struct Known {
  std::string_view file;  // how its base name begins
  std::string_view name;
};
// Before glibc, which is mapped beside them.
constexpr Known kAllocators[] = {
    {"libjemalloc", "jemalloc"},
    {"libtcmalloc", "tcmalloc"},
    {"libmimalloc", "mimalloc"},
    {"libtbbmalloc_proxy", "TBB malloc"},
    {"libsnmalloc", "snmalloc"},
    {"librpmalloc", "rpmalloc"},
    {"libhoard", "Hoard"},
    {"libscudo", "Scudo"},
    {"libasan", "AddressSanitizer"},
    {"ld-musl-", "musl"},
    {"libc.musl-", "musl"},
    {"libc.so.6", "glibc"},
    {"libc-2.", "glibc"},
};
constexpr Known kFrameworks[] = {
    {"libtorch_cpu.so", "torch"},
    {"libtorch.so", "torch"},
    {"libcuda.so", "CUDA"},
    {"libtensorflow_cc", "TensorFlow"},
    {"libtensorflow_framework", "TensorFlow"},
    {"xla_extension", "JAX"},
    {"libjax_common", "JAX"},
    {"libarrow.so", "Arrow"},
};
constexpr std::string_view kLinkers[] = {"ld-linux", "ld-musl-", "ld64.so", "ld.so"};

// "3.11" in "python3.11" or "3.13t" in "libpython3.13t.so.1.0"; empty if there is none.
std::string_view version_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  const auto digits = name.find_first_not_of("0123456789.");
  auto version = name.substr(0, digits);
  const bool threaded = digits != name.npos && name[digits] == 't';
  while (!threaded && version.ends_with('.')) version.remove_suffix(1);
  if (version.find('.') == version.npos) return {};
  return name.substr(0, version.size() + (threaded ? 1 : 0));
}

std::string named_python(std::string_view maker, std::string_view version) {
  const bool threaded = version.ends_with('t');
  if (threaded) version.remove_suffix(1);
  return std::string(maker).append(" ").append(version).append(threaded ? ", free-threaded" : "");
}

}  // namespace

std::set<std::string> parse_mapped_files(std::string_view text) {
  std::set<std::string> files;
  while (!text.empty()) {
    auto line = next_line(text);
    for (int field = 0; field < 5; ++field)
      next_word(line);  // addresses, rights, offset, device, inode
    const auto path = trimmed(line);
    if (path.starts_with('/')) files.emplace(path);
  }
  return files;
}

std::string allocator_of(const std::set<std::string>& files) {
  for (const auto& known : kAllocators) {
    const bool mapped = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
      return base_name(file).starts_with(known.file);
    });
    if (mapped) return std::string(known.name);
  }
  return {};
}

std::string python_of(std::string_view program, const std::set<std::string>& files) {
  std::string found;
  const auto look = [&](std::string_view file) {
    const auto name = base_name(file);
    for (const auto* prefix : {"libpython", "python"}) {
      if (const auto version = version_after(name, prefix); !version.empty()) {
        found = named_python("CPython", version);
      }
    }
    for (const auto* prefix : {"libpypy", "pypy"}) {
      if (const auto version = version_after(name, prefix); !version.empty()) {
        found = named_python("PyPy", version);
      }
    }
  };
  look(program);
  if (!found.empty()) return found;
  // An application may bring Python along as a library.
  for (const auto& file : files) {
    if (base_name(file).starts_with("lib")) look(file);
  }
  if (found.empty() && is_python(program)) return "Python";
  return found;
}

bool is_dynamic(const std::set<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [](const std::string& file) {
    return std::any_of(std::begin(kLinkers), std::end(kLinkers), [&](std::string_view linker) {
      return base_name(file).starts_with(linker);
    });
  });
}

std::set<std::string> frameworks_of(const std::set<std::string>& files) {
  std::set<std::string> found;
  for (const auto& file : files) {
    for (const auto& known : kFrameworks) {
      if (base_name(file).starts_with(known.file)) found.emplace(known.name);
    }
  }
  return found;
}

}  // namespace tidegauge::proc
