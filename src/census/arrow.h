// SPDX-License-Identifier: Apache-2.0
// What pyarrow's tables, arrays and buffers keep, which are C++'s.
#pragma once

#include <functional>
#include <set>

#include "census/natives.h"
#include "census/stretch_map.h"

namespace tidegauge::census {

// How Arrow lays out its objects has not changed for years, but nothing says that it will not. So
// each proves itself: it begins with a table of functions in a library where it has one, its
// bounds fit, and the lengths of what it consists of add up to its own.
class ArrowReader {
 public:
  // `is_object` says of an address whether there is a Python object.
  ArrowReader(const Memory& memory, const StretchMap& libraries, const StretchMap& unnamed,
              std::function<bool(Address)> is_object)
      : memory_(memory),
        libraries_(libraries),
        unnamed_(unnamed),
        is_object_(std::move(is_object)) {}

  // The bytes behind an object that nobody has claimed yet. Memory of files and of Python objects
  // (a numpy array that was wrapped) is theirs. Empty: it did not prove itself.
  std::optional<std::uint64_t> bytes_of(const ObjectView& object, NativeReader& natives) const;

  // Its rows or items, as far as can be told without a proof: of several that share memory the one
  // with most of them is what the others are slices of.
  std::int64_t presumed_length(const ObjectView& object) const;

 private:
  struct Buffer {
    Address data = 0;
    std::uint64_t size = 0;
    std::uint64_t capacity = 0;
  };
  struct Walk {
    // Where data begins that is in memory, and how much is kept for it.
    std::set<std::pair<Address, std::uint64_t>> pieces{};
    std::size_t left = 1 << 22;  // parts that may be looked at: what makes no sense has no end
  };

  bool add_buffer(Address buffer, Walk& walk) const;
  std::optional<std::uint64_t> add_data(Address data, Walk& walk, int depth) const;
  std::optional<std::uint64_t> add_array(Address array, Walk& walk) const;
  std::optional<std::uint64_t> add_chunks(Address chunks, Walk& walk) const;
  bool add_table(Address table, Walk& walk) const;
  bool add_batch(Address batch, Walk& walk) const;

  std::optional<Buffer> buffer_at(Address address) const;
  Address whole_of(Address buffer) const;
  bool is_lent_by_python(Address buffer) const;
  std::optional<std::vector<Address>> vector_at(Address place, Walk& walk) const;
  bool has_functions(Address address) const {
    return address != 0 && address % 8 == 0 &&
           libraries_.find(memory_.pointer(address)) != StretchMap::kNone;
  }

  const Memory& memory_;
  const StretchMap& libraries_;
  const StretchMap& unnamed_;
  std::function<bool(Address)> is_object_;
};

}  // namespace tidegauge::census
