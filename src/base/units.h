// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidegauge {

// "17.8 GiB", "171 MiB", "0 B": binary units, three significant digits, a no-break space before
// the unit. Negative values keep their sign.
std::string format_bytes(double bytes);

// "4.2 s", "42 s", "3 min 13 s", "2 h 5 min", "3 d 4 h": at most two units, no-break spaces inside
// each.
std::string format_duration(double seconds);

// "32GB", "1.5 GiB", "512m", "4096": decimal multiples for kB MB GB TB, binary ones for KiB MiB GiB
// TiB and for bare letters. Nothing if it is none of these.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

// "90", "90s", "10m", "1h30m", "2d", "250ms": seconds. Nothing if it is none of these.
std::optional<double> parse_duration(std::string_view text);

}  // namespace tidegauge
