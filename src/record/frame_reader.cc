// SPDX-License-Identifier: Apache-2.0
#include "record/frame_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "record/line_reader.h"

namespace tidegauge::record {

namespace {

constexpr std::size_t kChunk = 128 << 10;
// Frames of ours are far smaller, so they are checked before a line of them is believed. Larger
// ones, as a user's own zstd makes of a whole file, are passed on as they come.
constexpr std::size_t kHeld = 4 << 20;
// What it takes to look whether a frame begins somewhere, in bytes that are read.
constexpr std::uint64_t kBeginCosts = 2048;
constexpr int kWindowLogMax = 25;  // 32 MiB: a file must not be able to ask for more
constexpr std::uint64_t kToItsEnd = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view kMagic("\x28\xB5\x2F\xFD", 4);

}  // namespace

void FrameReader::FreeContext::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

FrameReader::FrameReader(UniqueFd fd, int borrowed, std::uint64_t begin, std::uint64_t end)
    : fd_(std::move(fd)),
      at_(fd_ ? fd_.get() : borrowed),
      begin_(begin),
      end_(end),
      context_(ZSTD_createDCtx()),
      offset_(begin) {
  ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLogMax);
  std::array<char, 4> first{};
  const auto got = read_at(begin, first.data(), first.size());
  compressed_ = got && std::string_view(first.data(), *got) == kMagic;
}

Result<FrameReader> FrameReader::open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return from_errno(errno, printable(path));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return from_errno(errno, printable(path));
  if (S_ISDIR(status.st_mode)) return from_errno(EISDIR, printable(path));
  return FrameReader(std::move(fd), -1, 0, kToItsEnd);
}

FrameReader FrameReader::over(int fd, std::uint64_t begin, std::uint64_t end) {
  return FrameReader(UniqueFd(), fd, begin, end);
}

std::uint64_t FrameReader::file_bytes() const {
  if (end_ != kToItsEnd) return end_ - begin_;
  struct stat status {};
  if (::fstat(at_, &status) != 0 || status.st_size < 0) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::size_t> FrameReader::read_at(std::uint64_t offset, char* into, std::size_t size) const {
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - std::min(end_, offset)));
  while (true) {
    const ssize_t got = ::pread(at_, into, size, static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return from_errno(errno, "reading the recording");
  }
}

// Reads on once all of the input is used.
Result<> FrameReader::fill() {
  if (used_ < input_.size() || at_end_) return Ok{};
  input_.resize(kChunk);
  used_ = 0;
  const auto got = read_at(offset_, input_.data(), input_.size());
  input_.resize(got ? *got : 0);
  if (!got) return got.error();
  offset_ += *got;
  at_end_ = *got == 0;
  return Ok{};
}

Result<FrameReader::Piece> FrameReader::next() {
  if (compressed_) return next_frame_text();
  if (const auto done = fill(); !done) return done.error();
  if (at_end_) return Piece::End;
  text_ += input_;
  worked_ += input_.size();
  used_ = input_.size();
  return Piece::Text;
}

Result<FrameReader::Piece> FrameReader::next_frame_text() {
  while (true) {
    if (const auto done = fill(); !done) return done.error();
    if (at_end_) return in_frame_ ? after_damage(true) : Result<Piece>(Piece::End);
    if (!in_frame_) {
      in_frame_ = true;
      frame_begin_ = offset_ - (input_.size() - used_);
    }
    const auto had = text_.size();
    text_.resize(had + kChunk);
    ZSTD_inBuffer in{input_.data(), input_.size(), used_};
    ZSTD_outBuffer out{text_.data() + had, kChunk, 0};
    const auto hint = ZSTD_decompressStream(context_.get(), &out, &in);
    text_.resize(had + out.pos);
    worked_ += out.pos + (in.pos - used_);
    used_ = in.pos;
    if (ZSTD_isError(hint) != 0) {
      return after_damage(ZSTD_getErrorCode(hint) != ZSTD_error_checksum_wrong);
    }
    if (hint == 0) {
      in_frame_ = false;
      return Piece::FrameEnd;
    }
    if (text_.size() > kHeld) return Piece::Text;
  }
}

// The frame cannot be read to its end. If there is another one behind it, the file goes on there
// and this one was damaged; otherwise the file was cut.
Result<FrameReader::Piece> FrameReader::after_damage(bool keep_text) {
  const auto found = find_frame(frame_begin_ + 1);
  if (!found) return found.error();
  if (!*found) {
    at_end_ = true;
    in_frame_ = false;
    used_ = input_.size();
    if (keep_text) return Piece::Torn;
  }
  text_.clear();
  return Piece::Broken;
}

// Goes to the next place at or after `from` where a frame of ours begins.
Result<bool> FrameReader::find_frame(std::uint64_t from) {
  std::string window;
  while (true) {
    window.resize(kChunk);
    const auto got = read_at(from, window.data(), window.size());
    if (!got) return got.error();
    window.resize(*got);
    worked_ += *got;
    for (auto at = window.find(kMagic); at != window.npos; at = window.find(kMagic, at + 1)) {
      if (!begins_frame(from + at)) continue;
      start_frame_at(from + at);
      return true;
    }
    if (*got < kMagic.size()) return false;
    from += *got - (kMagic.size() - 1);  // a magic may lie across two windows
  }
}

// Four bytes can come about by chance; a frame whose text begins like ours cannot.
bool FrameReader::begins_frame(std::uint64_t offset) {
  worked_ += kBeginCosts;
  start_frame_at(offset);
  std::string words(kFirstWord.size(), ' ');
  std::size_t have = 0;
  while (have < words.size()) {
    if (!fill() || at_end_) return false;
    ZSTD_inBuffer in{input_.data(), input_.size(), used_};
    ZSTD_outBuffer out{words.data(), words.size(), have};
    const auto hint = ZSTD_decompressStream(context_.get(), &out, &in);
    used_ = in.pos;
    have = out.pos;
    if (ZSTD_isError(hint) != 0 || (hint == 0 && have < words.size())) return false;
  }
  return words == kFirstWord;
}

void FrameReader::start_frame_at(std::uint64_t offset) {
  ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
  input_.clear();
  used_ = 0;
  offset_ = offset;
  at_end_ = false;
  in_frame_ = false;
}

}  // namespace tidegauge::record
