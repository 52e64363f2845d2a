// SPDX-License-Identifier: Apache-2.0
#include "proc/process_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "proc/statm.h"
#include "proc/status.h"

namespace tidegauge::proc {

namespace {

// With cold caches a full look costs about 20 us a process, a quick one 3. So all that hardly ever
// changes is read rarely, and not of all processes at once.
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kFullLookEverySeconds = 5;
// What nobody has seen to change is asked for half as often, and half as often again.
constexpr std::int64_t kFullLookLatestSeconds = 20;
// A process whose rss has moved by less than this share for that long is looked at once a second.
constexpr double kNoticeableChange = 0.001;
constexpr double kQuietAfterSeconds = 5;
// One that stays exactly as it is for that long is asked whether it still does every two seconds.
constexpr double kStillAfterSeconds = 10;
constexpr std::int64_t kCountStillEverySeconds = 2;
// One that has not run is as it was, but for what others do to it.
constexpr std::int64_t kLongestRestNs = 10 * kSecondNs;

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / 1e9;
}

void take_memory(record::Memory& memory, const Status& status) {
  memory.rss = status.rss;
  memory.anon = status.anon;
  memory.file = status.file;
  memory.shmem = status.shmem;
  memory.swap = status.swap;
  memory.hugetlb = status.hugetlb;
  memory.page_tables = status.page_tables;
  memory.locked = status.locked;
  memory.peak_rss = status.peak_rss;
}

record::Activity activity_of(const Stat& stat) {
  return {.state = stat.state,
          .threads = stat.threads,
          .minor_faults = stat.minor_faults,
          .major_faults = stat.major_faults};
}

// Pages that become a process's own show as faults, though it has as many of them as before.
bool has_been_active(const record::Activity& before, const record::Activity& now) {
  return before.threads != now.threads || before.minor_faults != now.minor_faults;
}

}  // namespace

ProcessReader::ProcessReader(const record::ProcessId& id) {
  last_.id = id;
}

Result<std::optional<Stat>> ProcessReader::look(Files& files, std::int64_t now_ns,
                                                double interval_seconds) {
  // Half an interval too early is better than half of one too late.
  const auto soon_ns = now_ns + static_cast<std::int64_t>(interval_seconds / 2 * 1e9);
  const bool full_due = !full_due_ns_ || soon_ns >= *full_due_ns_;
  const bool count_due = soon_ns >= count_due_ns_;
  if (!full_due && !count_due && is_quiet(now_ns)) return std::optional<Stat>{};
  const auto ran_ns = files.run_time(last_.id.pid);  // before it is looked at, so never too late
  if (!full_due && rests(ran_ns, now_ns, count_due)) {
    if (count_due) count_due_ns_ = next_count_ns(now_ns);
    return std::optional<Stat>{};
  }
  ran_ns_ = ran_ns;
  looked_ns_ = now_ns;
  if (full_due || (count_due && moving_)) return look_fully(files, now_ns);
  return count_due ? count(files, now_ns) : look_quickly(files, now_ns);
}

// Whether there is nothing new to be seen, since it has not run. After a look that did not tell
// everything about a process that moved there is.
bool ProcessReader::rests(std::optional<std::int64_t> ran_ns, std::int64_t now_ns,
                          bool count_due) const {
  if (!ran_ns || now_ns - looked_ns_ >= kLongestRestNs) return false;
  return *ran_ns == (count_due && moving_ ? ran_fully_ns_ : ran_ns_);
}

Result<std::optional<Stat>> ProcessReader::look_fully(Files& files, std::int64_t now_ns) {
  const auto pid = last_.id.pid;
  const auto text = files.read(stat_, pid, "stat");
  if (!text) return text.error();
  auto stat = parse_stat(*text);
  if (!stat) return stat.error();
  if (stat->id != last_.id) return Error{Reason::Gone, std::to_string(pid) + ": another process"};
  ran_fully_ns_ = ran_ns_;
  const bool first = !full_due_ns_;
  const auto memory_before = last_.memory;
  const auto activity_before = std::exchange(last_.activity, activity_of(*stat));
  size_bytes_ = stat->size_bytes;
  count_due_ns_ = now_ns + kSecondNs;
  if (has_ended(*stat)) return std::optional<Stat>{std::move(*stat)};
  if (stat->state == 'Z' && folder_.empty()) find_living_thread(files, *stat);
  if (!read_status(files) && !folder_.empty()) find_living_thread(files, *stat);
  moving_ = first || last_.memory != memory_before;
  put_off_full_look(now_ns, moving_ || has_been_active(activity_before, last_.activity));
  take_note_of_change(now_ns);
  return std::optional<Stat>{std::move(*stat)};
}

