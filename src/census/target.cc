// SPDX-License-Identifier: Apache-2.0
#include "census/target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "census/memory.h"

namespace tidegauge::census {

namespace {

constexpr std::size_t kMostFiles = 32;

// A regular file, and nothing that does something when it is opened (a device, a pipe).
UniqueFd open_plain(const std::string& path) {
  const UniqueFd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!place || ::fstat(place.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const auto same = fmt::format("/proc/self/fd/{}", place.get());
  return UniqueFd(::open(same.c_str(), O_RDONLY | O_CLOEXEC));
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The less, the likelier; nothing: it holds no Python.
std::optional<int> likelihood_of(const Region& region, std::string_view program) {
  if (region.offset != 0 || region.inode == 0 || region.path.empty()) return {};
  const auto name = name_of(region.path);
  if (region.path == program) return 0;
  if (name.starts_with("libpython")) return 1;
  if (name.starts_with("python")) return 2;
  if (name.find("python") != name.npos) return 3;  // as all modules in C have in their names
  return {};
}

// Where a mapped file can be opened from here: also when the process lives in another root.
std::vector<std::string> ways_to(pid_t pid, const Region& region, bool is_program) {
  std::vector<std::string> ways = {
      fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, region.begin, region.end),
      fmt::format("/proc/{}/root{}", pid, region.path), region.path};
  if (is_program) ways.push_back(fmt::format("/proc/{}/exe", pid));
  return ways;
}

std::vector<CodeFile> open_code(pid_t pid, const std::vector<Region>& regions,
                                std::string_view program) {
  std::vector<std::pair<int, const Region*>> candidates;
  for (const auto& region : regions) {
    if (const auto likely = likelihood_of(region, program))
      candidates.push_back({*likely, &region});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<CodeFile> code;
  for (const auto& [likely, region] : candidates) {
    std::set<std::pair<dev_t, ino_t>> seen;  // the same file by another way
    bool is_what_is_mapped = true;           // by the first way, and no other is needed
    for (const auto& way : ways_to(pid, *region, region->path == program)) {
      if (code.size() == kMostFiles) return code;
      const bool is_first = std::exchange(is_what_is_mapped, false);
      auto file = open_plain(way);
      struct stat status {};
      if (!file || ::fstat(file.get(), &status) != 0) continue;
      if (!seen.insert({status.st_dev, status.st_ino}).second) continue;
      const auto bytes = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
      code.push_back({std::move(file), region->begin, bytes});
      if (is_first) break;
    }
  }
  return code;
}

std::string program_of(pid_t pid, const std::vector<Region>& regions) {
  char target[4096];
  const auto size = ::readlink(fmt::format("/proc/{}/exe", pid).c_str(), target, sizeof target);
  if (size > 0) return std::string(target, static_cast<std::size_t>(size));
  return regions.empty() ? "" : regions.front().path;
}

std::uint64_t anonymous_bytes(pid_t pid) {
  constexpr std::uint64_t kPage = 4096;
  std::ifstream statm(fmt::format("/proc/{}/statm", pid));
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::uint64_t of_files = 0;
  statm >> size >> resident >> of_files;
  return (resident - std::min(of_files, resident)) * kPage;
}

std::uint64_t swapped_bytes(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  std::uint64_t kilobytes = 0;
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kName = "VmSwap:";
    std::string_view rest(line);
    if (!rest.starts_with(kName)) continue;
    rest.remove_prefix(kName.size());
    kilobytes = to_number<std::uint64_t>(next_word(rest)).value_or(0);
  }
  return kilobytes * 1024;
}

UniqueFd open_of(pid_t pid, std::string_view name) {
  return UniqueFd(::open(fmt::format("/proc/{}/{}", pid, name).c_str(), O_RDONLY | O_CLOEXEC));
}

Error cannot_read(pid_t pid) {
  if (::kill(pid, 0) != 0 && errno == ESRCH)
    return {Reason::Gone, fmt::format("{}: no such process", pid)};
  return {Reason::Denied,
          fmt::format("the memory of {} may not be read: run as its user or as root (and see "
                      "kernel.yama.ptrace_scope)",
                      pid)};
}

}  // namespace

std::vector<int> Target::descriptors() const {
  std::vector<int> all = {memory.get(), pagemap.get()};
  for (const auto& one : code) all.push_back(one.file.get());
  return all;
}

Result<Target> open_target(pid_t pid) {
  auto regions = read_regions(pid);
  if (!regions) {
    return regions.error().reason == Reason::Denied ? cannot_read(pid) : regions.error();
  }
  Target target{.pid = pid};
  target.memory = open_of(pid, "mem");
  struct stat status {};
  std::byte probe[1];
  if (!target.memory || ::fstat(target.memory.get(), &status) != 0 ||
      !FileMemory(target.memory.get()).read(regions->front().begin, probe)) {
    return cannot_read(pid);
  }
  target.user = status.st_uid;
  target.pagemap = open_of(pid, "pagemap");
  target.regions = *std::move(regions);
  target.program = program_of(pid, target.regions);
  target.code = open_code(pid, target.regions, target.program);
  target.anonymous_bytes = anonymous_bytes(pid);
  target.swapped_bytes = swapped_bytes(pid);
  target.layouts = kept_layouts();
  return target;
}

}  // namespace tidegauge::census
