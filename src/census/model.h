// SPDX-License-Identifier: Apache-2.0
// The target's own program, started once more beside it, with objects of known content in it: how a
// build of CPython that is not known here lays out its objects is read off there. Nothing enters
// the target.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "census/memory.h"

namespace tidegauge::census {

class Model {
 public:
  // What it says of its objects: addresses and numbers, by name.
  using Facts = std::map<std::string, Address>;

  // In the root and with the rights of that process, never with more. Nothing: its program is not
  // called python, may not be started from here, or does not answer in time.
  static std::optional<Model> start(pid_t like);
  Model(Model&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        to_(std::move(other.to_)),
        from_(std::move(other.from_)),
        facts_(std::move(other.facts_)) {}
  Model& operator=(Model&&) = delete;
  ~Model();  // it ends

  pid_t pid() const { return pid_; }
  const Facts& facts() const { return facts_; }
  // Goes on until it is in the middle of a collection. False: it did not get there.
  bool go_on_to_a_collection();

 private:
  Model(pid_t pid, UniqueFd to, UniqueFd from)
      : pid_(pid), to_(std::move(to)), from_(std::move(from)) {}
  std::optional<std::vector<std::string>> lines_until(std::string_view last);

  pid_t pid_;
  UniqueFd to_, from_;
  Facts facts_{};
};

}  // namespace tidegauge::census
