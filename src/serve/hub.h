// SPDX-License-Identifier: Apache-2.0
// The latest of everything that can be shown, for the threads that answer. Each stream gets what is
// newest when it is ready for more: nobody who reads slowly makes anything pile up.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tidegauge::serve {

class Hub {
 public:
  struct News {
    std::uint64_t number = 0;  // counts on over all channels
    std::string text{};
  };

  // `wanted` is told the channels that somebody follows, whenever they change.
  Hub(std::size_t most_streams, std::function<void(const std::vector<std::string>&)> wanted)
      : most_streams_(most_streams), wanted_(std::move(wanted)) {}

  void publish(const std::string& channel, std::string text);
  std::string latest(const std::string& channel) const;  // empty: nothing yet

  // False: there are too many. Every one that was begun is ended.
  bool begin_stream(const std::string& channel);
  void end_stream(const std::string& channel);
  // What is newer than `after`; nothing if that takes too long.
  std::optional<News> wait(const std::string& channel, std::uint64_t after,
                           std::chrono::milliseconds longest) const;

 private:
  void tell_wanted();

  const std::size_t most_streams_;
  const std::function<void(const std::vector<std::string>&)> wanted_;
  mutable std::mutex mutex_{};
  mutable std::condition_variable changed_{};
  std::uint64_t number_ = 0;
  std::map<std::string, News> latest_{};
  std::map<std::string, std::size_t> streams_{};
};

}  // namespace tidegauge::serve
