// SPDX-License-Identifier: Apache-2.0
// How the process that watches and the one that serves talk: messages over a pair of sockets. The
// one that strangers can reach is not the one that may read other processes' memory.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace tidegauge::serve {

struct Message {
  std::string kind{};  // a word
  std::string name{};  // a word
  std::string text{};

  bool operator==(const Message&) const = default;
};

// "KIND NAME LENGTH\n", then LENGTH bytes.
std::string encoded(const Message& message);

// Takes messages out of what has come so far.
class MessageReader {
 public:
  void add(std::string_view bytes) { heard_ += bytes; }
  std::optional<Message> take();
  bool broken() const {
    return broken_;
  }  // what came was no message, and nothing more will be read

 private:
  std::string heard_{};
  bool broken_ = false;
};

// One end of it. Nothing waits but wait_for_more().
class Link {
 public:
  struct Pair;
  static std::optional<Pair> make();

  explicit Link(UniqueFd line) : line_(std::move(line)) {}
  int fd() const { return line_.get(); }
  bool over() const { return over_; }  // the other end is gone
  bool busy() const { return !unsent_.empty(); }

  // Sends what can be sent at once, and the rest later. A message of the same kind and name that
  // was not begun yet is replaced: the latest counts.
  void send(const Message& message);
  void flush();
  // What has come; reads what there is.
  std::optional<Message> take();
  // Blocks until something comes, or the other end is gone.
  void wait_for_more();

 private:
  struct Waiting {
    Message message{};
    std::string bytes{};  // once it was begun
  };
  void read_some(int flags);

  UniqueFd line_;
  MessageReader reader_{};
  std::deque<Waiting> unsent_{};
  bool over_ = false;
};

struct Link::Pair {
  Link ours;
  Link theirs;
};

}  // namespace tidegauge::serve
