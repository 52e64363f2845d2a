// SPDX-License-Identifier: Apache-2.0
#include "guard/guard.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "base/beside.h"
#include "base/clock.h"
#include "guard/actor.h"
#include "guard/group_files.h"
#include "guard/herd.h"
#include "guard/kernel.h"
#include "guard/post_mortem.h"
#include "guard/roster.h"
#include "proc/root.h"
#include "proc/stat.h"

namespace tidegauge::guard {

namespace {

// Whether one of ours was stopped nobody tells.
constexpr std::int64_t kRosterNs = 500'000'000;
constexpr std::int64_t kOursEveryNs = 200'000'000;

// Who never did it before has no count at all.
std::int64_t since_none(std::int64_t before, std::int64_t now) {
  return now < 0 ? -1 : now - std::max<std::int64_t>(before, 0);
}

std::int64_t since(std::int64_t before, std::int64_t now) {
  return before < 0 || now < 0 ? -1 : std::max<std::int64_t>(now - before, 0);
}

}  // namespace

struct Guard::State {
  State(Cell its_cell, Meter its_meter, BoardPtr its_board, double its_limit)
      : cell(std::move(its_cell)),
        meter(std::move(its_meter)),
        board(std::move(its_board)),
        limit(its_limit) {}

  Cell cell;
  Meter meter;
  std::optional<Meter> our_meter{};  // of the groups that we are in
  BoardPtr board;
  double limit;
  // While the job grows we do, too: a census of it is large.
  void look_at_ourselves() {
    const auto now = clock_ns(CLOCK_MONOTONIC);
    if (now < ours_due_ns) return;
    ours_due_ns = now + kOursEveryNs;
    const auto& folders = cell.memory_folders();
    const auto ours = measure_ours(roots, folders.empty() ? "" : folders.front());
    board->ours_beside = ours.beside;
    board->ours_inside = ours.inside;
  }
  EvidenceBells bells() const { return {evidence_asked.get(), evidence_done.get(), wake.get()}; }

  proc::Roots roots{};
  std::int64_t ours_due_ns = 0;
  bool asks = false;
  UniqueFd wake{};
  UniqueFd evidence_asked{};
  UniqueFd evidence_done{};
  UniqueFd own_pidfd{};
  UniqueFd trip_wire{};
  UniqueFd job{};           // pidfd
  std::uint64_t heard = 0;  // of the news
  KillCounts before{};
  KillWatch kills{};
  std::int64_t oomd_before = -1;
  Herd herd{};
  Kernel kernel{};
  std::optional<Roster> roster{};
  UniqueFd clock{};
  UniqueFd bell{};  // rings for wake and clock

  void hang_bell();
};

void Guard::State::hang_bell() {
  bell = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  clock = UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const itimerspec often{{0, kRosterNs}, {0, kRosterNs}};
  if (clock) ::timerfd_settime(clock.get(), 0, &often, nullptr);
  for (const int fd : {wake.get(), clock.get()}) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    ::epoll_ctl(bell.get(), EPOLL_CTL_ADD, fd, &event);
  }
}

Guard::Guard(std::unique_ptr<State> state) : state_(std::move(state)) {}
Guard::Guard(Guard&&) noexcept = default;
Guard::~Guard() {
  if (state_) (void)finish();
}

Result<Guard> Guard::start(const proc::Roots& roots, const Settings& settings, double limit_bytes,
                           const record::AskPage* page) {
  return begin(roots, Cell::make(roots, limit_bytes), settings, limit_bytes, page);
}

Result<Guard> Guard::attach(const proc::Roots& roots, const Settings& settings,
                            record::ProcessId top, double limit_bytes,
                            const record::AskPage* page) {
  auto guard = begin(roots, Cell::adopt(roots, top), settings, limit_bytes, page);
  if (!guard) return guard;
  // The actor is there already: whatever becomes of us now, it brings the tree back.
  if (guard->cell().take_in(roots, top)) {
    guard->began(top.pid);
    return guard;
  }
  (void)guard->finish();
  auto beside = begin(roots, Cell::beside(roots, top), settings, limit_bytes, page);
  if (beside) beside->began(top.pid);
  return beside;
}

