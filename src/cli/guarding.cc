// SPDX-License-Identifier: Apache-2.0
#include "cli/guarding.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/holder_line.h"
#include "guard/checkpoint.h"
#include "guard/post_mortem.h"
#include "proc/probe.h"
#include "proc/root.h"
#include "proc/roots.h"
#include "proc/stat.h"
#include "view/accounts.h"

namespace tidegauge::cli {

namespace {

// Room that a checkpoint needs on its disk, as a multiple of the last one.
constexpr double kDiskRoom = 1.2;

// Maps of a large process take a millisecond to read.
constexpr std::int64_t kNoteShmNs = 5'000'000'000;

// A process is started to ask for it.
constexpr std::int64_t kDiskNs = 30'000'000'000;

// Whoever was looking into the job when it was killed has been told to be quick.
constexpr double kLastWordSeconds = 2;

// A job that forks for ever is not remembered in full.
constexpr std::size_t kMostSeen = 4096;

bool disk_is_full(const Saved& last) {
  return last.free_bytes &&
         static_cast<double>(*last.free_bytes) < kDiskRoom * static_cast<double>(last.bytes);
}

// Lightning makes its checkpoints in memory before it writes them.
double memory_for(const Saved& last) {
  return last.path.ends_with(".ckpt") ? static_cast<double>(last.bytes) : 0;
}

double held_by_tree(const Session& session) {
  return static_cast<double>(session.summary().accounts().ledger.total);
}

std::optional<record::ProcessId> largest_of(const record::Sample& sample) {
  const auto by_size = [](const record::ProcessSample& a, const record::ProcessSample& b) {
    return a.memory.rss.value_or(0) < b.memory.rss.value_or(0);
  };
  const auto& all = sample.processes;
  const auto largest = std::max_element(all.begin(), all.end(), by_size);
  return largest == all.end() ? std::nullopt : std::optional(largest->id);
}

bool catches(pid_t pid, int signal) {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  const auto text = root ? root->read(pid, "status") : Result<std::string>(root.error());
  if (!text) return false;
  const auto mask = to_number<std::uint64_t>(trimmed(proc::field_of(*text, "SigCgt:")), 16);
  return mask && (*mask >> (signal - 1) & 1) != 0;
}

}  // namespace

std::optional<Guarding> Guarding::begin(const GuardOptions& options, double limit_bytes,
                                        const Setting& setting) {
  if (!options.on) return {};
  if (const auto other = guard::guard_of(proc::Roots{}, ::getpid()); other != 0) {
    fail("run", kCouldNotLook,
         fmt::format("no second guard: {} guards what this is a part of", other));
    return {};
  }
  return from(guard::Guard::start(proc::Roots{}, options.settings, limit_bytes, setting.page),
              options, setting);
}

std::optional<Guarding> Guarding::attach(const GuardOptions& options, pid_t top, double limit_bytes,
                                         const Setting& setting) {
  if (const auto other = guard::guard_of(proc::Roots{}, top); other != 0) {
    fail("watch", kCouldNotLook, fmt::format("no second guard: {} guards it already", other));
    return {};
  }
  const auto root = proc::Root::open(proc::Roots{}.proc);
  const auto stat = root ? proc::read_stat(*root, top) : Result<proc::Stat>(root.error());
  if (!stat) {
    fail("watch", kCouldNotLook, "the job is not guarded: " + stat.error().what);
    return {};
  }
  auto guarding = from(
      guard::Guard::attach(proc::Roots{}, options.settings, stat->id, limit_bytes, setting.page),
      options, setting);
  if (guarding) guarding->began(top);
  return guarding;
}

std::optional<Guarding> Guarding::from(Result<guard::Guard> started, const GuardOptions& options,
                                       const Setting& setting) {
  if (!started) {
    fail("guard", kCouldNotLook, "the job is not guarded: " + started.error().what);
    return {};
  }
  if (!setting.quiet) {
    for (const auto& missing : started->cell().missing()) {
      fail("guard", kCouldNotLook, missing + " (tidegauge doctor says more)");
    }
  }
  Guarding guarding(*std::move(started), options, setting);
  if (setting.evidence && options.settings.evidence) guarding.begin_evidence(setting.keys);
  return guarding;
}

void Guarding::begin_evidence(secrets::Keys keys) {
  evidence_ = EvidenceTaker::start(guard_.desk(), keys);
}

void Guarding::began(pid_t job) {
  job_ = job;
  seen_ = {job};
  in_groups_ = guard::groups_of(proc::Roots{}, job);
  shm_.emplace(proc::Roots{}, began_);
  guard_.began(job);
}

void Guarding::take(const record::Entry& entry) {
  if (const auto* process = std::get_if<record::Process>(&entry)) {
    roles_[process->id] = process->role;
    if (seen_.size() < kMostSeen) seen_.insert(process->id.pid);
  }
  const auto* event = std::get_if<record::Event>(&entry);
  if (event != nullptr && event->kind == record::EventKind::Exited) roles_.erase(event->process);
}

guard::Outlook outlook_of(const verdict::Verdicts& verdicts, const std::optional<Saved>& last) {
  guard::Outlook outlook;
  if (last) {
    outlook.save_bytes = memory_for(*last);
    outlook.disk_full = disk_is_full(*last);
  }
  if (verdicts.all.empty()) return outlook;
  const auto& tree = verdicts.all.front();
  outlook.word = guard::word_of(tree);
  if (tree.bytes_per_step && tree.bytes_per_step->value > 0) {
    outlook.bytes_per_step = tree.bytes_per_step->value;
    const double per_second = tree.bytes_per_minute ? tree.bytes_per_minute->value / 60 : 0;
    if (per_second > 0) outlook.step_seconds = outlook.bytes_per_step / per_second;
  }
  return outlook;
}

void Guarding::note_shm() {
  for (const auto& [id, role] : roles_) {
    if (shm_) shm_->note(id.pid);
  }
}

void Guarding::clean(Session* session) {
  if (!shm_) return;
  for (const auto& path : shm_->clean()) {
    say(session, "removed what it left behind: " + printable(path), true);
  }
}

void Guarding::after_look(const Session& session) {
  look_at_saves();
  if (session.now_ns() >= shm_due_ns_) {
    note_shm();
    shm_due_ns_ = session.now_ns() + kNoteShmNs;
  }
  look_at_disk(session.now_ns());
  pid_t main = job_;
  for (const auto& [id, role] : roles_) {
    if (role == record::Role::Main) main = id.pid;
  }
  std::vector<record::ProcessId> tree;
  for (const auto& [id, role] : roles_) tree.push_back(id);
  guard_.tell_tree(tree, held_by_tree(session));
  if (const auto largest = largest_of(session.sample())) guard_.tell_largest(*largest);
  if (const auto& all = session.verdicts().all; !all.empty()) {
    const auto& growth = all.front().bytes_per_minute;
    bytes_per_minute_ = growth ? std::max(growth->value, 0.0) : 0;
  }
  guard_.tell(outlook_of(session.verdicts(), last_), main, catches(main, SIGTERM));
}

// What the job says it has written, and whether that is whole.
void Guarding::look_at_saves() {
  if (setting_.page == nullptr) return;
  for (const auto& one : setting_.page->listeners()) {
    if (one.answer != record::Answer::Saved || one.text.empty()) continue;
    if (last_ && last_->path == one.text && last_->step == one.step) continue;
    last_ = Saved{one.text, one.step, one.bytes};
    const auto report = guard::report_on_checkpoint(one.text, user_of_job());
    last_->free_bytes = report.free_bytes;
    if (report.whole) {
      whole_ = *last_;
      refused_.clear();
    } else {
      refused_ = report.whole.error().what;
    }
  }
}

void Guarding::look_at_disk(std::int64_t now_ns) {
  if (!last_ || now_ns < disk_due_ns_) return;
  disk_due_ns_ = now_ns + kDiskNs;
  last_->free_bytes = guard::free_bytes_beside(last_->path, user_of_job());
}

// The user with the fewest rights among the job's processes: any of them may have written the path
// of a checkpoint into the page that they share. One of root alone is root's.
proc::UserIds Guarding::user_of_job() const {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  proc::UserIds user{.user = ::geteuid(), .group = ::getegid(), .groups = {}};
  if (!root) return user;
  for (const auto& [id, role] : roles_) {
    const auto ids = proc::user_ids_of(*root, id.pid);
    if (ids && ids->user != 0) return *ids;
    if (ids) user = *ids;
  }
  return user;
}

std::string Guarding::words_of(const guard::News& news) {
  using guard::NewsKind;
  const auto level = fmt::format("{} of {}", format_bytes(news.used), format_bytes(news.limit));
  switch (news.kind) {
    case NewsKind::Near:
      return "near its limit: " + level;
    case NewsKind::AskedSave:
      return "asked it for a checkpoint at " + level;
    case NewsKind::AskedStop:
      return "asked it to save and end at " + level;
    case NewsKind::AskedEnd:
      return "asked it to save and end because its time is up";
    case NewsKind::Saved:
      look_at_saves();
      if (!refused_.empty()) return "it saved, but not a whole checkpoint: " + refused_;
      return "it saved " + printable(whole_.path);
    case NewsKind::NotSaved:
      return "it did not save, or has not answered";
    case NewsKind::Lent:
      return "let it have more than its limit for a while, at " + level;
    case NewsKind::TookBack:
      return "took back what it was lent";
    case NewsKind::Terminated:
      return "sent SIGTERM to the process that trains, at " + level;
    case NewsKind::Killed:
      return "killed it at " + level + ": work since its last checkpoint is lost";
    case NewsKind::TookOver:
      return "the guard's first process has died or was stopped, its twin goes on";
    case NewsKind::Replaced:
      return "a process of the guard has died or was stopped; a new one stands by";
    case NewsKind::Restarted:
      return "all processes of the guard have died; the job was let go on, and there are new ones";
    case NewsKind::Unguarded:
      return "the job goes on unguarded: all processes of the guard have died, and no new ones can "
             "be started";
    case NewsKind::Ended:
      break;
  }
  return {};
}

// In the recording, and where `aloud` to people too.
void Guarding::say(Session* session, const std::string& words, bool aloud) const {
  if (session != nullptr) {
    session->add({.at_ns = session->now_ns(),
                  .kind = record::EventKind::Note,
                  .source = record::MarkSource::Kernel,
                  .name = "guard: " + words});
  }
  if (!aloud) return;
  if (!setting_.quiet) fail("guard", kCouldNotLook, words);
  notifier_.tell(words);
}

void Guarding::hear_evidence(Session* session, double wait_seconds) {
  while (evidence_ && evidence_heard_ < guard_.evidence_asked()) {
    const auto answer = evidence_->take(wait_seconds);
    if (!answer) return;
    ++evidence_heard_;
    if (!answer->found || session == nullptr) continue;
    const auto at_ns = session->now_ns();
    for (const auto& holder : answer->found->holders) {
      session->add(held(holder, answer->found->process, at_ns));
    }
    say(session, cli::words_of(*answer->found), false);
  }
}

void Guarding::hear(Session* session) {
  for (const auto& news : guard_.take_news()) {
    if (news.kind == guard::NewsKind::Near) note_shm();
    const bool aloud = news.kind != guard::NewsKind::Lent && news.kind != guard::NewsKind::TookBack;
    if (const auto words = words_of(news); !words.empty()) say(session, words, aloud);
  }
  hear_evidence(session, 0);
}

guard::Ending Guarding::finish(Session* session) {
  auto ending = guard_.finish();
  look_at_saves();
  hear(session);
  hear_evidence(session, kLastWordSeconds);
  return ending;
}

}  // namespace tidegauge::cli
