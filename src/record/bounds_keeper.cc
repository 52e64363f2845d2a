// SPDX-License-Identifier: Apache-2.0
#include "record/bounds_keeper.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "record/frame_writer.h"
#include "record/line_writer.h"
#include "record/read_entries.h"

namespace tidegauge::record {

namespace {

// The newest quarter of the bytes stays as it is. The rest comes to about a third of its size with
// the first rules, so that a recording grows by more than a third before it is rewritten again.
constexpr double kUntouched = 0.25;
constexpr double kSmallEnough = 0.65;
constexpr std::size_t kBuckets[] = {32, 128, 512};
// A process keeps two samples in a bucket. Thousands of processes are large samples, so fewer.
constexpr std::size_t kBigProcesses = 3;
constexpr double kAgeSlack = 1.1;
constexpr double kGrowBeforeNextTry = 1.2;
constexpr std::size_t kFrameText = 256 << 10;
constexpr double kNsPerSecond = 1e9;

// Writes entries into a file as frames.
class FrameStream {
 public:
  FrameStream(DiskFile& file, const Header& header) : file_(file), lines_(header) {}

  Result<> add(const Entry& entry) {
    if (text_ == 0) lines_.begin_frame(number_++);
    lines_.add(entry);
    text_ += lines_.text().size();
    frames_.add(lines_.text());
    lines_.clear();
    last_ns_ = at_of(entry);
    return text_ < kFrameText ? Result<>(Ok{}) : end_frame();
  }
  Result<> end_frame() {
    if (text_ == 0) return Ok{};
    text_ = 0;
    frames_.end();
    auto done = file_.append(frames_.take());
    ends_.emplace_back(file_.size(), last_ns_);
    return done;
  }
  const std::vector<std::pair<std::uint64_t, std::int64_t>>& ends() const { return ends_; }

 private:
  DiskFile& file_;
  LineWriter lines_;
  FrameWriter frames_{};
  std::size_t text_ = 0;  // in this frame
  std::uint64_t number_ = 0;
  std::int64_t last_ns_ = 0;
  std::vector<std::pair<std::uint64_t, std::int64_t>> ends_{};
};

}  // namespace

bool BoundsKeeper::over_bounds(std::uint64_t size, std::int64_t now_ns) const {
  if (size < try_from_bytes_) return false;
  if (size > bounds_.max_bytes) return true;
  const double age_ns = static_cast<double>(now_ns) - static_cast<double>(frames_.front().last_ns);
  return age_ns > bounds_.max_age_seconds * kNsPerSecond * kAgeSlack;
}

Result<> BoundsKeeper::after_frame(DiskFile& file, std::int64_t now_ns) {
  if (!file.is_regular()) return Ok{};
  frames_.push_back({file.size(), now_ns});
  if (!over_bounds(file.size(), now_ns)) return Ok{};
  auto done = shrink(file, now_ns);
  try_from_bytes_ = 0;
  const bool told = std::exchange(told_, !done);
  if (done) return done;
  try_from_bytes_ =
      static_cast<std::uint64_t>(static_cast<double>(file.size()) * kGrowBeforeNextTry);
  if (told) return Ok{};
  // Never NoRoom, which would say that nothing is recorded for now.
  return Error{Reason::Failed,
               "the recording grows beyond its bound, because it could not be rewritten: " +
                   done.error().what};
}

std::uint64_t BoundsKeeper::begin_of(std::size_t frame) const {
  return frame == 0 ? 0 : frames_[frame - 1].end;
}

Result<> BoundsKeeper::shrink(DiskFile& file, std::int64_t now_ns) {
  const auto max_bytes = static_cast<double>(bounds_.max_bytes);
  const double oldest_ns = static_cast<double>(now_ns) - bounds_.max_age_seconds * kNsPerSecond;
  std::size_t first_kept = 0;  // the one that is being looked at is never too old
  while (static_cast<double>(frames_[first_kept].last_ns) < oldest_ns) ++first_kept;
  const auto kept_bytes = static_cast<double>(file.size() - begin_of(first_kept));
  const bool small = kept_bytes <= kSmallEnough * max_bytes;
  std::size_t first_untouched = first_kept;
  while (!small &&
         static_cast<double>(file.size() - begin_of(first_untouched)) > kUntouched * max_bytes) {
    ++first_untouched;
  }
  for (const auto bucket : kBuckets) {
    const ThinRules rules{.samples = bucket, .big_processes = kBigProcesses};
    auto rewritten = rewrite(file, first_kept, first_untouched, rules);
    if (!rewritten) return rewritten.error();
    const bool last = bucket == std::end(kBuckets)[-1];
    if (!last && static_cast<double>(rewritten->file.size()) > kSmallEnough * max_bytes) {
      ::unlink(rewritten->file.path().c_str());
      continue;
    }
    if (auto done = file.replace_by(std::move(rewritten->file)); !done) return done;
    frames_ = std::move(rewritten->frames);
    break;
  }
  return Ok{};
}

// Thins the frames [first_kept, first_untouched) of `file` into `into`.
Result<std::vector<BoundsKeeper::Frame>> BoundsKeeper::thin(const DiskFile& file,
                                                            std::size_t first_kept,
                                                            std::size_t first_untouched,
                                                            const ThinRules& rules,
                                                            DiskFile& into) const {
  std::optional<FrameStream> stream;
  Thinner thinner(rules);
  Result<> written = Ok{};
  const auto write = [&](const std::vector<Entry>& entries) {
    for (const auto& entry : entries) {
      if (written) written = stream->add(entry);
    }
  };
  auto frames = FrameReader::over(file.fd(), begin_of(first_kept), begin_of(first_untouched));
  const auto read = read_entries(
      frames, ReadBudget::unlimited(), [&](const Header& header) { stream.emplace(into, header); },
      [&](const Entry& entry) {
        if (written) write(thinner.add(entry));
      });
  if (!read) return read.error();
  write(thinner.finish());
  if (written) written = stream->end_frame();
  if (!written) return written.error();
  std::vector<Frame> out;
  for (const auto& [end, last_ns] : stream->ends()) out.push_back({end, last_ns});
  return out;
}

Result<BoundsKeeper::Rewritten> BoundsKeeper::rewrite(const DiskFile& file, std::size_t first_kept,
                                                      std::size_t first_untouched,
                                                      const ThinRules& rules) const {
  auto made = file.make_successor();
  if (!made) return made.error();
  Rewritten out{*std::move(made), {}};
  const auto fail = [&](const Error& error) {
    ::unlink(out.file.path().c_str());
    return error;
  };
  if (first_kept < first_untouched) {
    auto thinned = thin(file, first_kept, first_untouched, rules, out.file);
    if (!thinned) return fail(thinned.error());
    out.frames = *std::move(thinned);
  }
  const auto split = begin_of(first_untouched);
  const auto moved = out.file.size();
  if (const auto copied = copy_bytes(file.fd(), split, file.size(), out.file); !copied) {
    return fail(copied.error());
  }
  for (std::size_t i = first_untouched; i < frames_.size(); ++i) {
    out.frames.push_back({frames_[i].end - split + moved, frames_[i].last_ns});
  }
  return out;
}

}  // namespace tidegauge::record
