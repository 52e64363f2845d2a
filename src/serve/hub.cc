// SPDX-License-Identifier: Apache-2.0
#include "serve/hub.h"

#include <utility>

namespace tidegauge::serve {

void Hub::publish(const std::string& channel, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    latest_[channel] = {++number_, std::move(text)};
  }
  changed_.notify_all();
}

std::string Hub::latest(const std::string& channel) const {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(channel);
  return found == latest_.end() ? std::string() : found->second.text;
}

// Under the lock, so that the last word is the last change's.
void Hub::tell_wanted() {
  std::vector<std::string> channels;
  for (const auto& [channel, count] : streams_) channels.push_back(channel);
  wanted_(channels);
}

bool Hub::begin_stream(const std::string& channel) {
  const std::lock_guard lock(mutex_);
  std::size_t all = 0;
  for (const auto& [name, count] : streams_) all += count;
  if (all >= most_streams_) return false;
  if (streams_[channel]++ == 0) tell_wanted();
  return true;
}

void Hub::end_stream(const std::string& channel) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(channel);
  if (found == streams_.end() || --found->second > 0) return;
  streams_.erase(found);
  latest_.erase(channel);  // whoever comes next wants to know how it is then
  tell_wanted();
}

std::optional<Hub::News> Hub::wait(const std::string& channel, std::uint64_t after,
                                   std::chrono::milliseconds longest) const {
  std::unique_lock lock(mutex_);
  const auto is_newer = [&] {
    const auto found = latest_.find(channel);
    return found != latest_.end() && found->second.number > after;
  };
  if (!changed_.wait_for(lock, longest, is_newer)) return {};
  return latest_.at(channel);
}

}  // namespace tidegauge::serve
