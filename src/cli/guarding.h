// SPDX-License-Identifier: Apache-2.0
// A guarded life of a job, as `run` sees it: tells the guard what the session knows, and tells the
// recording and people what the guard does.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/guard_options.h"
#include "cli/session.h"
#include "guard/guard.h"
#include "guard/shm_files.h"
#include "record/ask_page.h"

namespace tidegauge::cli {

// A checkpoint that the job says it has written.
struct Saved {
  std::string path{};
  std::int64_t step = -1;
  std::uint64_t bytes = 0;
};

class Guarding {
 public:
  // Nothing where it is not asked for; says so where it cannot be. `page` outlives it.
  static std::optional<Guarding> begin(const GuardOptions& options, double limit_bytes,
                                       const record::AskPage* page, bool quiet);

  // The same for a tree that runs already.
  static std::optional<Guarding> attach(const GuardOptions& options, pid_t top,
                                        const record::AskPage* page, bool quiet);

  const guard::Guard& guard() const { return guard_; }
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

 private:
  Guarding(guard::Guard guard, const GuardOptions& options, const record::AskPage* page, bool quiet)
      : guard_(std::move(guard)), options_(options), page_(page), quiet_(quiet) {
    ::clock_gettime(CLOCK_REALTIME, &began_);
  }
  void note_shm();
  static std::optional<Guarding> from(Result<guard::Guard> started, const GuardOptions& options,
                                      const record::AskPage* page, bool quiet);
  void look_at_saves();
  std::string words_of(const guard::News& news);
  void say(Session* session, const std::string& words, bool aloud) const;

  guard::Guard guard_;
  GuardOptions options_;
  const record::AskPage* page_;
  bool quiet_;
  pid_t job_ = 0;
  timespec began_{};
  std::optional<guard::ShmFiles> shm_{};
  std::int64_t shm_due_ns_ = 0;
  std::map<record::ProcessId, record::Role> roles_{};
  std::optional<Saved> last_{};  // as the job says
  Saved whole_{};
  std::string refused_{};  // why the last one is not whole
};

// What the verdict and the last save say about what is to come.
guard::Outlook outlook_of(const verdict::Verdicts& verdicts, const std::optional<Saved>& last);

}  // namespace tidegauge::cli
