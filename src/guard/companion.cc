// SPDX-License-Identifier: Apache-2.0
#include "guard/companion.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/beside.h"
#include "guard/relay.h"

namespace tidegauge::guard {

Result<Companion> Companion::start(int master) {
  const UniqueFd terminal(master >= 0 ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                      : -1);
  auto beside = start_beside(LineKind::Packets, [&](UniqueFd line) {
    relay({.channel = line.get(), .master = master, .terminal = terminal.get()});
  });
  if (!beside) return beside.error();
  return Companion(beside->pid, std::move(beside->line));
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