Result<Guard> Guard::begin(const proc::Roots& roots, Cell cell, const Settings& settings,
                           double limit_bytes, const record::AskPage* page) {
  auto meter = Meter::open(roots, cell.memory_folders(), cell.memory_version());
  if (!meter) return meter.error();
  auto board = make_board();
  if (!board) return from_errno(errno, "memory for the guard");
  const double limit = cell.can_limit() ? limit_bytes : 0;
  auto state = std::make_unique<State>(std::move(cell), *std::move(meter), std::move(board), limit);
  state->wake = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  state->our_meter = meter_around(roots, ::getpid());
  state->roots = roots;
  if (state->our_meter) state->meter.share_with(state->our_meter->folders());
  state->evidence_asked = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  state->evidence_done = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  state->own_pidfd = pidfd_of(::getpid());
  // Without one of them its processes would never learn that the gauge has ended.
  state->hang_bell();
  if (!state->wake || !state->evidence_asked || !state->evidence_done || !state->own_pidfd ||
      !state->clock || !state->bell) {
    return from_errno(EMFILE, "descriptors for the guard");
  }
  state->before = state->meter.counts();
  state->kills = KillWatch(state->meter.may_have_hidden_limit());
  state->kills.look(state->before);
  state->oomd_before = oomd_kills(state->cell.memory_folders());
  state->asks = page != nullptr;
  if (limit > 0) {
    const auto now = state->meter.read(limit);
    const double lendable = lendable_of(limit, now.machine_total, now.machine_available, settings);
    state->cell.set_limit(kernel_limit_of(limit, lendable));
    const auto lines = lines_of({limit, lendable}, {}, {}, settings);
    state->trip_wire = state->cell.trip_wire(lines.freeze);
  }
  state->kernel.keep_open(state->cell.fds());
  state->kernel.keep_open(state->meter.fds());
  state->roster.emplace(Hands{.board = *state->board,
                              .cell = state->cell,
                              .meter = state->meter,
                              .machine = state->kernel,
                              .herd = &state->herd,
                              .page = page != nullptr ? page->raw() : nullptr,
                              .wake = state->wake.get(),
                              .bells = state->bells(),
                              .gauge = state->own_pidfd.get(),
                              .trip_wire = state->trip_wire.get(),
                              .limit = limit,
                              .wanted_limit = limit_bytes - limit,
                              .settings = settings});
  if (!state->roster->start()) {
    const auto failed = from_errno(errno, kNoProcess);
    state->board->over = true;
    return failed;
  }
  return Guard(std::move(state));
}

const Cell& Guard::cell() const {
  return state_->cell;
}

Means Guard::means() const {
  return {.freeze = state_->cell.can_freeze(),
          .halt = !state_->cell.can_freeze(),
          .limit = state_->cell.can_limit(),
          .kill = state_->cell.can_kill(),
          .asked = state_->asks};
}

int Guard::fd() const {
  return state_->bell.get();
}

EvidenceDesk Guard::desk() const {
  const auto& ours = state_->our_meter;
  return {*state_->board, ours ? &*ours : nullptr, state_->bells()};
}

std::uint64_t Guard::evidence_asked() const {
  return state_->board->evidence_asked;
}

void Guard::tell_largest(const record::ProcessId& id) {
  state_->board->largest_ticks = id.start_ticks;
  state_->board->largest_pid = id.pid;
}

void Guard::began(pid_t job) {
  state_->board->began_ns = clock_ns(CLOCK_MONOTONIC);
  state_->job = pidfd_of(job);
  state_->roster->guards(state_->job.get());
  state_->board->main = job;
  state_->board->job = job;
}

void Guard::tell(const Outlook& outlook, pid_t main, bool catches_term) {
  auto& board = *state_->board;
  board.step_seconds = outlook.step_seconds;
  board.bytes_per_step = outlook.bytes_per_step;
  board.save_bytes = outlook.save_bytes;
  board.disk_full = outlook.disk_full;
  board.word = outlook.word;
  board.main = main;
  board.catches_term = catches_term;
}

void Guard::tell_tree(const std::vector<record::ProcessId>& tree, double bytes) {
  state_->board->tree_bytes = bytes;
  state_->kills.look(state_->meter.counts());
  state_->look_at_ourselves();
  if (state_->cell.can_freeze()) return;
  Board::Tree list;
  for (const auto& id : tree) {
    if (list.count < list.list.size()) list.list[list.count++] = {id.pid, id.start_ticks};
  }
  state_->board->write_tree(list);
}

