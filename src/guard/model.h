// SPDX-License-Identifier: Apache-2.0
// A world in which the guard's processes are fibers, and time passes when all of them wait: the
// code that they run is that of every day, and between any two things that it asks of the world any
// of them can be killed or stopped.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "guard/actor.h"
#include "guard/roster.h"
#include "record/ask.h"

namespace tidegauge::guard {

// A stack of its own for a function that can be left at any point and need not be come back to.
class Fiber {
 public:
  explicit Fiber(std::function<void()> work) : work_(std::move(work)) {
    stack_ =
        ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::getcontext(&own_);
    own_.uc_stack = {.ss_sp = stack_, .ss_flags = 0, .ss_size = kStackBytes};
    own_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    ::makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::begin), 2,
                  static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() { ::munmap(stack_, kStackBytes); }

  void enter() { ::swapcontext(&caller_, &own_); }
  void leave() { ::swapcontext(&own_, &caller_); }

 private:
  static constexpr std::size_t kStackBytes = std::size_t{1} << 18;
  static void begin(unsigned high, unsigned low) {
    reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low)->work_();
  }

  std::function<void()> work_;
  void* stack_ = nullptr;
  ucontext_t own_{};
  ucontext_t caller_{};
};

// What is tried in one run of the model.
struct Schedule {
  // What is planted to see whether it is found out.
  enum class Plant : std::uint8_t {
    Nothing,
    StandbysSeeNoDeath,
    NobodySeesSilence,
    GaugeIsBlind,
    NothingIsCarried,  // who goes on begins with nothing
    KillsTooEarly,     // the job uses less than what it is killed for
  };
  enum class Harm : std::uint8_t { Kill, Stop, Continue };
  enum class Moment : std::uint8_t { Any, Frozen, Lent, Saving, Stopping, Terminating, Killing };
  static constexpr std::size_t kGauge = kLine;  // of `whom`
  static constexpr std::size_t kLooker = kLine + 1;
  static constexpr std::size_t kAll = kLine + 2;
  struct Event {
    Moment moment = Moment::Any;
    std::int64_t after_ns = 0;  // since it first was so
    int calls = 0;              // of anything, by anybody, after that
    Harm harm = Harm::Kill;
    std::array<bool, kAll> whom{};  // places in the line, the gauge, and who looks
    // As when a machine sleeps or a container is paused: nobody runs for so long.
    std::int64_t nothing_runs_ns = 0;
  };
  enum class Manner : std::uint8_t { Saves, Deaf, Stubborn, CatchesTerm, DiskFull, Healthy };

  std::uint64_t seed = 0;
  Plant plant = Plant::Nothing;
  Manner manner = Manner::Saves;
  bool by_signals = false;  // no group that could be frozen
  bool forks_fail = false;  // while the job runs
  double bytes_per_step = 10e6;
  int steps = 400;
  bool aloud = false;  // say what happens
  std::vector<Event> events{};

  bool only_kills() const {
    return std::all_of(events.begin(), events.end(),
                       [](const Event& event) { return event.harm == Harm::Kill; });
  }
};

class Model {
 public:
  static constexpr std::int64_t kMs = 1'000'000;
  static constexpr std::int64_t kSecond = 1000 * kMs;
  static constexpr double kLimit = 2e9;
  static constexpr std::int64_t kAtMost = 120 * kSecond;

  explicit Model(const Schedule& schedule);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Until the job and all of ours are gone, or nothing will happen any more.
  void run();

  // What must never be, and was.
  const std::vector<std::string>& wrong() const { return wrong_; }
  struct Counts {
    int deaths = 0;         // of ours, while the job ran
    int frozen_deaths = 0;  // of these, while it was frozen
    int takeovers = 0;
    int kills = 0;  // of the job, by the guard
    int kernel_kills = 0;
    int stops = 0;     // it ended because it was told to
    int all_dead = 0;  // nobody of ours was left while it ran
    std::int64_t longest_freeze_ns = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr pid_t kJobPid = 2;
  static constexpr int kWake = 1, kAsked = 2, kLooked = 3, kPidfds = 1000;

