// SPDX-License-Identifier: Apache-2.0
// A moment of a process, to be read at leisure.
#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "census/saved_pieces.h"

namespace tidegauge::census {

class Snapshot {
 public:
  enum class Mode { Fork, Stop };

  // A process of its own, which nobody knows, stops the target, makes the copy and lets it go: if
  // we are killed at any moment, that one cleans up. `collecting` are words that are not 0 while
  // the target's collector has its lists in disorder: then it is let go and stopped again a little
  // later.
  // Where no copy can be made the target itself stands still until it has been read, if it may.
  enum class IfNoCopy { HoldTarget, GiveUp };
  struct Wishes {
    std::vector<Address> collecting{};
    std::vector<Stretch> spared{};  // not wanted in the copy,
    std::vector<Stretch> saved{};   // but for these pieces of it
    IfNoCopy otherwise = IfNoCopy::HoldTarget;
  };
  // What is saved is put into `room`, if there is any: the caller's, which others may see, too.
  static Result<Snapshot> take(pid_t pid, const Wishes& wishes, std::span<std::byte> room = {});
  Snapshot(Snapshot&&) noexcept = default;
  ~Snapshot();  // the copy goes, or the target runs on

  pid_t readable_pid() const { return readable_pid_; }
  Mode mode() const { return mode_; }
  const SavedPieces& saved() const { return saved_; }
  double pause_ms() const;  // so far, in mode Stop

  // What the hand keeps a record of, seen by us as well.
  struct Made;

 private:
  struct Unmap {
    void operator()(Made* made) const;
  };
  using SharedMade = std::unique_ptr<Made, Unmap>;
  static Result<SharedMade> share();

  Snapshot() = default;
  static Result<Snapshot> take_once(pid_t pid, const Wishes& wishes, std::span<std::byte> room);

  pid_t target_ = 0;
  pid_t readable_pid_ = 0;
  pid_t hand_pid_ = 0;
  Mode mode_ = Mode::Fork;
  double pause_ms_ = 0;
  double stopped_at_ms_ = 0;
  UniqueFd hand_{};  // while it is open the copy lives
  SharedMade made_{};
  SavedPieces saved_{};
};

}  // namespace tidegauge::census
