// SPDX-License-Identifier: Apache-2.0
// Keeps a recording within its bounds of size and age while it is being written: from time to time
// the older part is thinned into a new file that then takes the old one's place.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "record/disk_file.h"
#include "record/file.h"
#include "record/thinner.h"

namespace tidegauge::record {

class BoundsKeeper {
 public:
  explicit BoundsKeeper(const Bounds& bounds) : bounds_(bounds) {}

  // A frame that ends at `now_ns` has just been written to its end. Rewrites the file if it is over
  // its bounds. An error leaves it as it is; what is recorded goes on into it. Said once for as
  // long as it lasts.
  Result<> after_frame(DiskFile& file, std::int64_t now_ns);

 private:
  struct Frame {
    std::uint64_t end = 0;  // offset in the file
    std::int64_t last_ns = 0;
  };
  struct Rewritten {
    DiskFile file;
    std::vector<Frame> frames;
  };

  bool over_bounds(std::uint64_t size, std::int64_t now_ns) const;
  Result<> shrink(DiskFile& file, std::int64_t now_ns);
  Result<Rewritten> rewrite(const DiskFile& file, std::size_t first_kept,
                            std::size_t first_untouched, const ThinRules& rules) const;
  Result<std::vector<Frame>> thin(const DiskFile& file, std::size_t first_kept,
                                  std::size_t first_untouched, const ThinRules& rules,
                                  DiskFile& into) const;
  std::uint64_t begin_of(std::size_t frame) const;

  Bounds bounds_;
  std::vector<Frame> frames_{};
  std::uint64_t try_from_bytes_ = 0;  // after a failure: not before the file has grown to this
  bool told_ = false;                 // of a failure that lasts
};

}  // namespace tidegauge::record
