// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "record/bounds_keeper.h"
#include "record/disk_queue.h"
#include "record/file.h"
#include "record/frame_writer.h"
#include "record/line_writer.h"

namespace tidegauge::record {

namespace {

constexpr double kNsPerSecond = 1e9;
// A frame is what a damaged byte can cost, and repeats what is known at its beginning. So it is
// ended after a minute, or when there is much of it, but not before it is several times what it
// began with.
constexpr std::int64_t kFrameNs = 60'000'000'000;
constexpr std::size_t kFrameText = 256 << 10;
constexpr std::size_t kMostFrameText = 16 << 20;
// Marks may come by the thousand: they do not each cause a flush.
constexpr std::int64_t kEventFlushNs = 1'000'000'000;

// Nobody's clock runs that long, but a file of others may say anything.
std::int64_t elapsed(std::int64_t from_ns, std::int64_t to_ns) {
  std::int64_t out = 0;
  const bool overflow = __builtin_sub_overflow(to_ns, from_ns, &out);
  return overflow ? std::numeric_limits<std::int64_t>::max() : out;
}

}  // namespace

struct Writer::State {
  State(DiskFile file, const Header& its_header, const Bounds& its_bounds)
      : path(file.path()),
        interval_ns(static_cast<std::int64_t>(std::clamp(its_header.interval_seconds, 0.0, 1e9) *
                                              kNsPerSecond)),
        flush_ns(static_cast<std::int64_t>(std::clamp(its_bounds.flush_seconds, 0.0, 1e9) *
                                           kNsPerSecond)),
        lines(its_header),
        queue(std::move(file),
              [keeper = BoundsKeeper(its_bounds)](DiskFile& its_file, const Chunk& end) mutable {
                return keeper.after_frame(its_file, end.last_ns);
              }) {}

  void add(const Entry& entry);
  void begin_frame(std::int64_t now_ns);
  void push(bool ends_frame);
  bool frame_is_due(std::int64_t now_ns) const;
  bool flush_is_due(const Entry& entry) const;
  void say_what_was_lost();
  Result<> report();

  std::string path;
  std::int64_t interval_ns;
  std::int64_t flush_ns;
  LineWriter lines;
  FrameWriter frames{};
  Chunk chunk{};
  bool in_frame = false;
  bool closed = false;
  std::uint64_t frame_number = 0;
  std::size_t frame_text = 0;
  std::size_t frame_began_with = 0;
  std::int64_t frame_from_ns = 0;
  std::int64_t flushed_ns = 0;
  std::optional<std::int64_t> last_sample_ns{};
  std::optional<Error> untold{};  // there was no room for the first line
  DiskQueue queue;                // last, so that its thread ends before anything it uses
};

void Writer::State::begin_frame(std::int64_t now_ns) {
  lines.begin_frame(frame_number++);
  frame_began_with = lines.text().size();
  frame_text = 0;
  frame_from_ns = now_ns;
  in_frame = true;
  chunk.begins_frame = true;
}

void Writer::State::add(const Entry& entry) {
  const auto now_ns = at_of(entry);
  if (!in_frame) begin_frame(now_ns);
  lines.add(entry);
  frame_text += lines.text().size();
  frames.add(lines.text());
  lines.clear();
  if (chunk.entries++ == 0) chunk.first_ns = now_ns;
  chunk.last_ns = now_ns;
  if (std::holds_alternative<Sample>(entry)) {
    const auto gap = elapsed(last_sample_ns.value_or(now_ns), now_ns);
    interval_ns = gap > 0 ? gap : interval_ns;
    last_sample_ns = now_ns;
  }
  if (frame_is_due(now_ns)) {
    push(true);
  } else if (flush_is_due(entry)) {
    push(false);
  }
}

bool Writer::State::frame_is_due(std::int64_t now_ns) const {
  if (frame_text >= std::clamp(8 * frame_began_with, kFrameText, kMostFrameText)) return true;
  const auto since = elapsed(frame_from_ns, now_ns);
  const bool a_minute = since < 0 || since >= kFrameNs;
  return a_minute && frame_text >= 4 * frame_began_with;
}

// If we waited for the next entry, what is not on disk would be too old by then.
bool Writer::State::flush_is_due(const Entry& entry) const {
  if (std::holds_alternative<Process>(entry)) return false;  // its sample follows at once
  const auto since = elapsed(flushed_ns, at_of(entry));
  if (since < 0 || since >= flush_ns) return true;
  const bool would_be_late = since >= flush_ns - interval_ns;
  return would_be_late && (std::holds_alternative<Sample>(entry) || since >= kEventFlushNs);
}

void Writer::State::push(bool ends_frame) {
  frames.add(lines.text());
  lines.clear();
  if (ends_frame) {
    frames.end();
  } else {
    frames.flush();
  }
  in_frame = !ends_frame;
  chunk.ends_frame = ends_frame;
  chunk.bytes = frames.take();
  flushed_ns = chunk.last_ns;
  const auto last_ns = chunk.last_ns;
  queue.push(std::exchange(chunk, Chunk{.first_ns = last_ns, .last_ns = last_ns}));
}

void Writer::State::say_what_was_lost() {
  const auto loss = queue.take_loss();
  if (!loss) return;
  const auto ns = static_cast<double>(elapsed(loss->first_ns, loss->last_ns));
  add(Event{.at_ns = chunk.last_ns,
            .kind = EventKind::Gap,
            .name = fmt::format("{} entries could not be written and were lost", loss->entries),
            .value = ns / kNsPerSecond});
}

Result<> Writer::State::report() {
  if (untold) return *std::exchange(untold, {});
  if (auto error = queue.take_error()) return *std::move(error);
  return Ok{};
}

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() {
  if (state_) static_cast<void>(close());
}

Result<Writer> Writer::create(const std::string& path, const Header& header, const Bounds& bounds) {
  auto file = DiskFile::create(path);
  if (!file) return file.error();
  Writer writer(std::make_unique<State>(*std::move(file), header, bounds));
  // A recording from the first moment on, and a disk that is full is known at once.
  writer.state_->begin_frame(0);
  if (const auto done = writer.flush(); !done) {
    if (done.error().reason != Reason::NoRoom) return done.error();
    writer.state_->untold = done.error();
  }
  return writer;
}

Result<> Writer::append(const Entry& entry) {
  if (state_->closed) return Error{Reason::Failed, "the recording is closed"};
  state_->say_what_was_lost();
  state_->add(entry);
  return state_->report();
}

Result<> Writer::flush() {
  if (state_->in_frame) state_->push(false);
  return state_->queue.wait();
}

Result<> Writer::drain() {
  return state_->queue.wait();
}

Result<> Writer::close() {
  if (std::exchange(state_->closed, true)) return Ok{};
  if (state_->in_frame) state_->push(true);
  return state_->queue.close();
}

double Writer::seconds_written() const {
  return static_cast<double>(state_->queue.written_ns()) / kNsPerSecond;
}
std::uint64_t Writer::bytes_written() const {
  return state_->queue.size();
}
const std::string& Writer::path() const {
  return state_->path;
}

}  // namespace tidegauge::record
