// SPDX-License-Identifier: Apache-2.0
// What a process is made of, from the files that it has mapped.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tidegauge::proc {

// Paths in the text of /proc/PID/maps. A file that was replaced on disk since keeps its "
// (deleted)".
std::set<std::string> parse_mapped_files(std::string_view text);

// Who serves malloc(): "jemalloc", "tcmalloc", "mimalloc", "glibc"…; empty where it cannot be told,
// because it is linked into the program.
std::string allocator_of(const std::set<std::string>& files);

// "CPython 3.11", "CPython 3.13, free-threaded", "PyPy 3.10"; empty if it is no Python. `program`
// is where /proc/PID/exe points to.
std::string python_of(std::string_view program, const std::set<std::string>& files);

// A program with a dynamic linker: something can be loaded into it before it starts.
bool is_dynamic(const std::set<std::string>& files);

// "torch", "CUDA", "TensorFlow", "JAX" where their libraries are mapped.
std::set<std::string> frameworks_of(const std::set<std::string>& files);

}  // namespace tidegauge::proc
