// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/fd.h"
#include "base/text.h"
#include "base/write_all.h"
#include "view/ink.h"
#include "view/markdown_parts.h"
#include "view/words.h"

namespace tidegauge::cli {

namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kMostTextBytes = 1 << 20;  // longer than any of ours
constexpr mode_t kAllMayReadAndWrite = 0666;
constexpr mode_t kAllRights = 0777;

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  if (::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0) {
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  }
  std::error_code ignored;  // one of them is not there yet
  return std::filesystem::weakly_canonical(a, ignored) ==
         std::filesystem::weakly_canonical(b, ignored);
}

std::string first_bytes(const std::string& path, std::size_t most) {
  std::ifstream in(path, std::ios::binary);
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool begins_with_a_verdict(std::string_view text) {
  constexpr int kLast = static_cast<int>(verdict::Class::Undecided);
  for (int klass = 0; klass <= kLast; ++klass) {
    const auto tag = view::tag_of(static_cast<verdict::Class>(klass));
    if (text.starts_with(view::Ink{}.tag(view::Tone::Good, tag) + " ")) return true;
  }
  return false;
}

bool is_of(OutputKind kind, const std::string& path) {
  const auto head = first_bytes(path, kHeadBytes);
  switch (kind) {
    case OutputKind::Page:
      return lower(head).starts_with("<!doctype html") && has(head, "tidegauge");
    case OutputKind::Markdown:
      return first_bytes(path, kMostTextBytes).ends_with(view::kMarkdownEnd);
    case OutputKind::Text:
      return begins_with_a_verdict(head) || has(first_bytes(path, kMostTextBytes), "\nVerdicts\n");
    case OutputKind::Picture:
      return head.starts_with("<svg ") && has(head, ".stays{");
    case OutputKind::Verdict:
      return head.starts_with("{") && has(head, "\"tidegauge/verdict/");
    case OutputKind::Census:
      break;
  }
  return head.starts_with("{") && has(head, "\"tidegauge/census/");
}

const char* name_of(OutputKind kind) {
  switch (kind) {
    case OutputKind::Page:
      return "page of tidegauge";
    case OutputKind::Markdown:
    case OutputKind::Text:
      return "report of tidegauge";
    case OutputKind::Picture:
      return "picture of tidegauge";
    case OutputKind::Verdict:
      return "verdict document";
    case OutputKind::Census:
      break;
  }
  return "census document";
}

UniqueFd open_to_write(const std::string& path, mode_t rights) {
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, rights));
}

// `path` is what errors name.
Result<> write_to(const UniqueFd& fd, std::string_view text, const std::string& path) {
  if (!fd) return from_errno(errno, printable(path));
  return write_all(fd.get(), text, printable(path));
}

}  // namespace

Result<> may_write(const std::string& path, OutputKind kind, std::span<const std::string> inputs) {
  for (const auto& input : inputs) {
    if (!same_file(path, input)) continue;
    return Error{Reason::Malformed,
                 fmt::format("{} is needed by this command itself: name another file to write",
                             printable(path))};
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
    return Ok{};
  }
  if (is_of(kind, path)) return Ok{};
  return Error{Reason::Malformed,
               fmt::format("{} is there already and is no {}: name another file, or remove it",
                           printable(path), name_of(kind))};
}

Result<> check_writable(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  if (const UniqueFd made(::open(path.c_str(), kFlags | O_EXCL, S_IRUSR | S_IWUSR)); made) {
    ::unlink(path.c_str());
    return Ok{};
  }
  const UniqueFd there(::open(path.c_str(), kFlags, S_IRUSR | S_IWUSR));
  if (!there) return from_errno(errno, printable(path));
  return Ok{};
}

mode_t rights_of(std::span<const std::string> inputs) {
  mode_t rights = kAllMayReadAndWrite;
  for (const auto& input : inputs) {
    struct stat status {};
    if (::stat(input.c_str(), &status) == 0) rights &= status.st_mode;
  }
  return rights | S_IRUSR | S_IWUSR;
}

Result<> write_file(const std::string& path, const std::string& text, mode_t rights) {
  struct stat status {};
  const bool there = ::lstat(path.c_str(), &status) == 0;
  // Pipes and devices cannot be replaced; neither is a link, which somebody made on purpose.
  if (there && !S_ISREG(status.st_mode)) return write_to(open_to_write(path, rights), text, path);
  const auto successor = path + ".new";
  const auto made = open_to_write(successor, rights);
  // No file may be made there; but one that is there may be ours to write.
  if (!made) return write_to(open_to_write(path, rights), text, path);
  if (there) ::fchmod(made.get(), status.st_mode & kAllRights);
  auto done = write_to(made, text, path);
  if (done && ::rename(successor.c_str(), path.c_str()) == 0) return Ok{};
  if (done) done = from_errno(errno, printable(path));
  ::unlink(successor.c_str());
  return done;
}

}  // namespace tidegauge::cli
