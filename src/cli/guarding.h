// SPDX-License-Identifier: Apache-2.0
// A guarded life of a job, as `run` sees it: tells the guard what the session knows, and tells the
// recording and people what the guard does.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/evidence.h"
#include "cli/guard_options.h"
#include "cli/notify.h"
#include "cli/session.h"
#include "guard/guard.h"
#include "guard/shm_files.h"
#include "proc/probe.h"
#include "record/ask_page.h"

namespace tidegauge::cli {

// A checkpoint that the job says it has written.
struct Saved {
  std::string path{};
  std::int64_t step = -1;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> free_bytes{};  // on its disk
};

class Guarding {
 public:
  struct Setting {
    const record::AskPage* page = nullptr;  // that the job can be asked on; outlives the guarding
    bool quiet = false;
    std::string job{};                                // its command, for people
    bool evidence = true;                             // it may be looked into while it stands still
    secrets::Keys keys = secrets::Keys::WithoutData;  // that are shown of what is found
  };
  // Nothing where it is not asked for; says so where it cannot be.
  static std::optional<Guarding> begin(const GuardOptions& options, double limit_bytes,
                                       const Setting& setting);
  // The same for a tree that runs already.
  static std::optional<Guarding> attach(const GuardOptions& options, pid_t top, double limit_bytes,
                                        const Setting& setting);

  const guard::Guard& guard() const { return guard_; }
  // Before the job begins: a process of its own that looks into it while it stands still.
  void begin_evidence(secrets::Keys keys);
  std::vector<int> groups() const { return guard_.cell().join_fds(); }
  int fd() const { return guard_.fd(); }
  void began(pid_t job);
  void take(const record::Entry& entry);  // what the session sees
  void after_look(const Session& session);
  void hear(Session* session);
  guard::Ending finish(Session* session);
  // What only it held in /dev/shm; for one that was killed.
  void clean(Session* session);
  // The latest that passed its checks; empty path: none.
  const Saved& last_whole() const { return whole_; }
  // When it began, by the wall clock; who was seen to be a part of it, and the groups it was in.
  const timespec& began_at() const { return began_; }
  const std::set<pid_t>& seen() const { return seen_; }
  const std::vector<std::string>& in_groups() const { return in_groups_; }
  // What it grew by as of the last look; 0: it did not, or that cannot be told.
  double bytes_per_minute() const { return bytes_per_minute_; }

 private:
  Guarding(guard::Guard guard, const GuardOptions& options, const Setting& setting)
      : guard_(std::move(guard)), setting_(setting), notifier_(options, setting.job) {
    ::clock_gettime(CLOCK_REALTIME, &began_);
  }
  void note_shm();
  static std::optional<Guarding> from(Result<guard::Guard> started, const GuardOptions& options,
                                      const Setting& setting);
  void look_at_saves();
  void look_at_disk(std::int64_t now_ns);
  proc::UserIds user_of_job() const;
  void hear_evidence(Session* session, double wait_seconds);
  std::string words_of(const guard::News& news);
  void say(Session* session, const std::string& words, bool aloud) const;

  guard::Guard guard_;
  Setting setting_;
  Notifier notifier_;
  std::optional<EvidenceTaker> evidence_{};
  std::uint64_t evidence_heard_ = 0;  // how often
  pid_t job_ = 0;
  timespec began_{};
  std::optional<guard::ShmFiles> shm_{};
  std::int64_t shm_due_ns_ = 0;
  std::map<record::ProcessId, record::Role> roles_{};
  std::optional<Saved> last_{};  // as the job says
  std::int64_t disk_due_ns_ = 0;
  Saved whole_{};
  std::string refused_{};  // why the last one is not whole
  double bytes_per_minute_ = 0;
  std::set<pid_t> seen_{};
  std::vector<std::string> in_groups_{};
};

// What the verdict and the last save say about what is to come.
guard::Outlook outlook_of(const verdict::Verdicts& verdicts, const std::optional<Saved>& last);

}  // namespace tidegauge::cli
