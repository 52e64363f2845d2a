// SPDX-License-Identifier: Apache-2.0
// Who holds what, as a line between two of our processes: "BYTES COUNT ROOT TYPE PATH".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "record/census.h"
#include "record/recording.h"

namespace tidegauge::cli {

std::string to_line(const record::Census::Holder& holder);  // with its end
std::optional<record::Census::Holder> parse_holder(std::string_view line);

// The same for the recording.
record::Event held(const record::Census::Holder& holder, const record::ProcessId& process,
                   std::int64_t at_ns);

}  // namespace tidegauge::cli
