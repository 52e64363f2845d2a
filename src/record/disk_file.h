// SPDX-License-Identifier: Apache-2.0
// The file behind a recording: ours alone, whole after every failure, there again after it was
// deleted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace tidegauge::record {

// What DiskFile::create would refuse for good, said before a job is started; leaves no file behind.
// NoRoom: it is good, but there is no room for it now.
Result<> may_record_to(const std::string& path);

class DiskFile {
 public:
  // Makes and locks the file. A recording that is there already, or anything called *.tg, is kept
  // as PATH.old; any other file is left alone, and so is one that another tidegauge records to.
  // Where there is not even room for an empty one, the first append() that finds some makes it.
  static Result<DiskFile> create(const std::string& path);

  // All of `bytes` or nothing.
  Result<> append(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  int fd() const { return fd_.get(); }  // -1: not made yet
  const std::string& path() const { return path_; }
  bool is_regular() const { return regular_; }

  // Where nothing was ever written: an empty file is of use to nobody.
  void remove_if_empty();

  // A file beside it, empty and locked, to be filled and then put into its place.
  Result<DiskFile> make_successor() const;
  Result<> replace_by(DiskFile successor);

 private:
  DiskFile(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  Result<> make();
  Result<> bring_back_if_deleted();

  std::string path_;
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  bool regular_ = true;  // else a device such as /dev/null, which keeps nothing
};

// Appends bytes [begin, end) of one file to another.
Result<> copy_bytes(int from, std::uint64_t begin, std::uint64_t end, DiskFile& to);

}  // namespace tidegauge::record
