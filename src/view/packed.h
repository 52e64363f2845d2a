// SPDX-License-Identifier: Apache-2.0
// Many numbers in little text, for a page that unpacks them with what a browser has: columns of
// differences as varints, deflated, in base64 (docs/report-format.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tidegauge::view {

// Each number less the one before it, zigzag, seven bits a byte, the low ones first.
void append_column(std::string& out, std::span<const std::int64_t> numbers);

// Without header and checksum ("deflate-raw").
std::string deflated(std::string_view bytes);

std::string base64(std::string_view bytes);

}  // namespace tidegauge::view