  struct Process {
    pid_t pid = 0;
    std::unique_ptr<Fiber> fiber{};
    bool dead = false;
    bool stopped = false;
    std::int64_t ready_ns = 0;
    std::vector<int> fds{};  // that it waits for
    bool guards = false;     // one of the line
    bool acts = false;
  };

  class Group : public Levers {
   public:
    explicit Group(Model& model) : m_(model) {}
    bool can_freeze() const override { return !m_.schedule_.by_signals; }
    bool can_kill() const override { return true; }
    bool can_limit() const override { return true; }
    bool has_brake() const override { return false; }
    bool is_adopted() const override { return false; }
    int join_count() const override { return 1; }
    bool freeze() const override;
    bool thaw() const override;
    bool is_frozen() const override;
    bool set_limit(double bytes) const override;
    bool set_brake(double) const override { return false; }
    bool release_brake() const override { return false; }
    bool kill() const override;
    bool holds(pid_t pid) const override { return pid == kJobPid && !m_.job_over_; }
    bool signal(pid_t pid, int number) const override;
    bool is_empty() const override { return m_.job_over_; }
    bool remove() const override;
    void step_back() const override {}
    void release() const override {}

   private:
    Model& m_;
  };
  // What is stopped by signals, process by process.
  class Members : public Flock {
   public:
    explicit Members(Model& model) : m_(model) {}
    void follow(const Board&) override { m_.call(); }
    std::size_t size() const override { return 1; }
    bool holds(pid_t pid) const override { return pid == kJobPid; }
    double bytes() const override { return m_.used_; }
    void stop(Board& board) const override;
    void go_on(Board& board) const override;
    void kill() const override { (void)m_.group_.kill(); }
    bool signal(pid_t pid, int number) const override { return m_.group_.signal(pid, number); }

   private:
    Model& m_;
  };
  class Memory : public Scale {
   public:
    explicit Memory(Model& model) : m_(model) {}
    Reading read(double own_limit, const Ours& ours) const override;

   private:
    Model& m_;
  };
  class Processes : public Machine {
   public:
    explicit Processes(Model& model) : m_(model) {}
    std::int64_t now_ns() const override { return m_.now_ns_; }
    void pause(std::int64_t ns) const override { m_.wait_for({}, ns); }
    bool wait(std::span<pollfd> fds, std::int64_t ns) const override;
    void hush(int fd) const override { m_.bells_[static_cast<std::size_t>(fd)] = 0; }
    void ring(int bell) const override;
    int open_process(pid_t pid) const override { return kPidfds + pid; }
    bool has_ended(int pidfd) const override;
    void kill(int pidfd) const override;
    void come_first() const override;
    Peer start(const Hands& hands, const Post& post) const override;
    void bury(const Peer&) const override {}

   protected:
    void end() const override;

   private:
    Model& m_;
  };

  Process& add(pid_t pid, std::function<void()> work);
  void call();  // by the process that runs: anything may happen now
  void wait_for(std::span<const pollfd> fds, std::int64_t ns);
  bool is_readable(int fd) const;
  bool can_run(const Process& one) const;
  void be_harmed(const Schedule::Event& event);
  void die(Process& one);
  void mind_events();
  struct Next {
    std::int64_t at_ns = INT64_MAX;
    Process* who = nullptr;  // null: an event
  };
  Next what_is_next() const;
  void pass_time_to(std::int64_t at_ns);
  bool is_now(Schedule::Moment moment) const;
  void mind_freeze(std::int64_t passed_ns);
  void freeze_ends();
  void job();
  void gauge();
  void looker();
  void end_job(int code);
  void grow(double bytes);
  void check_end();
  void complain(const char* what) {
    say(what);
    wrong_.emplace_back(what);
  }
  // Where the schedule is to be told.
  void say(const char* what, long long which = -1) const;
  Process* in_place(std::size_t place);
  bool somebody_can_thaw() const;
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  const Schedule schedule_;
  std::mt19937_64 random_;
  BoardPtr board_ = make_board();
  std::vector<char> page_memory_;
  tidegauge_ask_header* page_;
  Group group_{*this};
  Memory memory_{*this};
  Processes machine_{*this};
  std::vector<std::unique_ptr<Members>> members_{};
  std::unique_ptr<Roster> roster_{};

