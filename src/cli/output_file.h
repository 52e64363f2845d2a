// SPDX-License-Identifier: Apache-2.0
// Files that a user named to be written. What is there already may be somebody's work: it is
// replaced only where it is an earlier one of the same kind, and never where it is read by the same
// command.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "base/result.h"

namespace tidegauge::cli {

enum class OutputKind { Page, Markdown, Text, Picture, Verdict, Census };

// Whether `path` may be written; Malformed where it must not.
Result<> may_write(const std::string& path, OutputKind kind,
                   std::span<const std::string> inputs = {});

// Whether it can be written, before a job starts, so that nobody finds out after a week that
// nothing was kept. Leaves no file behind.
Result<> check_writable(const std::string& path);

// Who may read and write what is made from these files: not more people than these.
mode_t rights_of(std::span<const std::string> inputs);

// All of it, or nothing but an error, and what was there stays: it is written beside `path` first.
// (Where no file may be made there, or `path` is a pipe, a device or a link, it is written in
// place.) A new file has these rights, less the umask; one that is replaced keeps its own, and its
// owner where we may give it away.
Result<> write_file(const std::string& path, const std::string& text, mode_t rights);

}  // namespace tidegauge::cli
