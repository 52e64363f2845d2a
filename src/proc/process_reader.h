// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "proc/files.h"
#include "proc/stat.h"
#include "proc/statm.h"
#include "record/sample.h"

namespace tidegauge::proc {

// Reads the cheap counters of one process, again and again. A process whose counters stay as they
// are is asked whether that is still so, once a second and after ten seconds every two: whether it
// has run at all, and if it has, by its smallest file (statm). As soon as it moves all of them are
// read once a second, and at higher rates that file at every look. What does not show there (state,
// threads, faults, name; swap and the peak of a process that is otherwise unchanged) is read every
// five seconds, and of a process that does nothing every twenty; what others have done to one that
// does not run (swapped it out) is looked for every ten. What a look does not read is as the last
// one found it.
class ProcessReader {
 public:
  explicit ProcessReader(const record::ProcessId& id);

  // Looks if a look is due. The stat file, if this was a full look. Gone: it has ended, or its pid
  // is another's now.
  Result<std::optional<Stat>> look(Files& files, std::int64_t now_ns, double interval_seconds);

  // The next look is a full one, however quiet it is.
  void look_fully_next() { full_due_ns_.reset(); }

  const record::ProcessSample& last() const { return last_; }
  // Where files about its memory are: "" or, where its first thread has ended before the others,
  // "task/TID/". To be put before a file's name.
  const std::string& folder() const { return folder_; }
  // Of its address space, as read last.
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  Result<std::optional<Stat>> look_fully(Files& files, std::int64_t now_ns);
  Result<std::optional<Stat>> count(Files& files, std::int64_t now_ns);
  Result<std::optional<Stat>> look_quickly(Files& files, std::int64_t now_ns);
  Result<Statm> read_statm(Files& files);
  Result<> read_status(Files& files);
  bool is_as_it_was(const Statm& now) const;
  void find_living_thread(Files& files, const Stat& stat);
  void take_note_of_change(std::int64_t now_ns);
  void put_off_full_look(std::int64_t now_ns, bool changed);
  bool is_quiet(std::int64_t now_ns) const;
  std::int64_t next_count_ns(std::int64_t now_ns) const;
  bool rests(std::optional<std::int64_t> ran_ns, std::int64_t now_ns, bool count_due) const;

  record::ProcessSample last_;
  std::string folder_;
  KeptFile stat_;
  KeptFile statm_;
  KeptFile status_;
  std::optional<std::int64_t> full_due_ns_;  // none: it was never looked at
  std::int64_t full_every_seconds_ = 0;
  std::int64_t count_due_ns_ = 0;
  std::uint64_t size_bytes_ = 0;
  bool moving_ = false;                        // the last look found other counters
  std::optional<std::uint64_t> shared_pages_;  // of statm, when status was read last
  std::uint64_t rss_then_ = 0;                 // when it last changed noticeably
  std::int64_t changed_ns_ = 0;
  // CPU time that it had used, just before it was looked at, and looked at fully. None: not known.
  std::optional<std::int64_t> ran_ns_;
  std::optional<std::int64_t> ran_fully_ns_;
  std::int64_t looked_ns_ = 0;
};

}  // namespace tidegauge::proc