  std::int64_t now_ns_ = kSecond;
  std::int64_t slept_ns_ = 0;  // of that
  std::vector<std::unique_ptr<Process>> processes_{};
  Process* running_ = nullptr;
  std::array<int, 8> bells_{};
  struct Pending {
    Schedule::Event event{};
    std::int64_t since_ns = -1;  // when its moment came; -1: not yet
    int calls = 0;
  };
  std::vector<Pending> pending_{};
  std::int64_t last_event_ns_ = 0;

  double used_ = 1e9;
  double kernel_limit_ = 0;
  bool frozen_ = false;
  bool wants_freeze_ = false;
  std::int64_t freezes_at_ns_ = 0;
  std::int64_t frozen_for_ns_ = 0;  // while somebody could have thawed it
  bool job_over_ = false;
  int job_code_ = -1;
  bool job_told_to_stop_ = false;  // and has seen it
  bool job_saved_to_stop_ = false;
  bool killed_by_guard_ = false;
  bool killed_by_kernel_ = false;
  bool term_pending_ = false;
  std::int64_t term_ns_ = -1;
  bool group_removed_ = false;
  Process* gauge_ = nullptr;
  Process* looker_ = nullptr;
  bool gauge_finished_ = false;
  std::set<NewsKind> heard_{};
  Counts counts_{};
  std::vector<std::string> wrong_{};
};

inline Model::Model(const Schedule& schedule)
    : schedule_(schedule),
      random_(schedule.seed),
      page_memory_(TIDEGAUGE_ASK_SIZE_BYTES),
      page_(reinterpret_cast<tidegauge_ask_header*>(page_memory_.data())),
      kernel_limit_(kLimit + 256e6) {
  for (const auto& event : schedule.events) pending_.push_back({.event = event});
}

// ---- Processes and time.

inline Model::Process& Model::add(pid_t pid, std::function<void()> work) {
  auto& one = *processes_.emplace_back(std::make_unique<Process>());
  one.pid = pid;
  one.ready_ns = now_ns_;
  one.fiber = std::make_unique<Fiber>([this, work = std::move(work)] {
    work();
    machine_.leave();
  });
  return one;
}

inline bool Model::is_readable(int fd) const {
  if (fd < 0) return false;
  if (fd >= kPidfds) {
    if (fd == kPidfds + kJobPid) return job_over_;
    const auto& one = processes_[static_cast<std::size_t>(fd - kPidfds)];
    return one->dead;
  }
  return bells_[static_cast<std::size_t>(fd)] > 0;
}

inline bool Model::can_run(const Process& one) const {
  if (one.dead || one.stopped) return false;
  return one.pid != kJobPid || (!frozen_ && !job_over_);
}

// Nothing on a fiber's stack may own memory: it may be left there for ever.
inline void Model::wait_for(std::span<const pollfd> fds, std::int64_t ns) {
  auto& self = *running_;
  self.fds.clear();
  for (const auto& one : fds) self.fds.push_back(one.fd);
  self.ready_ns = now_ns_ + ns;
  // Where nobody else has anything to do meanwhile, nobody else is asked.
  const auto next = what_is_next();
  if (next.who == &self && next.at_ns < kAtMost) {
    pass_time_to(next.at_ns);
    if (can_run(self)) return self.fds.clear();
  }
  self.fiber->leave();
  self.fds.clear();
}

// Time passes in calls, too, and now and then somebody else gets the core.
inline void Model::call() {
  const auto took = 1000 + static_cast<std::int64_t>(random_() % 20'000);
  mind_freeze(took);
  now_ns_ += took;
  for (auto& one : pending_) one.calls += one.since_ns >= 0 ? 1 : 0;
  mind_events();
  if (schedule_.plant == Schedule::Plant::NobodySeesSilence) {
    for (auto& beat : board_->beats) ++beat;
  }
  const bool harmed = running_->dead || running_->stopped;
  if (harmed || random_() % 64 == 0) {
    wait_for({}, harmed ? 0 : static_cast<std::int64_t>(random_() % (5 * kMs)));
  }
}

inline Model::Process* Model::in_place(std::size_t place) {
  if (place == Schedule::kGauge) return gauge_;
  if (place == Schedule::kLooker) return looker_;
  for (const auto& one : processes_) {
    if (one->guards && !one->dead && place-- == 0) return one.get();
  }
  return nullptr;
}

inline void Model::die(Process& one) {
  if (one.dead) return;
  one.dead = true;
  if (job_over_) return;
  if (one.guards || &one == gauge_) ++counts_.deaths;
  if (one.guards && frozen_) ++counts_.frozen_deaths;
}

inline void Model::be_harmed(const Schedule::Event& event) {
  last_event_ns_ = now_ns_;
  std::vector<Process*> them;
  for (std::size_t place = 0; place < event.whom.size(); ++place) {
    if (auto* const one = event.whom[place] ? in_place(place) : nullptr) them.push_back(one);
  }
  for (auto* const one : them) {
    constexpr std::array kHarms{"killed:", "stopped:", "goes on:"};
    say(kHarms[static_cast<std::size_t>(event.harm)], one->pid);
    if (event.harm == Schedule::Harm::Kill) die(*one);
    one->stopped = event.harm == Schedule::Harm::Stop;
  }
  // Late, everybody: time has passed in which nobody ran.
  now_ns_ += event.nothing_runs_ns;
  slept_ns_ += event.nothing_runs_ns;
  if (event.nothing_runs_ns > 0) say("nothing ran for ms:", event.nothing_runs_ns / kMs);
}

inline bool Model::is_now(Schedule::Moment moment) const {
  using Moment = Schedule::Moment;
  const auto phase = board_->phase.load();
  switch (moment) {
    case Moment::Any:
      return true;
    case Moment::Frozen:
      return frozen_ || wants_freeze_;
    case Moment::Lent:
      return board_->lent;
    case Moment::Saving:
      return phase == Phase::Saving;
    case Moment::Stopping:
      return phase == Phase::Stopping;
    case Moment::Terminating:
      return phase == Phase::Leaving || phase == Phase::Terminating;
    case Moment::Killing:
      return board_->ended_by_us;
  }
  return false;
}

inline void Model::mind_events() {
  for (std::size_t i = 0; i < pending_.size();) {
    auto& one = pending_[i];
    if (one.since_ns < 0 && is_now(one.event.moment)) one.since_ns = now_ns_;
    if (one.since_ns < 0 || now_ns_ < one.since_ns + one.event.after_ns ||
        one.calls < one.event.calls) {
      ++i;
      continue;
    }
    const auto event = one.event;
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    be_harmed(event);
  }
}

inline bool Model::somebody_can_thaw() const {
  return std::any_of(processes_.begin(), processes_.end(), [this](const auto& one) {
    return (one->guards || one.get() == gauge_) && !one->dead && !one->stopped;
  });
}

inline void Model::mind_freeze(std::int64_t passed_ns) {
  if (wants_freeze_ && now_ns_ >= freezes_at_ns_) frozen_ = true;
  if (!frozen_ || job_over_) return freeze_ends();
  if (somebody_can_thaw()) frozen_for_ns_ += passed_ns;
}

inline void Model::freeze_ends() {
  counts_.longest_freeze_ns = std::max(counts_.longest_freeze_ns, frozen_for_ns_);
  frozen_for_ns_ = 0;
}

inline Model::Next Model::what_is_next() const {
  Next next;
  for (const auto& one : processes_) {
    if (!can_run(*one)) continue;
    bool readable = false;
    for (const int fd : one->fds) readable = readable || is_readable(fd);
    const auto at = readable ? now_ns_ : std::max(one->ready_ns, now_ns_);
    if (at < next.at_ns) next = {at, one.get()};
  }
  // Events that wait for time alone, and what freezes in a moment.
  for (const auto& one : pending_) {
    if (one.since_ns < 0 || one.calls < one.event.calls) continue;
    const auto at = std::max(one.since_ns + one.event.after_ns, now_ns_);
    if (at < next.at_ns) next = {at, nullptr};
  }
  if (wants_freeze_ && !frozen_ && freezes_at_ns_ < next.at_ns) {
    next = {std::max(freezes_at_ns_, now_ns_), nullptr};
  }
  return next;
}

inline void Model::pass_time_to(std::int64_t at_ns) {
  mind_freeze(at_ns - now_ns_);
  now_ns_ = at_ns;
  mind_freeze(0);
  mind_events();
}

inline void Model::run() {
  gauge_ = &add(0, [this] { gauge(); });
  processes_.emplace_back(std::make_unique<Process>())->dead = true;  // pid 1
  add(kJobPid, [this] { job(); });
  looker_ = &add(3, [this] { looker(); });
  while (now_ns_ < kAtMost) {
    const auto next = what_is_next();
    if (next.at_ns == INT64_MAX) break;
    pass_time_to(next.at_ns);
    if (next.who == nullptr || !can_run(*next.who)) continue;
    running_ = next.who;
    next.who->fiber->enter();
    running_ = nullptr;
  }
  freeze_ends();
  check_end();
}

inline bool Model::Processes::wait(std::span<pollfd> fds, std::int64_t ns) const {
  m_.call();
  const auto any = [&] {
    return std::any_of(fds.begin(), fds.end(),
                       [&](const pollfd& one) { return m_.is_readable(one.fd); });
  };
  if (!any()) m_.wait_for(fds, ns);
  for (auto& one : fds) one.revents = m_.is_readable(one.fd) ? POLLIN : short{0};
  return any();
}

inline void Model::Processes::ring(int bell) const {
  ++m_.bells_[static_cast<std::size_t>(bell)];
  m_.call();
}

inline bool Model::Processes::has_ended(int pidfd) const {
  using Plant = Schedule::Plant;
  m_.call();
  const bool blind = m_.schedule_.plant == Plant::StandbysSeeNoDeath && m_.running_->guards &&
                     !m_.running_->acts && pidfd >= kPidfds + 4;
  return !blind && m_.is_readable(pidfd);
}

inline void Model::Processes::kill(int pidfd) const {
  m_.call();
  m_.say("kills", pidfd - kPidfds);
  m_.die(*m_.processes_[static_cast<std::size_t>(pidfd - kPidfds)]);
}

inline void Model::Processes::come_first() const {
  auto& self = *m_.running_;
  if (!m_.schedule_.only_kills() || self.acts) m_.call();
  for (const auto& one : m_.processes_) {
    if (one.get() != &self && one->guards && one->acts && !one->dead) {
      m_.complain("two act at a time");
    }
  }
  self.acts = true;
  m_.say("acts");
  if (m_.schedule_.plant == Schedule::Plant::NothingIsCarried) m_.board_->kept = 0;
  if (m_.board_->actors > 0) ++m_.counts_.takeovers;
}

inline Peer Model::Processes::start(const Hands& hands, const Post& post) const {
  m_.call();
  if (m_.schedule_.forks_fail && m_.board_->job > 0) return {};
  const auto pid = static_cast<pid_t>(m_.processes_.size());
  auto& members = m_.members_.emplace_back(std::make_unique<Members>(m_));
  auto ours = std::make_shared<Hands>(hands);
  ours->herd = members.get();
  auto& one = m_.add(pid, [ours, post] { run_post(*ours, post); });
  one.guards = true;
  m_.say("starts", pid);
  return {.pid = pid, .pidfd = kPidfds + pid, .slot = post.slot};
}

inline void Model::Processes::end() const {
  m_.running_->dead = true;
  m_.wait_for({}, 0);
}

inline void Model::say(const char* what, long long which) const {
  if (!schedule_.aloud) return;
  const auto who = running_ == nullptr ? std::string("-") : std::to_string(running_->pid);
  fmt::print("{:10.4f} s {:>3} {:5.0f} MB, phase {}{}: {}{}\n", static_cast<double>(now_ns_) / 1e9,
             who, used_ / 1e6, static_cast<int>(board_->phase.load()), frozen_ ? ", frozen" : "",
             what, which < 0 ? "" : " " + std::to_string(which));
}

// ---- The job's group.

inline bool Model::Group::freeze() const {
  m_.call();
  m_.say("freezes");
  m_.wants_freeze_ = true;
  m_.freezes_at_ns_ = m_.now_ns_ + static_cast<std::int64_t>(m_.random_() % (2 * kMs));
  m_.call();
  return true;
}

inline bool Model::Group::thaw() const {
  const bool blind =
      m_.schedule_.plant == Schedule::Plant::GaugeIsBlind && m_.running_ == m_.gauge_;
  m_.call();
  if (blind) return true;
  m_.say("thaws");
  m_.wants_freeze_ = false;
  m_.frozen_ = false;
  m_.mind_freeze(0);
  m_.call();
  return true;
}

inline bool Model::Group::is_frozen() const {
  m_.call();
  m_.mind_freeze(0);
  return m_.frozen_;
}

inline bool Model::Group::set_limit(double bytes) const {
  m_.call();
  if (bytes < m_.used_) return false;
  m_.kernel_limit_ = bytes;
  m_.call();
  return true;
}

inline bool Model::Group::signal(pid_t pid, int number) const {
  m_.call();
  if (pid != kJobPid || m_.job_over_) return false;
  if (number == SIGTERM) {
    m_.say("SIGTERM");
    m_.term_pending_ = true;
    m_.term_ns_ = m_.now_ns_ - m_.slept_ns_;
    const bool may = m_.job_saved_to_stop_ || m_.used_ >= 0.6 * kLimit;
    if (!may) m_.complain("SIGTERM for no reason");
  }
  return true;
}

// By the guard, of the whole tree: only for what it uses, or after SIGTERM and a time of grace.
inline bool Model::Group::kill() const {
  m_.call();
  if (m_.job_over_) return true;
  const double least = 0.99 * kLimit;
  const bool for_memory = m_.used_ >= least;
  const bool late = m_.term_ns_ >= 0 && m_.now_ns_ - m_.slept_ns_ >= m_.term_ns_ + kSecond;
  if (!for_memory && !late) m_.complain("killed for no reason");
  if (!m_.board_->ended_by_us) m_.complain("killed, and not said to be");
  m_.killed_by_guard_ = true;
  ++m_.counts_.kills;
  m_.end_job(137);
  m_.call();
  return true;
}

inline bool Model::Group::remove() const {
  m_.call();
  if (m_.job_over_) m_.group_removed_ = true;
  return m_.group_removed_;
}

inline void Model::Members::stop(Board& board) const {
  m_.call();
  board.stopped_count = 1;
  (void)m_.group_.freeze();
}

inline void Model::Members::go_on(Board& board) const {
  (void)m_.group_.thaw();
  board.stopped_count = 0;
}

inline Reading Model::Memory::read(double own_limit, const Ours& /*ours*/) const {
  m_.call();
  const bool lies = m_.schedule_.plant == Schedule::Plant::KillsTooEarly;
  const double used = m_.used_ * (lies ? 1.5 : 1);
  return {.used = used,
          .charged = used,
          .room = own_limit - used,
          .binding_used = used,
          .real_room = own_limit - used,
          .machine_total = 32e9,
          .machine_available = 16e9,
          .known = true};
}

// ---- Who lives in it.

inline void Model::end_job(int code) {
  if (job_over_) return;
  say("the job ends with", code);
  job_over_ = true;
  job_code_ = code;
  if (!somebody_can_thaw()) ++counts_.all_dead;
}

inline void Model::grow(double bytes) {
  used_ = std::max(used_ + bytes, 0.0);
  if (used_ > kernel_limit_ && !job_over_) {
    killed_by_kernel_ = true;
    ++counts_.kernel_kills;
    end_job(137);
  }
}

inline void Model::job() {
  using Manner = Schedule::Manner;
  const auto manner = schedule_.manner;
  auto* const place = tidegauge_ask_listener(page_, 0);
  const auto answer = [&](tidegauge_answer_state state, std::uint64_t number) {
    const tidegauge_answer words{.state = state,
                                 .answered = number,
                                 .step = 1,
                                 .bytes = 0,
                                 .error = 0,
                                 .text = "",
                                 .t_ns = 0};
    tidegauge_ask_answer(place, &words);
  };
  while (board_->job == 0) wait_for({}, kMs);
  if (manner != Manner::Deaf && manner != Manner::CatchesTerm) place->pid = kJobPid;
  std::uint64_t answered = 0;
  for (int step = 0; step < schedule_.steps && !job_over_; ++step) {
    grow(schedule_.bytes_per_step);
    if (manner == Manner::Healthy && used_ > 0.95 * kLimit) grow(1e9 - used_);
    wait_for(
        {}, static_cast<std::int64_t>(5 * kMs + static_cast<std::int64_t>(random_() % (20 * kMs))));
    if (term_pending_ && manner == Manner::CatchesTerm) return end_job(0);
    if (term_pending_ && manner != Manner::Stubborn) return end_job(143);
    const auto request = tidegauge_ask_request(page_);
    const auto number = tidegauge_ask_number(request);
    if (place->pid == 0 || number == answered) continue;
    answered = number;
    say("the job is asked for", tidegauge_ask_want(request));
    const bool stop = tidegauge_ask_want(request) == TIDEGAUGE_SAVE_AND_STOP;
    job_told_to_stop_ = job_told_to_stop_ || stop;
    answer(TIDEGAUGE_SAVING, number);
    wait_for({}, static_cast<std::int64_t>(10 * kMs +
                                           static_cast<std::int64_t>(random_() % (800 * kMs))));
    if (manner == Manner::DiskFull) {
      answer(TIDEGAUGE_NOT_SAVED, number);
      continue;
    }
    answer(TIDEGAUGE_SAVED, number);
    if (!stop) continue;
    job_saved_to_stop_ = true;
    if (manner != Manner::Stubborn) return end_job(0);
    for (int i = 0; i < 400 && !job_over_; ++i) wait_for({}, 50 * kMs);
  }
  end_job(0);
}

// Looks into the job for a moment, for long, or for ever.
inline void Model::looker() {
  board_->evidence_ready = true;
  while (true) {
    std::array<pollfd, 1> asked{{{kAsked, POLLIN, 0}}};
    (void)machine_.wait(asked, 3600 * kSecond);
    bells_[kAsked] = 0;
    wait_for({}, static_cast<std::int64_t>(random_() % (250 * kMs)));
    const auto number = board_->evidence_asked.load();
    board_->evidence_begun = number;
    const auto most = random_() % 8 == 0 ? 3 * kSecond : 100 * kMs;
    wait_for({}, static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most)));
    board_->evidence_done = number;
    ++bells_[kLooked];
  }
}

