// SPDX-License-Identifier: Apache-2.0
#include "cli/paragraphs.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace tidegauge::cli {

std::optional<std::string> Paragraphs::take() {
  constexpr std::string_view kEnd = "\n\n";
  const auto end = heard_.find(kEnd);
  if (end == std::string::npos) return {};
  auto text = heard_.substr(0, end + kEnd.size());
  heard_.erase(0, text.size());
  return text;
}

Paragraphs::Next Paragraphs::take_from(int socket, double wait_seconds) {
  constexpr double kMsPerSecond = 1e3;
  pollfd ready{socket, POLLIN, 0};
  while (true) {
    if (auto text = take()) return {.text = std::move(text)};
    if (::poll(&ready, 1, static_cast<int>(wait_seconds * kMsPerSecond)) <= 0) return {};
    char piece[4096];
    const ssize_t got = ::recv(socket, piece, sizeof piece, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return {.gone = true};
    add({piece, static_cast<std::size_t>(got)});
  }
}

}  // namespace tidegauge::cli
