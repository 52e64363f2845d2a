// SPDX-License-Identifier: Apache-2.0
// Takes what is to be written off the watching's hands: a disk that is full, slow, or busy with the
// job's checkpoint must not delay the next look at the job. A thread of its own writes; meanwhile a
// bounded amount waits in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/disk_file.h"

namespace tidegauge::record {

// Compressed bytes that belong together: a flushed part of a frame.
struct Chunk {
  std::string bytes{};
  bool begins_frame = false;
  bool ends_frame = false;
  std::uint64_t entries = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

// What did not fit into memory while the disk could not be written to.
struct Loss {
  std::uint64_t entries = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

class DiskQueue {
 public:
  // Called on the queue's thread after every frame that was written to its end; may replace the
  // file. An error is reported like one of writing, but nothing is tried again.
  using AfterFrame = std::function<Result<>(DiskFile& file, const Chunk& end)>;

  DiskQueue(DiskFile file, AfterFrame after_frame);
  DiskQueue(const DiskQueue&) = delete;
  DiskQueue& operator=(const DiskQueue&) = delete;
  ~DiskQueue();

  void push(Chunk chunk);
  std::optional<Error> take_error();  // the first one of every time that writing fails
  std::optional<Loss> take_loss();    // once writing works again
  Result<> wait();                    // until all is written, or cannot be
  Result<> close();                   // the same, and ends the thread; leaves no empty file
  std::uint64_t size() const;         // of the file
  std::int64_t written_ns() const;    // up to when it is in the file

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::record
