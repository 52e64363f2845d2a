// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "serve/link.h"

// Whatever comes, in whatever pieces: the same messages, and what is a message is written as it was
// read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tidegauge::serve::Message;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tidegauge::serve::MessageReader whole;
  whole.add(text);
  std::vector<Message> once;
  while (auto message = whole.take()) once.push_back(*std::move(message));

  tidegauge::serve::MessageReader letters;
  std::vector<Message> piecewise;
  for (const char letter : text) {
    letters.add({&letter, 1});
    while (auto message = letters.take()) piecewise.push_back(*std::move(message));
  }
  if (once != piecewise || whole.broken() != letters.broken()) std::abort();
  for (const auto& message : once) {
    tidegauge::serve::MessageReader again;
    again.add(tidegauge::serve::encoded(message));
    if (again.take() != message) std::abort();
  }
  return 0;
}