std::vector<News> Guard::take_news() {
  state_->kernel.hush(state_->wake.get());
  state_->kernel.hush(state_->clock.get());
  std::vector<News> news;
  state_->roster->look([&news](NewsKind kind) {
    news.push_back({.at_ns = clock_ns(CLOCK_MONOTONIC), .kind = kind});
  });
  const auto told = state_->board->told.load();
  state_->heard = std::max(state_->heard, told > Board::kNews ? told - Board::kNews : 0);
  for (; state_->heard < told; ++state_->heard) {
    news.push_back(state_->board->news[state_->heard % Board::kNews]);
  }
  return news;
}

Ending Guard::finish() {
  auto& board = *state_->board;
  // While its groups are still there: the one that acts removes them then.
  const auto now = state_->meter.counts();
  const auto oomd_now = oomd_kills(state_->cell.memory_folders());
  state_->kills.look(now);
  board.counted = true;
  // It sees the job's end by itself; where there was none it has to be told.
  if (board.job == 0 || state_->cell.is_adopted()) board.over = true;
  state_->roster->say_farewell();
  // Whatever has become of ours, nothing is left frozen.
  if (!board.done) {
    state_->cell.thaw();
    if (board.frozen_since_ns != 0) {
      state_->herd.follow(board);
      state_->herd.go_on(board);
    }
  }
  return {.by_us = board.ended_by_us,
          .killed = board.ended_by_us && board.phase == Phase::Killed,
          .for_time = board.for_time,
          .kills = since(state_->before.own, now.own),
          .cause = state_->kills.cause(),
          .kills_on_machine = since(state_->before.machine, now.machine),
          .kills_by_oomd = since_none(state_->oomd_before, oomd_now),
          .peak_bytes = board.peak,
          .limit_bytes = state_->limit,
          .lent_bytes = board.most_lent,
          .asks = board.asks,
          .freezes = board.freezes,
          .frozen_seconds = static_cast<double>(board.frozen_ns) / 1e9,
          .longest_freeze_seconds = static_cast<double>(board.longest_freeze_ns) / 1e9};
}

namespace {

Culprit culprit_of(KillCause cause) {
  switch (cause) {
    case KillCause::OwnLimit:
      return Culprit::OwnLimit;
    case KillCause::LimitAbove:
      return Culprit::LimitAbove;
    case KillCause::Machine:
      return Culprit::Machine;
    case KillCause::Unknown:
      break;
  }
  return Culprit::Kernel;
}

}  // namespace

Culprit culprit_of(const Ending& ending, const Status& status) {
  if (ending.by_us) return Culprit::Us;
  // One that came to a good end did without whom the kernel killed.
  if (status.exited && status.code == 0) return Culprit::Itself;
  if (ending.kills > 0) return culprit_of(ending.cause);
  const bool killed = status.signal == SIGKILL || status.code == 128 + SIGKILL;
  if (!killed) return status.signal == 0 ? Culprit::Itself : Culprit::Nobody;
  if (ending.kills_by_oomd > 0) return Culprit::Oomd;
  // The machine's count is one of all kills, in whatever group: where the job's own is known, it
  // says nothing about the job.
  if (ending.kills < 0 && ending.kills_on_machine > 0) return Culprit::PerhapsKernel;
  return Culprit::Unknown;
}

std::string words_of(Culprit culprit, const Status& status) {
  switch (culprit) {
    case Culprit::Nobody:
      return fmt::format("ended by signal {}", status.signal);
    case Culprit::Itself:
      return "ended by itself";
    case Culprit::Us:
      return "ended by the guard";
    case Culprit::OwnLimit:
      return "killed by the kernel for the memory limit of its group";
    case Culprit::LimitAbove:
      return "killed by the kernel for the memory limit of a group above it";
    case Culprit::Machine:
      return "killed by the kernel because the machine had no memory left";
    case Culprit::Kernel:
      return "killed by the kernel for want of memory; whose limit it was is not known";
    case Culprit::PerhapsKernel:
      return "killed by signal 9, most likely by the kernel, which killed for want of memory on "
             "this "
             "machine then";
    case Culprit::Earlyoom:
      return "killed by earlyoom";
    case Culprit::Oomd:
      return "killed by systemd-oomd";
    case Culprit::Outside:
      return fmt::format("SIGTERM from outside; it ended with exit code {}", status.code);
    case Culprit::Unknown:
      break;
  }
  return "killed by signal 9, sender unknown";
}

}  // namespace tidegauge::guard
