// SPDX-License-Identifier: Apache-2.0
// Where a search for whoever holds an object ends: modules, and what functions that run have in
// their local variables.
#pragma once

#include <string>

#include "census/locate.h"
#include "census/types.h"

namespace tidegauge::census {

struct Root {
  enum class Kind { Module, Frame, Thread, Type, Native };
  Address object = 0;
  Kind kind = Kind::Module;
  std::string name{};         // "train", "train.main() local 'ds'"
  bool is_namespace = false;  // a module's dict: its entries are the module's attributes
};

std::vector<Root> find_roots(const Memory& memory, const Interpreter& python, TypeTable& types);

const char* name_of(Root::Kind kind);

}  // namespace tidegauge::census