Result<> ProcessReader::read_status(Files& files) {
  const auto text = files.read(status_, last_.id.pid, folder_ + "status");
  if (!text) return text.error();
  const auto status = parse_status(*text);
  if (!status) return status.error();
  // No memory at all: it is on its way out, and what it had stands until that is certain.
  if (status->rss || !last_.memory.rss) take_memory(last_.memory, *status);
  if (!folder_.empty()) last_.activity.state = status->state;
  shared_pages_.reset();
  if (status->file && status->shmem) {
    shared_pages_ = (*status->file + *status->shmem) / page_bytes();
  }
  return Ok{};
}

Result<Statm> ProcessReader::read_statm(Files& files) {
  const auto text = files.read(statm_, last_.id.pid, folder_ + "statm");
  if (!text) return text.error();
  auto statm = parse_statm(*text);
  if (statm) size_bytes_ = statm->size * page_bytes();
  return statm;
}

// Whether anything has changed. No memory: it is ending, or its first thread has, and stat tells.
Result<std::optional<Stat>> ProcessReader::count(Files& files, std::int64_t now_ns) {
  // Where no descriptor is kept only stat can tell whether the pid is still its own.
  if (!statm_.is_kept() && !files.has_room()) return look_fully(files, now_ns);
  const auto now = read_statm(files);
  if (!now && now.error().reason == Reason::Gone) return now.error();
  if (!now || !statm_.is_kept() || !is_as_it_was(*now)) return look_fully(files, now_ns);
  count_due_ns_ = next_count_ns(now_ns);
  return std::optional<Stat>{};
}

std::int64_t ProcessReader::next_count_ns(std::int64_t now_ns) const {
  const bool still = seconds_between(changed_ns_, now_ns) >= kStillAfterSeconds;
  return now_ns + (still ? kCountStillEverySeconds : 1) * kSecondNs;
}

bool ProcessReader::is_as_it_was(const Statm& now) const {
  return now.resident > 0 && now.shared == shared_pages_ &&
         now.resident * page_bytes() == last_.memory.rss;
}

// Which pages are anonymous statm tells as well, and as long as the others stay as many as they
// were, nothing more is needed at once.
Result<std::optional<Stat>> ProcessReader::look_quickly(Files& files, std::int64_t now_ns) {
  const auto statm = read_statm(files);
  if (!statm) return statm.error();
  if (statm->resident == 0) return look_fully(files, now_ns);
  if (is_as_it_was(*statm)) return std::optional<Stat>{};
  if (statm->shared != shared_pages_ || statm->shared > statm->resident) {
    if (const auto done = read_status(files); !done) return done.error();
  } else {
    last_.memory.rss = statm->resident * page_bytes();
    last_.memory.anon = (statm->resident - statm->shared) * page_bytes();
    if (last_.memory.peak_rss) {
      last_.memory.peak_rss = std::max(*last_.memory.peak_rss, *last_.memory.rss);
    }
  }
  moving_ = true;
  take_note_of_change(now_ns);
  return std::optional<Stat>{};
}

// The first thread has ended, others go on: the process's memory is to be seen through them.
void ProcessReader::find_living_thread(Files& files, const Stat& stat) {
  folder_.clear();
  statm_.forget();
  status_.forget();
  const auto threads = files.root().list(stat.id.pid, "task");
  if (!threads) return;
  for (const auto& thread : *threads) {
    const auto text = files.read(stat.id.pid, "task/" + thread + "/stat");
    if (!text) continue;
    const auto its = parse_stat(*text);
    if (!its || its->state == 'Z' || its->state == 'X') continue;
    folder_ = "task/" + thread + "/";
    return;
  }
}

void ProcessReader::take_note_of_change(std::int64_t now_ns) {
  const auto rss = last_.memory.rss.value_or(0);
  const auto moved = rss > rss_then_ ? rss - rss_then_ : rss_then_ - rss;
  if (static_cast<double>(moved) <= kNoticeableChange * static_cast<double>(rss_then_)) return;
  rss_then_ = rss;
  changed_ns_ = now_ns;
}

// The first time by pid, so that not all are due at once.
void ProcessReader::put_off_full_look(std::int64_t now_ns, bool changed) {
  const bool first = full_every_seconds_ == 0;
  full_every_seconds_ =
      changed ? kFullLookEverySeconds : std::min(2 * full_every_seconds_, kFullLookLatestSeconds);
  full_due_ns_ =
      now_ns + (first ? 1 + last_.id.pid % kFullLookEverySeconds : full_every_seconds_) * kSecondNs;
}

bool ProcessReader::is_quiet(std::int64_t now_ns) const {
  return seconds_between(changed_ns_, now_ns) >= kQuietAfterSeconds;
}

}  // namespace tidegauge::proc
