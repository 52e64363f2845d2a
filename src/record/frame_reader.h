// SPDX-License-Identifier: Apache-2.0
// The text of a recording file, frame by frame, in bounded memory, past frames that are damaged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"

struct ZSTD_DCtx_s;

namespace tidegauge::record {

class FrameReader {
 public:
  enum class Piece {
    Text,      // more text of a frame that is too long to be held; its end is still to come
    FrameEnd,  // the text up to the end of a frame, whose checksum is right
    Torn,      // the text up to where the file ends in the middle of a frame
    Broken,    // a frame was damaged: its text is not given, and reading goes on behind it
    End,
  };

  // Gone, Denied, or Failed if it is a folder.
  static Result<FrameReader> open(const std::string& path);
  // Bytes [begin, end) of an open file. The descriptor stays its owner's.
  static FrameReader over(int fd, std::uint64_t begin, std::uint64_t end);

  // Appends to text(); the caller takes away from its front what it has used.
  Result<Piece> next();
  std::string& text() { return text_; }
  bool compressed() const { return compressed_; }
  // Bytes that were unpacked or searched so far, damaged frames included.
  std::uint64_t worked() const { return worked_; }
  // Of the file, from its begin: where the frame begins that was read last.
  std::uint64_t frame_begin() const { return frame_begin_; }
  std::uint64_t file_bytes() const;  // that it may read

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  FrameReader(UniqueFd fd, int borrowed, std::uint64_t begin, std::uint64_t end);
  Result<> fill();
  Result<std::size_t> read_at(std::uint64_t offset, char* into, std::size_t size) const;
  Result<Piece> next_frame_text();
  Result<Piece> after_damage(bool keep_text);
  Result<bool> find_frame(std::uint64_t from);
  bool begins_frame(std::uint64_t offset);
  void start_frame_at(std::uint64_t offset);

  UniqueFd fd_;
  int at_ = -1;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  bool compressed_ = false;
  std::unique_ptr<ZSTD_DCtx_s, FreeContext> context_;
  std::string input_;
  std::size_t used_ = 0;           // of input_
  std::uint64_t offset_ = 0;       // of the end of input_ in the file
  std::uint64_t frame_begin_ = 0;  // of the frame that is being read
  bool in_frame_ = false;
  bool at_end_ = false;
  std::uint64_t worked_ = 0;
  std::string text_;
};

}  // namespace tidegauge::record
