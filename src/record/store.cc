// SPDX-License-Identifier: Apache-2.0
#include "record/store.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/fd.h"
#include "base/text.h"
#include "base/user_folder.h"

namespace tidegauge::record {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestName = 40;
constexpr std::string_view kEnding = ".tg";

struct Kept {
  fs::path path;
  fs::file_time_type written;
  std::uint64_t bytes = 0;
};

bool ends_like_a_script(std::string_view word) {
  return word.ends_with(".py") || word.ends_with(".sh") || word.ends_with(".ipynb");
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
}

// The word that a person would call the job by: its script, or else its program.
std::string_view telling_word(std::string_view command) {
  std::string_view rest = command;
  while (true) {
    const auto word = next_word(rest);
    if (word.empty()) break;
    if (ends_like_a_script(word)) return base_name(word.substr(0, word.rfind('.')));
  }
  return base_name(next_word(command));
}

std::string safe_name(std::string_view word) {
  std::string name;
  for (const char c : word.substr(0, kLongestName)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c == '-';
    name += plain ? c : '_';
  }
  // A leading dot would hide it, a leading dash would look like an option.
  const auto start = name.find_first_not_of(".-");
  return start == name.npos ? "job" : name.substr(start);
}

bool being_written(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0;
}

std::vector<Kept> recordings_in(const std::string& folder) {
  std::vector<Kept> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    // A link would lead out of the folder.
    if (!entry.path().native().ends_with(kEnding) ||
        entry.symlink_status(error).type() != fs::file_type::regular) {
      continue;
    }
    Kept one{entry.path(), entry.last_write_time(error), 0};
    const auto size = entry.file_size(error);
    if (error) continue;  // it went away while we looked
    one.bytes = size;
    found.push_back(std::move(one));
  }
  std::sort(found.begin(), found.end(),
            [](const Kept& a, const Kept& b) { return a.written < b.written; });
  return found;
}

}  // namespace

Result<std::string> store_folder() {
  const auto ours = folder_of_ours(kUserData);
  if (!ours) return Error{ours.error().reason, ours.error().what + ": name a file with --record"};
  const auto folder = fs::path(*ours) / "recordings";
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (!error && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    error = std::error_code(errno, std::generic_category());
  }
  if (error) return from_errno(error.value(), folder.string());
  return folder.string();
}

std::string recording_name(std::string_view command, std::tm when, pid_t pid) {
  return fmt::format("{}-{:%Y%m%d-%H%M%S}-{}{}", safe_name(telling_word(command)), when, pid,
                     kEnding);
}

void make_room(const std::string& folder, const StoreBounds& bounds) {
  const auto found = recordings_in(folder);
  std::uint64_t bytes = 0;
  for (const auto& one : found) bytes += one.bytes;
  auto left = found.size();
  for (const auto& one : found) {
    if (left < bounds.most_recordings && bytes <= bounds.most_bytes) return;
    if (being_written(one.path)) continue;
    std::error_code error;
    if (!fs::remove(one.path, error)) continue;
    for (const char* const beside : {".md", ".html", ".census.json"}) {
      fs::remove(one.path.native() + beside, error);
    }
    --left;
    bytes -= one.bytes;
  }
}

std::vector<Stored> stored_in(const std::string& folder) {
  std::vector<Stored> out;
  for (const auto& one : recordings_in(folder)) {
    const auto written = std::chrono::file_clock::to_sys(one.written).time_since_epoch();
    out.push_back(
        {.name = one.path.filename().string(),
         .bytes = one.bytes,
         .written_unix_s = std::chrono::duration_cast<std::chrono::seconds>(written).count(),
         .being_written = being_written(one.path)});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Result<std::string> new_path(std::string_view command) {
  const auto folder = store_folder();
  if (!folder) return folder.error();
  make_room(*folder, {});
  const auto now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return *folder + "/" + recording_name(command, local, ::getpid());
}

}  // namespace tidegauge::record
