// SPDX-License-Identifier: Apache-2.0
// The report as a page: one HTML file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "record/census.h"
#include "view/report_json.h"
#include "view/side_by_side.h"
#include "view/summary.h"

namespace tidegauge::cli {

// False where tidegauge was built without it.
bool has_page();

std::string page_of(const view::Report& report);
// Of several runs side by side.
std::string page_of(std::span<const view::Report> reports, std::span<const view::Side> sides,
                    const verdict::Comparison& found);

// The page of the recording at `path`, which `summary` and `verdicts` are about. Its course is read
// from the file, so that watching does not pay for it.
Result<std::string> page_of_recording(const std::string& path, const view::Summary& summary,
                                      const verdict::Verdicts& verdicts);

// The census that was kept beside the recording at `path`, where there is one.
std::optional<record::Census> census_beside(const std::string& path);
std::string census_path(const std::string& path);

}  // namespace tidegauge::cli