inline void Model::gauge() {
  members_.push_back(std::make_unique<Members>(*this));
  Settings settings{.save_seconds = 5, .grace_seconds = 2};
  roster_ = std::make_unique<Roster>(Hands{.board = *board_,
                                           .cell = group_,
                                           .meter = memory_,
                                           .machine = machine_,
                                           .herd = members_.front().get(),
                                           .page = page_,
                                           .wake = kWake,
                                           .bells = {kAsked, kLooked, kWake},
                                           .gauge = kPidfds,
                                           .limit = kLimit,
                                           .settings = settings});
  if (!roster_->start()) complain("could not start");
  roster_->guards(kPidfds + kJobPid);
  board_->began_ns = now_ns_;
  board_->main = kJobPid;
  board_->catches_term = schedule_.manner == Schedule::Manner::CatchesTerm;
  board_->disk_full = schedule_.manner == Schedule::Manner::DiskFull && chance() < 0.5;
  board_->job = kJobPid;
  std::uint64_t told = 0;
  const auto hear = [&] {
    for (const auto now = board_->told.load(); told < now; ++told) {
      const auto kind = board_->news[told % Board::kNews].kind;
      heard_.insert(kind);
      say("hears", static_cast<int>(kind));
    }
  };
  while (!job_over_) {
    // The end of a child of ours is told by a signal.
    std::array<pollfd, 2 + kLine> fds{{{kWake, POLLIN, 0}, {kPidfds + kJobPid, POLLIN, 0}}};
    std::size_t count = 2;
    for (const auto& peer : roster_->peers()) fds[count++] = {peer.pidfd, POLLIN, 0};
    (void)machine_.wait(std::span(fds).first(count), 500 * kMs);
    machine_.hush(kWake);
    board_->tree_bytes = used_;
    board_->write_tree({});
    if (schedule_.plant != Schedule::Plant::GaugeIsBlind) {
      roster_->look([&](NewsKind kind) {
        heard_.insert(kind);
        say("tells", static_cast<int>(kind));
      });
    }
    hear();
  }
  board_->counted = true;
  roster_->say_farewell();
  if (!board_->done) {
    group_.thaw();
  }
  hear();
  gauge_finished_ = true;
  machine_.leave();
}

