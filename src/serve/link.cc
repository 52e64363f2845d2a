// SPDX-License-Identifier: Apache-2.0
#include "serve/link.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/beside.h"
#include "base/text.h"

namespace tidegauge::serve {

namespace {

constexpr std::size_t kLongestHead = 256;
constexpr std::size_t kLongestText = 64 << 20;  // a page of 64 processes is a hundredth of it

}  // namespace

std::string encoded(const Message& message) {
  return fmt::format("{} {} {}\n{}", message.kind, message.name, message.text.size(), message.text);
}

std::optional<Message> MessageReader::take() {
  const auto end = heard_.find('\n');
  if (broken_ || (end == std::string::npos && heard_.size() <= kLongestHead)) return {};
  std::string_view head = std::string_view(heard_).substr(0, end);
  Message message{.kind = std::string(next_word(head)), .name = std::string(next_word(head))};
  const auto length = to_number<std::size_t>(next_word(head));
  if (end > kLongestHead || message.name.empty() || !length || *length > kLongestText ||
      !trimmed(head).empty()) {
    broken_ = true;
    heard_.clear();
    return {};
  }
  if (heard_.size() - end - 1 < *length) return {};
  message.text = heard_.substr(end + 1, *length);
  heard_.erase(0, end + 1 + *length);
  return message;
}

std::optional<Link::Pair> Link::make() {
  auto line = make_line(LineKind::Stream);
  if (!line) return {};
  return Pair{Link(std::move(line->ours)), Link(std::move(line->theirs))};
}

void Link::send(const Message& message) {
  const auto same = std::find_if(unsent_.begin(), unsent_.end(), [&](const Waiting& one) {
    return one.bytes.empty() && one.message.kind == message.kind &&
           one.message.name == message.name;
  });
  if (same != unsent_.end()) {
    same->message.text = message.text;
  } else {
    unsent_.push_back({message});
  }
  flush();
}

void Link::flush() {
  while (!unsent_.empty() && !over_) {
    auto& first = unsent_.front();
    if (first.bytes.empty()) first.bytes = encoded(first.message);
    const ssize_t sent =
        ::send(line_.get(), first.bytes.data(), first.bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent < 0) {
      over_ = true;
      return;
    }
    first.bytes.erase(0, static_cast<std::size_t>(sent));
    if (first.bytes.empty()) unsent_.pop_front();
  }
}

void Link::read_some(int flags) {
  char piece[64 << 10];
  const ssize_t got = ::recv(line_.get(), piece, sizeof piece, flags);
  if (got > 0) reader_.add({piece, static_cast<std::size_t>(got)});
  const bool later = got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
  if (got <= 0 && !later) over_ = true;
}

std::optional<Message> Link::take() {
  if (auto message = reader_.take()) return message;
  if (!over_) read_some(MSG_DONTWAIT);
  if (reader_.broken()) over_ = true;
  return reader_.take();
}

void Link::wait_for_more() {
  pollfd ready{line_.get(), POLLIN, 0};
  ::poll(&ready, 1, -1);
}

}  // namespace tidegauge::serve
