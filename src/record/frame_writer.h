// SPDX-License-Identifier: Apache-2.0
// Text as zstd frames that can each be read without the others.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;

namespace tidegauge::record {

class FrameWriter {
 public:
  FrameWriter();
  void add(std::string_view text);
  void flush();  // what was added can be read from the bytes so far
  void end();    // ends the frame; the next text begins another one

  // The bytes that are ready.
  std::string take();
  std::size_t ready() const { return bytes_.size(); }

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  void compress(std::string_view text, int directive);

  std::unique_ptr<ZSTD_CCtx_s, FreeContext> context_;
  std::string bytes_;
};

}  // namespace tidegauge::record
