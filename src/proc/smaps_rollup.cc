// SPDX-License-Identifier: Apache-2.0
#include "proc/smaps_rollup.h"

#include "base/text.h"
#include "proc/kilobytes.h"

namespace tidegauge::proc {

namespace {

struct Field {
  std::string_view name;
  record::Bytes Rollup::*member;
};
constexpr Field kFields[] = {
    {"Rss:", &Rollup::rss},
    {"Pss:", &Rollup::pss},
    {"Pss_Anon:", &Rollup::pss_anon},
    {"Pss_File:", &Rollup::pss_file},
    {"Pss_Shmem:", &Rollup::pss_shmem},
};

}  // namespace

Result<Rollup> parse_smaps_rollup(std::string_view text) {
  Rollup rollup;
  record::Bytes clean, dirty;
  next_line(text);  // the range of addresses
  while (!text.empty()) {
    auto line = next_line(text);
    const auto name = next_word(line);
    for (const auto& field : kFields) {
      if (field.name == name) rollup.*field.member = kilobytes(line);
    }
    if (name == "Private_Clean:") clean = kilobytes(line);
    if (name == "Private_Dirty:") dirty = kilobytes(line);
  }
  if (!rollup.rss || !rollup.pss) return Error{Reason::Malformed, "smaps_rollup: no Rss or no Pss"};
  if (clean && dirty && *clean <= *rollup.rss && *dirty <= *rollup.rss - *clean) {
    rollup.uss = *clean + *dirty;
  }
  return rollup;
}

}  // namespace tidegauge::proc
