// SPDX-License-Identifier: Apache-2.0
#include "serve/token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/fd.h"
#include "base/text.h"
#include "base/user_folder.h"

namespace tidegauge::serve {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kRandomBytes = 16;
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

bool is_token(std::string_view text) {
  return text.size() == 2 * kRandomBytes &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Empty where there is none that can be trusted: one that others may read is no secret any more.
std::string read_token(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat about {};
  if (!fd || ::fstat(fd.get(), &about) != 0) return {};
  if (!S_ISREG(about.st_mode) || (about.st_mode & kOthers) != 0 || about.st_uid != ::geteuid())
    return {};
  std::array<char, 2 * kRandomBytes + 2> text{};
  const ssize_t got = ::read(fd.get(), text.data(), text.size());
  const auto word = trimmed({text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
  return is_token(word) ? std::string(word) : std::string();
}

Result<> write_token(const std::string& path, const std::string& token) {
  const auto fresh = path + ".new";
  ::unlink(fresh.c_str());
  const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const auto line = token + "\n";
  if (!fd || ::write(fd.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
      ::rename(fresh.c_str(), path.c_str()) != 0) {
    return from_errno(errno, printable(path));
  }
  return Ok{};
}

}  // namespace

Result<std::string> new_token() {
  std::array<unsigned char, kRandomBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return from_errno(errno, "random numbers");
  }
  std::string token;
  for (const auto byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

Result<std::string> kept_token(const std::string& path) {
  if (auto token = read_token(path); !token.empty()) return token;
  auto token = new_token();
  if (!token) return token;
  if (const auto done = write_token(path, *token); !done) return done.error();
  return token;
}

Result<std::string> token_path() {
  auto folder = folder_of_ours(kUserState);
  if (!folder) return folder;
  std::error_code error;
  fs::create_directories(*folder, error);
  if (error) return from_errno(error.value(), printable(*folder));
  return *folder + "/serve-token";
}

}  // namespace tidegauge::serve
