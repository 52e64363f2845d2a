// SPDX-License-Identifier: Apache-2.0
#include "cli/job_environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include "guard/program_head.h"
#include "proc/root.h"
#include "proc/roots.h"
#include "record/ask.h"
#include "record/ring.h"

namespace tidegauge::cli {

namespace {

namespace fs = std::filesystem;

// Ours comes last: tools that look at the variable know their own library by its place.
std::string preload_with(const std::string& probe) {
  const char* const given = std::getenv("LD_PRELOAD");
  std::string before = given != nullptr ? given : "";
  if (before.empty() || before == probe) return probe;
  if (before.ends_with(":" + probe)) return before;  // a gauge inside a gauge
  return before + ":" + probe;
}

// The linker takes blanks and colons for ends of names.
bool preload_can_name(const std::string& probe) {
  return probe.find_first_of(" :\t\n$") == std::string::npos;
}

// Programs by which root starts a job as another user.
bool becomes_another_user(const std::string& command) {
  constexpr std::string_view kPrograms[] = {
      "su",     "sudo",  "doas", "runuser",   "setpriv",          "su-exec",
      "chroot", "chpst", "gosu", "setuidgid", "start-stop-daemon"};
  const auto name = std::string_view(command).substr(command.rfind('/') + 1);
  return std::find(std::begin(kPrograms), std::end(kPrograms), name) != std::end(kPrograms);
}

// Only root's job can become another user with its environment: a setuid program drops the
// variable. The linker would complain on the job's stderr that it cannot open the library.
bool all_who_come_after_can_read(const std::string& probe, const std::string& command) {
  if (::geteuid() != 0 || !becomes_another_user(command)) return true;
  struct stat status {};
  if (::stat(probe.c_str(), &status) != 0 || (status.st_mode & S_IROTH) == 0) return false;
  for (auto folder = fs::path(probe).parent_path();; folder = folder.parent_path()) {
    if (::stat(folder.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) return false;
    if (folder == folder.parent_path()) return true;
  }
}

// Ours comes first: it runs the one that comes after it.
std::string python_path_with(const std::string& site) {
  const char* const given = std::getenv("PYTHONPATH");
  const std::string before = given != nullptr ? given : "";
  if (before.empty() || before == site || before.starts_with(site + ":")) {
    return before.empty() ? site : before;
  }
  return site + ":" + before;
}

// The way into Python processes that is open: the linker's, else Python's own.
std::optional<std::pair<std::string, std::string>> way_in(const JobEnvironment& job) {
  const auto probe = probe_path();
  if (probe.empty()) return {};
  if (job.preload && preload_can_name(probe) && all_who_come_after_can_read(probe, job.command) &&
      guard::can_preload_into(job.command, own_program())) {
    return std::pair<std::string, std::string>{"LD_PRELOAD", preload_with(probe)};
  }
  const auto site = fs::path(probe).parent_path() / "site";
  std::error_code error;
  if (!fs::exists(site / "sitecustomize.py", error) ||
      site.string().find(':') != site.string().npos) {
    return {};
  }
  return std::pair<std::string, std::string>{"PYTHONPATH", python_path_with(site.string())};
}

}  // namespace

std::string own_program() {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  const auto path = root ? root->read_link("self/exe") : Result<std::string>(root.error());
  return path ? *path : std::string();
}

std::string library_path(const char* name) {
  const auto folder = fs::path(own_program()).parent_path();
  for (const auto& place : {folder / name, folder.parent_path() / "lib" / "tidegauge" / name}) {
    if (::access(place.c_str(), R_OK) == 0) return place.string();
  }
  return {};
}

std::string probe_path() {
  return library_path("libtidegauge_probe.so");
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
  if (!job.ask_page.empty()) all.emplace_back(tidegauge_ask_variable(), job.ask_page);
  if (const auto program = own_program(); !program.empty()) {
    all.emplace_back("TIDEGAUGE_BINARY", program);
  }
  if (!job.hooks) {
    all.emplace_back("TIDEGAUGE_NO_HOOKS", "1");
    return all;
  }
  if (auto way = way_in(job)) all.push_back(*std::move(way));
  return all;
}

}  // namespace tidegauge::cli
