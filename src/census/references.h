// SPDX-License-Identifier: Apache-2.0
// What an object points to: exactly for the containers and instances that make up most of a heap,
// word by word for every other type.
#pragma once

#include <functional>

#include "census/objects.h"

namespace tidegauge::census {

struct Reference {
  enum class Kind : std::uint8_t {
    Item,       // detail: index
    Entry,      // detail: where the key is
    Key,        // of a dict
    Element,    // of a set
    Attribute,  // detail: where the name is
    Dict,       // an instance's or a module's __dict__
    Field,      // detail: offset in the object
  };
  Address target = 0;
  Kind kind = Kind::Field;
  std::uint64_t detail = 0;

  // Known to be an object pointer, or only a word that may be one.
  bool certain() const { return kind != Kind::Field; }
};

using ReferenceCall = std::function<void(const Reference&)>;

// Weak references are left out: they hold nothing.
void for_each_reference(const ObjectView& object, const Memory& memory, const Layout& layout,
                        const ReferenceCall& call);

}  // namespace tidegauge::census
