// SPDX-License-Identifier: Apache-2.0
// Tests only: what the page does with a packed series (web/src/data.ts).
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::view {

inline std::string from_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(kDigits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

inline std::string inflated(std::string bytes) {
  z_stream stream{};
  std::string out;
  if (inflateInit2(&stream, -15) != Z_OK) return out;
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  int said = Z_OK;
  while (said == Z_OK) {
    std::string part(1 << 16, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    said = inflate(&stream, Z_NO_FLUSH);
    out.append(part, 0, part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return said == Z_STREAM_END ? out : "damaged";
}

// Takes a column of `rows` numbers off the front of `bytes`.
inline std::vector<std::int64_t> take_column(std::string_view& bytes, std::size_t rows) {
  std::vector<std::int64_t> out;
  std::uint64_t before = 0;
  while (out.size() < rows && !bytes.empty()) {
    std::uint64_t value = 0;
    for (int shift = 0; !bytes.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    before += (value >> 1) ^ (~(value & 1) + 1);
    out.push_back(static_cast<std::int64_t>(before));
  }
  return out;
}

}  // namespace tidegauge::view
