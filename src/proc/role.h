// SPDX-License-Identifier: Apache-2.0
// What each process of a tree is in the job, from its command line and its place in the tree.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/sample.h"

namespace tidegauge::proc {

struct Member {
  record::ProcessId id{};
  record::ProcessId parent{};  // the one that started it
  std::string name{};          // comm
  std::vector<std::string> arguments{};
  record::Bytes anon{};
  bool was_wrapper = false;  // when roles were last named; it has not run another program since
};

// A role for each member, in their order. A process that starts others and waits is a Wrapper; the
// ones doing the work are Main, which is several where a launcher has started several ranks; the
// one with the most memory where the command lines do not tell. A small wrapper stays one when what
// it has started has ended. A tree always has a Main, unless it is empty or all that is left are
// wrappers.
std::vector<record::Role> name_roles(std::span<const Member> members);

}  // namespace tidegauge::proc
