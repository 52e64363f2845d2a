// SPDX-License-Identifier: Apache-2.0
#include "cli/page_file.h"

#include "record/census_reader.h"
#include "record/file.h"
#include "record/ledger.h"
#include "view/page.h"

namespace tidegauge::cli {

bool has_page() {
  return !view::page_template().empty();
}

std::string page_of(const view::Report& report) {
  return view::page_with(view::page_template(), view::report_json(report));
}

std::string page_of(std::span<const view::Report> reports, std::span<const view::Side> sides,
                    const verdict::Comparison& found) {
  return view::page_with(view::page_template(), view::side_by_side_json(reports, sides, found));
}

Result<std::string> page_of_recording(const std::string& path, const view::Summary& summary,
                                      const verdict::Verdicts& verdicts) {
  view::Timeline timeline;
  record::LedgerKeeper ledgers;
  const auto end = record::read(
      path, [&](const record::Header& header) { timeline.begin(header); },
      [&](const record::Entry& entry) {
        ledgers.add(entry);
        timeline.add(entry, ledgers);
      });
  if (!end) return end.error();
  return page_of({summary.accounts(), timeline, verdicts, path, {}, census_beside(path)});
}

std::string census_path(const std::string& path) {
  return path + ".census.json";
}

std::optional<record::Census> census_beside(const std::string& path) {
  auto census = record::read_census(census_path(path));
  return census ? std::optional(*std::move(census)) : std::nullopt;
}

}  // namespace tidegauge::cli
