// SPDX-License-Identifier: Apache-2.0
// Two runs or more of a job beside each other, before and after a change for example: in words
// that page, terminal and Markdown share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdict/compare.h"
#include "verdict/verdict.h"
#include "view/pace.h"
#include "view/report_json.h"

namespace tidegauge::view {

struct Side {
  std::string name{};                         // as it is called here: short, and its own
  const verdict::Verdict* verdict = nullptr;  // of the tree; none where nothing was seen
  std::optional<Pace::Quartiles> seconds_a_step{};
  std::string seen{};    // "7 min, up to step 139"
  std::string killed{};  // that the kernel did so, where it did
};

struct SideBySide {
  struct Row {
    std::string id{};  // "verdict", "stays", "peak", "rate", "ended", "step", "cause", "seen"
    std::string label{};
    std::vector<std::string> values{};  // one of each side; empty: not known
    std::string change{};               // from the first to the second, where there are two
  };
  std::string headline{};
  std::string lead{};
  std::vector<Row> rows{};
};

// `found` is about the same runs in the same order, under the same names.
SideBySide side_by_side(std::span<const Side> sides, const verdict::Comparison& found);

Side side_of(const Report& report, std::string name);

// Names for files: the last part of each path without its ending, or all of it where two are alike.
std::vector<std::string> short_names(std::span<const std::string> paths);

// What the page shows, "tidegauge/side-by-side/1": docs/report-format.md. On one line.
std::string side_by_side_json(std::span<const Report> reports, std::span<const Side> sides,
                              const verdict::Comparison& found);

// For a terminal, at most `columns` wide.
std::string side_by_side_text(std::span<const Side> sides, const verdict::Comparison& found,
                              std::size_t columns);

// For an issue. `picture`: the name of a picture of their courses that lies beside it; may be
// empty.
std::string side_by_side_markdown(std::span<const Side> sides, const verdict::Comparison& found,
                                  const std::string& picture);

}  // namespace tidegauge::view