// ---- What must hold.

inline void Model::check_end() {
  const bool gauge_lost = !gauge_finished_;  // killed, or stopped for ever
  const auto is_ours = [](const auto& one) { return one->guards; };
  const bool one_left = std::any_of(processes_.begin(), processes_.end(), [&](const auto& one) {
    return is_ours(one) && !one->dead && !one->stopped;
  });
  // Nobody is left who could do anything about it, and the document says so.
  const bool helpless = !somebody_can_thaw();
  constexpr auto kPromised = kLongestFreezeNs + kSecond;
  constexpr auto kPromisedOfKills = 3 * kSecond;
  constexpr auto kPromisedOfOne = 5 * kSecond + kSecond / 2;
  if (counts_.longest_freeze_ns > kPromised) complain("frozen for longer than promised");
  if (schedule_.only_kills() && counts_.longest_freeze_ns > kPromisedOfKills) {
    complain("frozen for longer than promised where there are kills alone");
  }
  if (schedule_.events.size() == 1 && counts_.longest_freeze_ns > kPromisedOfOne) {
    complain("frozen for longer than promised where one thing happens");
  }
  if (frozen_ && !job_over_ && !helpless) complain("left frozen");
  if (!job_over_ && !frozen_ && board_->job > 0) complain("the job has not ended");
  if (!job_over_) return;
  if (killed_by_guard_ && !board_->ended_by_us) complain("killed, and not said to be");
  if (gauge_lost) return;
  // One that was to be killed may have come to its limit first.
  const bool by_itself =
      !job_told_to_stop_ && !killed_by_guard_ && !killed_by_kernel_ && term_ns_ < 0;
  if (by_itself && board_->ended_by_us) complain("ended by itself, and was said to be stopped");
  if (job_saved_to_stop_ && !killed_by_guard_ && schedule_.manner != Schedule::Manner::Stubborn) {
    ++counts_.stops;
    const bool unguarded = heard_.contains(NewsKind::Unguarded);
    if (!board_->ended_by_us && !unguarded)
      complain("told to stop, and taken for one that is done");
  }
  if (killed_by_guard_ && !heard_.contains(NewsKind::Killed)) complain("killed without a word");
  if (one_left && board_->cleared) complain("one of ours is left behind");
}

}  // namespace tidegauge::guard
