// SPDX-License-Identifier: Apache-2.0
// A group of version 2 hands a controller on only if it holds no processes itself. Where it holds
// nobody but us and what we started, as a scope that was made for us does, we can go into a group
// below it, and come back when we need it no more. One that holds others is not ours to change.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidegauge::guard {

// Of the group that we go into, behind the name of the job's.
inline constexpr std::string_view kGaugeSuffix = "-gauge";

class StepDown {
 public:
  // From `parent` into its new group `name`; nothing where that cannot be: then all is as before.
  // `proc`: where processes are to be seen.
  static std::optional<StepDown> take(const std::string& proc, const std::string& parent,
                                      const std::string& name, std::string_view controller);
  // We, and who descends from us; the group is removed when nobody is left in it. The groups beside
  // it have to be gone.
  void back() const;

 private:
  std::string proc_;
  std::string parent_;
  std::string below_;
  std::string controller_;
};

}  // namespace tidegauge::guard
