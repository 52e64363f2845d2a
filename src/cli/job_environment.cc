// SPDX-License-Identifier: Apache-2.0
#include "cli/job_environment.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "guard/program_head.h"
#include "proc/root.h"
#include "proc/roots.h"
#include "record/ring.h"

namespace tidegauge::cli {

namespace {

namespace fs = std::filesystem;

std::string own_program() {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  const auto path = root ? root->read_link("self/exe") : Result<std::string>(root.error());
  return path ? *path : std::string();
}

// Ours comes last: tools that look at the variable know their own library by its place.
std::string preload_with(const std::string& probe) {
  const char* const given = std::getenv("LD_PRELOAD");
  const std::string before = given != nullptr ? given : "";
  if (before.empty() || before == probe) return probe;
  if (before.ends_with(":" + probe)) return before;  // a gauge inside a gauge
  return before + ":" + probe;
}

}  // namespace

std::string probe_path() {
  const auto folder = fs::path(own_program()).parent_path();
  constexpr const char* kName = "libtidegauge_probe.so";
  for (const auto& place : {folder / kName, folder.parent_path() / "lib" / "tidegauge" / kName}) {
    // The linker takes blanks and colons for ends of names.
    if (::access(place.c_str(), R_OK) != 0) continue;
    if (place.string().find_first_of(" :\t\n$") == std::string::npos) return place.string();
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> variables_of(const JobEnvironment& job) {
  std::vector<std::pair<std::string, std::string>> all;
  if (!job.recording.empty()) {
    std::error_code error;
    const auto path = fs::absolute(job.recording, error);
    if (!error) all.emplace_back("TIDEGAUGE_RECORDING", path.string());
  }
  if (job.ring.empty()) return all;
  all.emplace_back(tidegauge_ring_variable(), job.ring);
  if (const auto program = own_program(); !program.empty()) {
    all.emplace_back("TIDEGAUGE_BINARY", program);
  }
  if (!job.hooks) {
    all.emplace_back("TIDEGAUGE_NO_HOOKS", "1");
    return all;
  }
  const auto probe = probe_path();
  if (!probe.empty() && guard::can_preload_into(job.command, own_program())) {
    all.emplace_back("LD_PRELOAD", preload_with(probe));
  }
  return all;
}

}  // namespace tidegauge::cli
