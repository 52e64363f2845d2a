// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "view/accounts.h"

namespace tidegauge::view {

// What the profiles found, for the page: docs/report-format.md. Empty where there were none.
nlohmann::ordered_json sites_json(const Accounts& accounts);

}  // namespace tidegauge::view
