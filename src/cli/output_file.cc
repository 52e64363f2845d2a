// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/fd.h"
#include "base/owner_only.h"
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

// `path` is what errors name.
Result<> write_and_close(UniqueFd fd, std::string_view text, const std::string& path) {
  if (auto done = write_all(fd.get(), text, printable(path)); !done) return done;
  // Some disks say only now that there was no room.
  if (::close(fd.release()) != 0 && errno != EINTR) return from_errno(errno, printable(path));
  return Ok{};
}

// What is there is lost where there is no room for the new. What was not there is not left half
// written.
Result<> write_in_place(const std::string& path, std::string_view text, mode_t rights) {
  constexpr int kFlags = O_WRONLY | O_TRUNC | O_CLOEXEC;
  // Not made where it is there: in a folder of all, the kernel would refuse another's file.
  UniqueFd fd(::open(path.c_str(), kFlags));
  const bool is_new = !fd && errno == ENOENT;
  if (is_new) fd = UniqueFd(::open(path.c_str(), kFlags | O_CREAT, rights));
  if (!fd) return from_errno(errno, printable(path));
  auto done = write_and_close(std::move(fd), text, path);
  std::error_code ignored;  // and not the link that led to it
  if (!done && is_new) {
    std::filesystem::remove(std::filesystem::canonical(path, ignored), ignored);
  }
  return done;
}

// A file of our own beside `path`, by a name that nobody else has or expects.
struct Successor {
  UniqueFd fd{};
  std::string path{};
  int error = 0;  // why there is none
};

Successor make_successor(const std::string& path, mode_t rights) {
  constexpr int kTries = 100;
  Successor made{.error = EEXIST};
  for (int i = 0; i < kTries && !made.fd && made.error == EEXIST; ++i) {
    std::uint32_t suffix = 0;
    (void)!::getentropy(&suffix, sizeof suffix);
    made.path = fmt::format("{}.{:08x}", path, suffix);
    made.fd = UniqueFd(::open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights));
    made.error = made.fd ? 0 : errno;
  }
  return made;
}

// Whose it is before who may read it: rights given first would be a stranger's for a moment.
void take_after(int fd, const struct stat& old) {
  if (::fchown(fd, old.st_uid, old.st_gid) != 0) {
    (void)!::fchown(fd, static_cast<uid_t>(-1), old.st_gid);
  }
  ::fchmod(fd, old.st_mode & kAllRights);
}

// Nothing can be put into its place, but it may be ours to write: a folder of others, one of all
// (EPERM), a name with no room for more, a file that is mounted (EBUSY).
bool is_no_place_beside(int error) {
  return error == EACCES || error == EPERM || error == ENAMETOOLONG || error == EBUSY;
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
  if (const UniqueFd made(::open(path.c_str(), kFlags | O_EXCL, kOwnerOnly)); made) {
    ::unlink(path.c_str());
    return Ok{};
  }
  const UniqueFd there(::open(path.c_str(), kFlags, kOwnerOnly));
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
  struct stat old {};
  const bool there = ::lstat(path.c_str(), &old) == 0;
  // Pipes and devices cannot be replaced; neither is a link, which somebody made on purpose.
  if (there && !S_ISREG(old.st_mode)) return write_in_place(path, text, rights);
  // One that may not be written to may not be replaced, either.
  if (there && !UniqueFd(::open(path.c_str(), O_WRONLY | O_CLOEXEC))) {
    return from_errno(errno, printable(path));
  }
  auto made = make_successor(path, there ? kOwnerOnly : rights);
  if (is_no_place_beside(made.error)) return write_in_place(path, text, rights);
  if (!made.fd) return from_errno(made.error, printable(path));
  if (there) take_after(made.fd.get(), old);
  auto done = write_and_close(std::move(made.fd), text, path);
  if (done && ::rename(made.path.c_str(), path.c_str()) == 0) return Ok{};
  const int error = errno;
  ::unlink(made.path.c_str());
  if (!done) return done;
  if (is_no_place_beside(error)) return write_in_place(path, text, rights);
  return from_errno(error, printable(path));
}

}  // namespace tidegauge::cli
