// SPDX-License-Identifier: Apache-2.0
// Tells people what the guard does, each in a process of its own that lives for seconds: whoever
// does not answer holds up nobody.
#pragma once

#include <string>

#include "cli/guard_options.h"

namespace tidegauge::cli {

class Notifier {
 public:
  // `job`: its command, without what should not be seen.
  Notifier(const GuardOptions& options, std::string job);

  void tell(const std::string& words) const;

 private:
  std::string command_;
  std::string webhook_;
  bool desktop_;
  std::string job_;
};

// What a webhook gets: schema, time, host, job, news.
std::string webhook_body(const std::string& job, const std::string& words,
                         std::int64_t unix_seconds);

}  // namespace tidegauge::cli
