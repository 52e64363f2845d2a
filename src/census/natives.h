// SPDX-License-Identifier: Apache-2.0
// What Python objects hold outside Python's heap: pixels, arrays, tensors.
#pragma once

#include <set>
#include <string>

#include "census/objects.h"

namespace tidegauge::census {

struct Native {
  enum class Kind { Tensor, Array, Image };
  Kind kind = Kind::Array;
  std::string device{};               // of tensors: "cpu", "cuda:0"
  std::string dtype{};                // of tensors and arrays; the mode of an image
  std::vector<std::int64_t> shape{};  // of an image: width, height
  std::uint64_t bytes = 0;            // 0: another object has them already
  Address behind = 0;                 // the library's structure that was read
  // Of tensors.
  bool requires_grad = false;
  bool has_grad_fn = false;  // a graph for the backward pass hangs on it
  std::uint16_t back = 0;    // there: where its pointer to the Python object is
  bool wide = false;         // its reference counts are a word each
};

// Offsets in these libraries change between their versions, so each object must prove that it is
// read rightly; one that does not is left out.
class NativeReader {
 public:
  // Empty: nothing native, or nothing that could be read.
  std::optional<Native> read(const ObjectView& object, const Memory& memory);
  // A tensor for which no Python object stands; `back` is where its pointer to one would be.
  std::optional<Native> tensor_at(Address impl, Address back, const Memory& memory);
  // The bytes of a buffer, by where it is, for whoever comes first; then 0.
  std::uint64_t claim(Address storage, std::uint64_t bytes);

 private:
  std::optional<Native> array(const ObjectView& object, const Memory& memory);
  std::optional<Native> image(const ObjectView& object, const Memory& memory);
  std::optional<Native> tensor(const ObjectView& object, const Memory& memory);

  std::set<Address> seen_{};  // buffers that several objects share are counted once
};

}  // namespace tidegauge::census
