// SPDX-License-Identifier: Apache-2.0
#include "guard/companion.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "guard/relay.h"

namespace tidegauge::guard {

Result<Companion> Companion::start(int master) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return from_errno(errno, "socketpair");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const UniqueFd terminal(master >= 0 ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                      : -1);
  const pid_t pid = ::fork();
  if (pid < 0) return from_errno(errno, "fork");
  if (pid == 0) relay({.channel = theirs.get(), .master = master, .terminal = terminal.get()});
  return Companion(pid, std::move(ours));
}

std::optional<Message> Companion::next() {
  char packet[kLargestPacket];
  const ssize_t got = ::recv(channel_.get(), packet, sizeof packet, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (got <= 0) return Message{};
  const auto rest = std::string_view(packet, static_cast<std::size_t>(got)).substr(1);
  Message message{.news = static_cast<RelayNews>(packet[0])};
  if (message.news == RelayNews::Output) message.bytes = rest;
  if (message.news == RelayNews::Signal && !rest.empty()) {
    message.number = static_cast<unsigned char>(rest[0]);
  }
  return message;
}

void Companion::finish() {
  const char word = 'f';
  ::send(channel_.get(), &word, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace tidegauge::guard
