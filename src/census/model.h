// SPDX-License-Identifier: Apache-2.0
// A Python that a person has named, run with objects of known content in it, so that how its build
// lays out its objects can be read off there. It is never a program of a process that is looked at.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "census/memory.h"

namespace tidegauge::census {

// What it says of its objects: addresses and numbers, by name.
using ModelFacts = std::map<std::string, Address>;

class Model {
 public:
  // Runs `program` as whoever called us (through sudo, or as nobody, where that is root), with no
  // capabilities and no way to get any, in a session of its own without a terminal, in "/", with an
  // empty environment but for LD_LIBRARY_PATH, and with limits on what it may take. Gone, Denied:
  // it cannot be started. Unsupported: it is no Python that answers in time.
  static Result<Model> start(const std::string& program);
  Model(Model&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        to_(std::move(other.to_)),
        from_(std::move(other.from_)),
        facts_(std::move(other.facts_)) {}
  Model& operator=(Model&&) = delete;
  ~Model();  // it ends

  pid_t pid() const { return pid_; }
  const ModelFacts& facts() const { return facts_; }
  // Goes on until it is in the middle of a collection. False: it did not get there.
  bool go_on_to_a_collection();

 private:
  Model(pid_t pid, UniqueFd to, UniqueFd from)
      : pid_(pid), to_(std::move(to)), from_(std::move(from)) {}
  bool hear_until(std::string_view last, std::string& said);

  pid_t pid_;
  UniqueFd to_, from_;
  ModelFacts facts_{};
};

// "NAME NUMBER" in lines; all others are left out.
ModelFacts parse_facts(std::string_view lines);

}  // namespace tidegauge::census
