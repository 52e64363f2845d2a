// SPDX-License-Identifier: Apache-2.0
#include "proc/statm.h"

#include "base/text.h"

namespace tidegauge::proc {

Result<Statm> parse_statm(std::string_view text) {
  const auto size = to_number<std::uint64_t>(next_word(text));
  const auto resident = to_number<std::uint64_t>(next_word(text));
  const auto shared = to_number<std::uint64_t>(next_word(text));
  if (!size || !resident || !shared) return Error{Reason::Malformed, "statm: not three numbers"};
  return Statm{*size, *resident, *shared};
}

}  // namespace tidegauge::proc
