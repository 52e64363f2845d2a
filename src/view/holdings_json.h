// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "record/census.h"
#include "view/accounts.h"
#include "view/holdings.h"

namespace tidegauge::view {

// What the censuses found, for the page: docs/report-format.md.
nlohmann::ordered_json holdings_json(const Holdings& holdings, const Accounts& accounts);

// A whole census, cut to what anybody reads.
nlohmann::ordered_json census_json(const record::Census& census);

}  // namespace tidegauge::view
