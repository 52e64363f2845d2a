// SPDX-License-Identifier: Apache-2.0
#include "view/packed.h"

#include <zlib.h>

namespace tidegauge::view {

namespace {

constexpr int kRawDeflate = -15;  // a window of 32 KiB, no header
constexpr int kMemoryLevel = 8;

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

}  // namespace

void append_column(std::string& out, std::span<const std::int64_t> numbers) {
  std::uint64_t before = 0;
  for (const auto number : numbers) {
    // Unsigned, so that nothing overflows however far apart two numbers are.
    const auto now = static_cast<std::uint64_t>(number);
    const auto difference = now - before;
    const std::uint64_t sign = (difference >> 63) != 0 ? ~std::uint64_t{0} : 0;
    append_varint(out, (difference << 1) ^ sign);
    before = now;
  }
}

std::string deflated(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRawDeflate, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  std::string in(bytes);  // zlib's input is not const
  std::string out(deflateBound(&stream, static_cast<uLong>(in.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(done ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kDigits[three >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

}  // namespace tidegauge::view
