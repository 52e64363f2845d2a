// SPDX-License-Identifier: Apache-2.0
#include "cli/paragraphs.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.h"

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
  constexpr double kNsPerMs = 1e6;
  const auto began_ns = clock_ns(CLOCK_MONOTONIC);
  pollfd ready{socket, POLLIN, 0};
  while (true) {
    if (auto text = take()) return {.text = std::move(text)};
    const auto spent_ms = static_cast<double>(clock_ns(CLOCK_MONOTONIC) - began_ns) / kNsPerMs;
    const auto left_ms = std::max(wait_seconds * kMsPerSecond - spent_ms, 0.0);
    if (::poll(&ready, 1, static_cast<int>(left_ms)) <= 0) return {};
    char piece[4096];
    const ssize_t got = ::recv(socket, piece, sizeof piece, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return {.gone = true};
    add({piece, static_cast<std::size_t>(got)});
  }
}

}  // namespace tidegauge::cli
