// SPDX-License-Identifier: Apache-2.0
// Words for the enumerations of a recording, the same in every format, and back again.
#pragma once

#include <optional>
#include <string_view>

#include "record/recording.h"

namespace tidegauge::record {

const char* id_of(Role role);          // "main", "wrapper", "compile_worker"…
const char* id_of(EventKind kind);     // "started", "step", "phase_begin"…
const char* id_of(MarkSource source);  // "kernel", "explicit", "framework"…

std::optional<Role> role_of(std::string_view id);
std::optional<EventKind> event_kind_of(std::string_view id);
std::optional<MarkSource> mark_source_of(std::string_view id);

}  // namespace tidegauge::record
