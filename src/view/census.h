// SPDX-License-Identifier: Apache-2.0
// A census in words and as a document, "tidegauge/census/1": docs/census-format.md.
#pragma once

#include <optional>
#include <string>

#include "record/census.h"
#include "record/census_growth.h"

namespace tidegauge::view {

// What has changed since an earlier census of the same process.
struct Since {
  std::string source{};  // where that one is
  record::CensusGrowth growth{};
};

// With a newline at its end.
std::string census_document(const record::Census& census, const std::optional<Since>& since = {});

struct CensusTextOptions {
  std::size_t lines = 15;  // of each table
  bool tensors = false;    // every device, dtype and shape
  std::size_t columns = 100;
};
std::string census_text(const record::Census& census, const CensusTextOptions& options);
std::string growth_text(const Since& since, const CensusTextOptions& options);

}  // namespace tidegauge::view
