// SPDX-License-Identifier: Apache-2.0
// A file, recording or CSV, with its verdicts: what `judge` and `report` start from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "verdict/compare.h"
#include "verdict/verdict.h"
#include "view/summary.h"
#include "view/timeline.h"

namespace tidegauge::cli {

struct JudgeInput {
  std::string path;
  std::string markers{};               // path of a markers file; empty: none
  std::optional<double> unit_bytes{};  // of CSV columns that do not say theirs
  bool one_of_several = false;         // then it is outlined, to compare it with the others
};

struct Judged {
  verdict::Verdicts verdicts;
  view::Summary summary;
  view::Timeline timeline;
  std::vector<std::string> notes;  // what was odd about the file
  verdict::Outline outline{};      // where it was asked for
  std::string left_out{};          // one of the notes: what of the file was not read
};

// The first `bytes` of the recording that is open as `fd`, and only of a recording: of somebody
// else's numbers an error would quote a line. `name` is for the words.
Result<Judged> judge_open_recording(int fd, std::uint64_t bytes, const std::string& name,
                                    const verdict::Rules& rules);

Result<Judged> judge_file(const JudgeInput& input, const verdict::Rules& rules);

}  // namespace tidegauge::cli
