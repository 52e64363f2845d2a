// SPDX-License-Identifier: Apache-2.0
#include "census/reader_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "base/beside.h"
#include "census/aside.h"
#include "census/confined.h"
#include "census/wire.h"

namespace tidegauge::census {

namespace {

struct Head {
  Word word = Word::Failed;
  std::uint32_t bytes = 0;
};
constexpr std::size_t kMostFiles = 2;

// What a census takes is a share of what it reads; whatever more a process makes us want is not
// wanted for its sake.
constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kSomeBytes = 512 * kMiB;
constexpr std::uint64_t kBytesForEach = 4;
constexpr std::uint64_t kSomeSeconds = 120;
constexpr std::uint64_t kBytesInASecond = 16 * kMiB;

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string_view bytes_of(const Head& head) {
  return {reinterpret_cast<const char*>(&head), sizeof head};
}

// The head of a message, with files where there are any.
bool send_head(int fd, const Head& head, std::span<const int> files) {
  if (files.empty()) return send_all(fd, bytes_of(head));
  auto copy = head;
  iovec part{&copy, sizeof copy};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFiles * sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = CMSG_SPACE(files.size_bytes());
  auto* const control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(files.size_bytes());
  std::memcpy(CMSG_DATA(control), files.data(), files.size_bytes());
  return ::sendmsg(fd, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof copy);
}

// Reads `size` bytes as they come; `may_read` waits for each of them.
template <class MayRead>
bool receive_all(int fd, char* into, std::size_t size, MayRead&& may_read) {
  while (size > 0) {
    if (!may_read()) return false;
    const auto got = ::recv(fd, into, size, 0);  // files are not taken
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return false;
    into += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::vector<UniqueFd> files_in(msghdr& message) {
  std::vector<UniqueFd> files;
  for (auto* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    const auto count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(one) + i * sizeof(int), sizeof fd);
      files.emplace_back(fd);
    }
  }
  return files;
}

void read_confined(const Target& target, const std::function<void(const ReaderLine&)>& work,
                   const UniqueFd& line) {
  stand_aside("tidegauge-read");
  auto keep = target.descriptors();
  keep.push_back(line.get());
  const ReaderLine to(line.get());
  const auto held = target.anonymous_bytes + target.swapped_bytes;
  const auto confined =
      confine_ourselves({.keep = keep,
                         .not_as = target.user,
                         .most_bytes = kSomeBytes + kBytesForEach * held,
                         .most_cpu_seconds = kSomeSeconds + held / kBytesInASecond});
  if (!confined) {
    const auto why = fmt::format(
        "its memory is not read with all our rights, and these could not "
        "be given up: {}",
        confined.error().what);
    return to.say(Word::Failed, wire::to_bytes(Error{Reason::Failed, why}));
  }
  try {
    work(to);
  } catch (const std::exception&) {
    to.say(Word::Failed, wire::to_bytes(Error{Reason::NoRoom,
                                              "there is not enough memory to read "
                                              "it"}));
  }
}

}  // namespace

void ReaderLine::say(Word word, std::string_view text) const {
  const Head head{word, static_cast<std::uint32_t>(text.size())};
  if (!send_all(fd_, bytes_of(head)) || !send_all(fd_, text)) ::_exit(0);
}

std::optional<Said> ReaderLine::hear() const {
  Head head;
  iovec part{&head, sizeof head};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFiles * sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(fd_, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof head)) return {};
  Said said{.word = head.word, .files = files_in(message)};
  said.text.resize(head.bytes);
  if (!receive_all(fd_, said.text.data(), said.text.size(), [] { return true; })) return {};
  return said;
}

Result<ReaderProcess> ReaderProcess::start(const Target& target,
                                           const std::function<void(const ReaderLine&)>& work) {
  auto beside =
      start_beside(LineKind::Stream, [&](UniqueFd line) { read_confined(target, work, line); });
  if (!beside) return beside.error();
  return ReaderProcess(beside->pid, target.pid, std::move(beside->line));
}

ReaderProcess::ReaderProcess(ReaderProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), target_(other.target_), line_(std::move(other.line_)) {}

ReaderProcess::~ReaderProcess() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ReaderProcess::say(Word word, std::string_view text, std::span<const int> files) const {
  const Head head{word, static_cast<std::uint32_t>(text.size())};
  return send_head(line_.get(), head, files) && send_all(line_.get(), text);
}

Error ReaderProcess::ended() const {
  return {Reason::Failed,
          fmt::format("the process that read {} ended before it had an answer", target_)};
}

Result<Said> ReaderProcess::hear(double patience_seconds) const {
  constexpr int kLookMs = 500;
  const double until_ms = now_ms() + patience_seconds * 1e3;
  const auto may_read = [&] {
    while (true) {
      pollfd ready{line_.get(), POLLIN, 0};
      const int count = ::poll(&ready, 1, kLookMs);
      if (count > 0) return true;
      if (count < 0 && errno != EINTR) return false;
      // Whoever may send it signals must not keep us waiting.
      siginfo_t what{};
      const bool is_known = ::waitid(P_PID, static_cast<id_t>(pid_), &what,
                                     WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
      if (is_known && what.si_pid != 0) return false;
      if (now_ms() > until_ms) return false;
    }
  };
  Head head;
  Said said;
  if (!receive_all(line_.get(), reinterpret_cast<char*>(&head), sizeof head, may_read) ||
      head.bytes > wire::kMostBytes) {
    return ended();
  }
  said.word = head.word;
  said.text.resize(head.bytes);
  if (!receive_all(line_.get(), said.text.data(), said.text.size(), may_read)) return ended();
  if (said.word != Word::Failed) return said;
  auto why = wire::error_in(said.text);
  return why ? *std::move(why) : ended();
}

}  // namespace tidegauge::census
