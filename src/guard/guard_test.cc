// SPDX-License-Identifier: Apache-2.0
#include "guard/guard.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <rapidcheck.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "base/clock.h"
#include "guard/actor.h"
#include "guard/group_files.h"
#include "guard/herd.h"
#include "guard/kernel.h"
#include "guard/roster.h"
#include "proc/stat.h"
#include "record/temp_folder.h"

namespace tidegauge::guard {
namespace {

namespace fs = std::filesystem;

// A folder as /proc and /sys, with a version 2 whose memory controller is handed on.
class FakeGroups {
 public:
  FakeGroups() {
    put("proc/self/stat",
        "812 (tidegauge) S 1 812 812 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 93811 0 0 0 0 0 0 0 0 0 0 0 0 "
        "0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    put("proc/self/cgroup", "0::/job\n");
    put("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("proc/meminfo", "MemTotal: 16000000 kB\nMemFree: 1000000 kB\nMemAvailable: 12000000 kB\n");
    put("proc/vmstat", "nr_free_pages 1\nallocstall_dma 2\nallocstall_normal 7\noom_kill 3\n");
    group("sys/fs/cgroup/job", "max");
  }
  void group(const std::string& path, const std::string& limit) {
    put(path + "/memory.max", limit + "\n");
    put(path + "/memory.current", "600000000\n");
    put(path + "/memory.stat",
        "anon 400000000\nfile 200000000\ninactive_file 150000000\nactive_file 50000000\n");
    put(path + "/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 2\n");
    put(path + "/memory.events.local", "low 0\nhigh 0\nmax 0\noom 4\noom_kill 2\n");
    put(path + "/cgroup.procs", "");
    put(path + "/cgroup.freeze", "0\n");
    put(path + "/cgroup.events", "populated 1\nfrozen 0\n");
    put(path + "/cgroup.kill", "");
  }
  void put(const std::string& path, const std::string& text) {
    const auto whole = folder_.path() + "/" + path;
    fs::create_directories(fs::path(whole).parent_path());
    std::ofstream(whole) << text;
  }
  std::string text(const std::string& path) const {
    std::ifstream in(folder_.path() + "/" + path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  proc::Roots roots() const {
    return {.proc = folder_.path() + "/proc", .sys = folder_.path() + "/sys"};
  }
  std::string path(const std::string& of) const { return folder_.path() + "/" + of; }

 private:
  record::TempFolder folder_;
};

TEST(Meter, CountsWithoutPageCacheAndFindsTheLimitThatBinds) {
  FakeGroups fake;
  fake.group("sys/fs/cgroup/job/inner", "max");
  const std::vector<std::string> folders{fake.path("sys/fs/cgroup/job/inner"),
                                         fake.path("sys/fs/cgroup/job")};
  auto meter = Meter::open(fake.roots(), folders, 2);
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->read(0).used, 400e6);
  EXPECT_EQ(meter->read(0).charged, 600e6);
  // Nobody has a limit: the machine, less a margin.
  EXPECT_EQ(meter->read(0).room, (12000000 - 0.02 * 16000000) * 1024);
  EXPECT_EQ(meter->read(0).binding_used, 4000000 * 1024.0);
  EXPECT_EQ(meter->read(1e9).binding_used, 400e6);
  EXPECT_EQ(meter->read(1e9).room, 600e6);
  EXPECT_EQ(meter->counts().own, 2);
  EXPECT_EQ(meter->counts().machine, 3);
  EXPECT_EQ(meter->counts().stalls, 9);
  EXPECT_EQ(meter->counts().hits_own, 4);
  EXPECT_EQ(meter->counts().hits_above, 0);
  EXPECT_FALSE(meter->has_limit_above());

  fake.group("sys/fs/cgroup/job", "700000000");
  meter = Meter::open(fake.roots(), folders, 2);
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->read(1e9).room, 300e6);
  EXPECT_TRUE(meter->has_limit_above());
  EXPECT_EQ(meter->counts().hits_above, 4);
  fake.put("sys/fs/cgroup/job/memory.events.local", "low 0\n");
  EXPECT_EQ(Meter::open(fake.roots(), folders, 2)->counts().hits_above, -1) << "it does not say";
}

// Whatever our own processes take, the job is told the same of itself; only what is left in fact
// shrinks.
TEST(Meter, TakesOffWhatIsOurs) {
  EXPECT_TRUE(rc::check([] {
    const double job = *rc::gen::inRange(1, 1000) * 1e6;
    const double limit = *rc::gen::inRange(500, 3000) * 1e6;
    const bool own_group = *rc::gen::arbitrary<bool>();
    const Ours ours{.beside = *rc::gen::inRange(0, 500) * 1e6,
                    .inside = *rc::gen::inRange(0, 500) * 1e6};
    FakeGroups fake;
    const auto use = [&](const std::string& path, double bytes) {
      fake.put(path + "/memory.current", fmt::format("{:.0f}\n", bytes + 2e8));
    };
    fake.group("sys/fs/cgroup/job", fmt::format("{:.0f}", limit));
    fake.group("sys/fs/cgroup/job/inner", "max");
    use("sys/fs/cgroup/job/inner", job + ours.inside);
    use("sys/fs/cgroup/job", job + ours.inside + ours.beside);
    const auto outer = fake.path("sys/fs/cgroup/job");
    std::vector<std::string> folders{outer};
    if (own_group) folders.insert(folders.begin(), fake.path("sys/fs/cgroup/job/inner"));
    auto meter = Meter::open(fake.roots(), folders, 2);
    meter->share_with({outer});
    const auto reading = meter->read(0, ours);
    RC_ASSERT(std::abs(reading.used - job) < 1);
    RC_ASSERT(std::abs(reading.room - (limit - job)) < 1);
    RC_ASSERT(std::abs(reading.binding_used - job) < 1);
    RC_ASSERT(std::abs(reading.real_room - (limit - job - ours.inside - ours.beside)) < 1);
    RC_ASSERT(reading.with_us);
  }));
}

TEST(Meter, OfAGroupThatWeAreNotInNothingBesideIsOurs) {
  FakeGroups fake;
  fake.group("sys/fs/cgroup/job", "700000000");
  const auto meter = Meter::open(fake.roots(), {fake.path("sys/fs/cgroup/job")}, 2);
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->read(0, {.beside = 1e8}).used, 400e6);
  EXPECT_EQ(meter->read(0, {.beside = 1e8}).room, 300e6);
  EXPECT_EQ(meter->read(0, {.beside = 9e9, .inside = 9e9}).used, 0) << "measured at another moment";
}

TEST(Meter, KnowsWhetherItSeesAllGroupsAbove) {
  FakeGroups fake;
  const std::vector<std::string> folders{fake.path("sys/fs/cgroup/job"),
                                         fake.path("sys/fs/cgroup")};
  EXPECT_TRUE(Meter::open(fake.roots(), folders, 2)->may_have_hidden_limit());
  fake.put("sys/fs/cgroup/cgroup.controllers", "memory\n");
  EXPECT_FALSE(Meter::open(fake.roots(), folders, 2)->may_have_hidden_limit());
  fake.put("sys/fs/cgroup/memory.current", "1\n");
  EXPECT_TRUE(Meter::open(fake.roots(), folders, 2)->may_have_hidden_limit());
  // Version 1 says what the lowest limit is, wherever it is.
  const auto first = [&](const std::string& lowest) {
    fake.put("v1/memory.usage_in_bytes", "4096\n");
    fake.put("v1/memory.limit_in_bytes", "9223372036854771712\n");
    fake.put("v1/memory.stat", "cache 0\nhierarchical_memory_limit " + lowest + "\n");
    return Meter::open(fake.roots(), {fake.path("v1")}, 1)->may_have_hidden_limit();
  };
  EXPECT_FALSE(first("9223372036854771712"));
  EXPECT_TRUE(first("500000000"));
  const auto meter = Meter::open(fake.roots(), {fake.path("v1")}, 1);
  EXPECT_EQ(meter->read(0).room, 500000000 - 4096) << "somebody's limit above";
  EXPECT_EQ(meter->read(1e6).room, 1e6 - 4096) << "its own is less";
  fake.put("v1/release_agent", "");
  EXPECT_FALSE(first("500000000"));
}

TEST(Cell, IsEmptyWhereNoGroupCanBeMade) {
  FakeGroups fake;
  fs::remove_all(fake.path("sys"));
  const auto cell = Cell::make(fake.roots(), 1e9);
  EXPECT_FALSE(cell.can_freeze() || cell.can_kill() || cell.can_limit());
  EXPECT_EQ(cell.missing().size(), 2u);
  EXPECT_TRUE(cell.join_fds().empty());
  EXPECT_FALSE(cell.freeze() || cell.kill() || cell.set_limit(1) || cell.holds(1));
}

TEST(Cell, AFolderWithoutTheKernelsFilesIsNoGroup) {
  FakeGroups fake;
  {
    const auto cell = Cell::make(fake.roots(), 1e9);
    EXPECT_FALSE(cell.can_freeze() || cell.can_limit());
    ASSERT_EQ(cell.memory_folders().size(), 2u);  // it is measured by the group that we are in
    EXPECT_TRUE(fs::exists(fake.path("sys/fs/cgroup/job/tidegauge-812-93811")));
  }
  EXPECT_FALSE(fs::exists(fake.path("sys/fs/cgroup/job/tidegauge-812-93811")));
}

TEST(Cell, UsesTheGroupThatItFinds) {
  FakeGroups fake;
  // A kernel fills a new folder; here it is filled before, and so not ours to remove.
  fake.group("sys/fs/cgroup/job/tidegauge-812-93811", "max");
  const auto cell = Cell::make(fake.roots(), 1e9);
  EXPECT_FALSE(cell.can_limit()) << "one that is there already is somebody's";
}

TEST(Cell, RemovesEmptyGroupsOfGaugesThatHaveEnded) {
  FakeGroups fake;
  fake.put("proc/815/stat", fake.text("proc/self/stat").replace(0, 3, "815"));
  const std::string job = "sys/fs/cgroup/job/";
  const auto make = [&](const std::string& name, int hours_ago) {
    fs::create_directories(fake.path(job + name));
    fs::last_write_time(fake.path(job + name),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
  };
  for (const auto* name : {"tidegauge-813-5", "tidegauge-814-6-gauge", "tidegauge-815-93811",
                           "tidegauge-815-7", "tidegauge-x", "others"}) {
    make(name, 1);
  }
  fake.group(job + "tidegauge-816-8", "max");  // somebody is in it
  make("tidegauge-816-8", 1);
  make("tidegauge-817-9", 0);
  { const auto cell = Cell::make(fake.roots(), 1e9); }
  const auto is_there = [&](const std::string& name) { return fs::exists(fake.path(job + name)); };
  EXPECT_FALSE(is_there("tidegauge-813-5"));
  EXPECT_FALSE(is_there("tidegauge-814-6-gauge"));
  EXPECT_FALSE(is_there("tidegauge-815-7")) << "its pid is another's now";
  EXPECT_TRUE(is_there("tidegauge-815-93811")) << "its gauge lives";
  EXPECT_TRUE(is_there("tidegauge-816-8")) << "it is not empty";
  EXPECT_TRUE(is_there("tidegauge-817-9")) << "it may be of another pid namespace";
  EXPECT_TRUE(is_there("tidegauge-x") && is_there("others"));
}

// Children that wait for a signal, and how each has ended; all are gone with it.
class Children {
 public:
  explicit Children(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        while (true) ::pause();
      }
      pids_.push_back(pid);
    }
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (const auto pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  const std::vector<pid_t>& pids() const { return pids_; }
  // Ended and reaped: its pid is nobody's, and can be anybody's.
  void vacate(std::size_t index) {
    ::kill(pids_[index], SIGKILL);
    ::waitpid(pids_[index], nullptr, 0);
  }
  // Kills what is left, and says who had got SIGTERM before.
  std::set<pid_t> terminated() {
    std::set<pid_t> found;
    for (const auto pid : std::exchange(pids_, {})) {
      int status = 0;
      ::kill(pid, SIGKILL);
      if (::waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGTERM) found.insert(pid);
    }
    return found;
  }

 private:
  std::vector<pid_t> pids_;
};

// Whoever is named: only those get the signal that are in the group when they do.
TEST(Cell, SignalsOnlyWhomItHolds) {
  EXPECT_TRUE(rc::check([] {
    FakeGroups fake;
    fake.group("sys/fs/cgroup/job/cell", "max");
    Children children(*rc::gen::inRange(1, 6));
    const auto count = children.pids().size();
    std::string held;
    std::set<pid_t> expected;
    const auto gone = *rc::gen::inRange<std::size_t>(0, 2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      held += std::to_string(children.pids()[i]) + "\n";
      if (i != gone) expected.insert(children.pids()[i]);
    }
    fake.put("sys/fs/cgroup/job/cell/cgroup.procs", held);
    const auto cell = Cell::of_folder(fake.path("sys/fs/cgroup/job/cell"), 2);
    if (gone < count) children.vacate(gone);
    for (const auto pid : children.pids()) {
      const bool sent = cell.signal(pid, SIGTERM);
      RC_ASSERT(sent == expected.contains(pid));
    }
    for (const pid_t nobody : {0, -1, 1}) RC_ASSERT(!cell.signal(nobody, 0));
    // The signal is acted on before the kill that follows, or not at all.
    for (const auto pid : expected) {
      siginfo_t info{};
      ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    }
    RC_ASSERT(children.terminated() == expected);
  }));
}

std::uint64_t ticks_of(pid_t pid) {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  const auto stat = proc::read_stat(*root, pid);
  return stat ? stat->id.start_ticks : 0;
}

Board::Tree tree_of(const std::vector<pid_t>& pids) {
  Board::Tree tree;
  for (const auto pid : pids) tree.list[tree.count++] = {pid, ticks_of(pid)};
  return tree;
}

bool waits_for(pid_t pid, int what) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, what) == 0 && info.si_pid == pid;
}

// Whoever was named with another start time is another process.
TEST(Herd, SignalsOnlyWhomItWasToldOf) {
  EXPECT_TRUE(rc::check([] {
    const auto board = make_board();
    Children children(*rc::gen::inRange(1, 6));
    auto tree = tree_of(children.pids());
    std::set<pid_t> expected;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tree.count; ++i) {
      const auto fate = *rc::gen::inRange(0, 3);  // told, not told, another that had its pid
      auto member = tree.list[i];
      if (fate == 0) expected.insert(member.pid);
      if (fate == 2) ++member.start_ticks;
      if (fate != 1) tree.list[kept++] = member;
    }
    tree.count = kept;
    board->write_tree(tree);
    Herd herd;
    herd.follow(*board);
    RC_ASSERT(herd.size() == expected.size());
    for (const auto pid : children.pids()) {
      const bool sent = herd.signal(pid, SIGTERM);
      RC_ASSERT(sent == expected.contains(pid));
    }
    for (const auto pid : expected) RC_ASSERT(waits_for(pid, WEXITED | WNOWAIT));
    RC_ASSERT(children.terminated() == expected);
  }));
}

TEST(Herd, StopsAndGoesOn) {
  const auto board = make_board();
  Children children(2);
  board->write_tree(tree_of(children.pids()));
  Herd herd;
  herd.follow(*board);
  herd.stop(*board);
  for (const auto pid : children.pids()) EXPECT_TRUE(waits_for(pid, WSTOPPED));
  herd.go_on(*board);
  for (const auto pid : children.pids()) EXPECT_TRUE(waits_for(pid, WCONTINUED));
  board->write_tree({});
  herd.follow(*board);
  EXPECT_EQ(herd.size(), 0u);
}

TEST(Herd, KnowsWhatItHolds) {
  const auto board = make_board();
  Children children(2);
  Herd herd;
  EXPECT_EQ(herd.bytes(), 0);
  board->write_tree(tree_of(children.pids()));
  herd.follow(*board);
  const double both = herd.bytes();
  EXPECT_GT(both, 2 * 4096);
  children.vacate(0);
  const double one = herd.bytes();
  EXPECT_GT(one, 4096);
  EXPECT_LT(one, both);
}

// Another one that has stopped them is gone, and knew of one that is in nobody's list any more.
TEST(Herd, LetsThoseGoOnWhomTheBoardNames) {
  const auto board = make_board();
  Children children(1);
  board->write_tree(tree_of(children.pids()));
  {
    Herd herd;
    herd.follow(*board);
    herd.stop(*board);
  }
  EXPECT_TRUE(waits_for(children.pids().front(), WSTOPPED));
  board->write_tree({});
  Herd another;
  another.follow(*board);
  another.go_on(*board);
  EXPECT_TRUE(waits_for(children.pids().front(), WCONTINUED));
}

// The guard's processes, ended with it.
class Line {
 public:
  explicit Line(const Hands& hands) : roster(hands) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    EXPECT_TRUE(roster.start());
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    roster.close();
    for (const auto& peer : roster.peers()) {
      ::kill(peer.pid, SIGKILL);
      siginfo_t info{};
      ::waitid(P_PIDFD, static_cast<id_t>(peer.pidfd), &info, WEXITED | WNOWAIT);
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  pid_t pid(std::size_t place) const { return roster.peers()[place].pid; }

  Roster roster;
};

// Without a group it is stopped by signals: if the actor dies then, its twin lets the job go on.
TEST(Twin, LetsAStoppedJobGoOn) {
  FakeGroups fake;
  fs::remove_all(fake.path("sys"));
  const auto cell = Cell::make(fake.roots(), 0);
  const auto meter = Meter::open(fake.roots(), {}, 0);
  ASSERT_TRUE(meter);
  const auto board = make_board();
  const auto self = pidfd_of(::getpid());
  Children children(1);
  const auto job = children.pids().front();
  board->write_tree(tree_of(children.pids()));
  Kernel kernel;
  kernel.keep_open(meter->fds());
  Herd herd;
  Line line({.board = *board,
             .cell = cell,
             .meter = *meter,
             .machine = kernel,
             .herd = &herd,
             .gauge = self.get()});
  const auto actor = line.pid(0);
  ::kill(actor, SIGSTOP);  // so that it does nothing about it itself
  ASSERT_TRUE(waits_for(actor, WSTOPPED));
  board->job = job;
  // Not for so long that the twin would let it go on while the actor lives.
  board->frozen_since_ns = clock_ns(CLOCK_MONOTONIC);
  ::kill(job, SIGSTOP);
  EXPECT_TRUE(waits_for(job, WSTOPPED));
  ::kill(actor, SIGKILL);
  EXPECT_TRUE(waits_for(job, WCONTINUED));
}

// Its files are those of version 2, and the code is that of every day; only the kernel is missing.
class FakeCell {
 public:
  static constexpr double kLimit = 1e9;
  FakeCell() {
    fake.group(kFolder, "max");
    fake.put(kFolder + "/memory.high", "max\n");
    uses(400e6);
  }
  void uses(double bytes) {
    fake.put(kFolder + "/memory.current", fmt::format("{:.0f}\n", bytes + 2e8));
  }
  std::string text(const std::string& file) const { return fake.text(kFolder + "/" + file); }

  FakeGroups fake{};
  const std::string kFolder = "sys/fs/cgroup/job/cell";
};

TEST(Cell, OfVersion2HasAWireAndABrake) {
  FakeCell it;
  const auto cell = Cell::of_folder(it.fake.path(it.kFolder), 2, FakeCell::kLimit);
  EXPECT_EQ(it.text("memory.max").substr(0, 10), "1000000000");
  const auto wire = cell.trip_wire(9e8);
  ASSERT_TRUE(wire);
  EXPECT_EQ(it.text("memory.high").substr(0, 9), "900000000");
  pollfd one{wire.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&one, 1, 0), 0);
  it.fake.put(it.kFolder + "/memory.events", "low 0\nhigh 1\nmax 0\noom 0\noom_kill 2\n");
  EXPECT_EQ(::poll(&one, 1, 10'000), 1);
  EXPECT_TRUE(cell.release_brake());
  EXPECT_EQ(it.text("memory.high").substr(0, 3), "max");
}

TEST(Actor, GoesUpTheLadderInAFakeVersion2) {
  FakeCell it;
  const auto cell = Cell::of_folder(it.fake.path(it.kFolder), 2, FakeCell::kLimit);
  const auto meter = Meter::open(it.fake.roots(), cell.memory_folders(), 2);
  ASSERT_TRUE(meter);
  const auto board = make_board();
  const auto self = pidfd_of(::getpid());
  const auto wake = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  Children children(1);
  const auto wire = cell.trip_wire(9e8);
  Kernel kernel;
  kernel.keep_open(cell.fds());
  kernel.keep_open(meter->fds());
  Herd herd;
  const Line line({.board = *board,
                   .cell = cell,
                   .meter = *meter,
                   .machine = kernel,
                   .herd = &herd,
                   .wake = wake.get(),
                   .gauge = self.get(),
                   .trip_wire = wire.get(),
                   .limit = FakeCell::kLimit});
  board->job = children.pids().front();
  it.uses(999e6);
  it.fake.put(it.kFolder + "/memory.events", "low 0\nhigh 1\nmax 0\noom 0\noom_kill 2\n");
  const auto was_told = [&](NewsKind kind) {
    const auto* const end = board->news.begin() + board->told.load();
    return std::any_of(board->news.cbegin(), end,
                       [&](const News& one) { return one.kind == kind; });
  };
  std::uint64_t count = 0;
  while (!was_told(NewsKind::Killed)) ASSERT_EQ(::read(wake.get(), &count, sizeof count), 8);
  children.vacate(0);
  board->counted = true;
  while (!was_told(NewsKind::Ended)) ASSERT_EQ(::read(wake.get(), &count, sizeof count), 8);
  EXPECT_EQ(board->phase, Phase::Killed);
  EXPECT_EQ(it.text("cgroup.kill"), "1");
  EXPECT_EQ(it.text("cgroup.freeze").front(), '0') << "nothing is left frozen";
  EXPECT_EQ(board->freezes, 1u);
  EXPECT_EQ(it.text("memory.high").substr(0, 3), "max");
}

TEST(Owner, IsInTheName) {
  EXPECT_EQ(owner_of("tidegauge-812-93811")->pid, 812);
  EXPECT_EQ(owner_of("tidegauge-812-93811")->start_ticks, 93811u);
  for (const auto* name : {"tidegauge-", "tidegauge-812", "tidegauge--1-2", "tidegauge-0-5",
                           "user.slice", "tidegauge-1-x"}) {
    EXPECT_FALSE(owner_of(name)) << name;
  }
}

TEST(Culprit, IsToldByCounters) {
  const Status killed{.exited = false, .code = 137, .signal = SIGKILL};
  const Status by_shell{.exited = true, .code = 137, .signal = 0};
  const Status done{.exited = true, .code = 0, .signal = 0};
  const Status broke{.exited = true, .code = 1, .signal = 0};
  const Status stopped{.exited = false, .code = 143, .signal = SIGTERM};
  struct Case {
    const char* what;
    Ending ending;
    Status status;
    Culprit culprit;
  };
  const auto kernel = [](KillCause cause) { return Ending{.kills = 1, .cause = cause}; };
  const Case cases[] = {
      {"nothing was counted", {.kills = 0, .kills_on_machine = 0}, done, Culprit::Itself},
      {"the guard did it", {.by_us = true, .kills = 0}, done, Culprit::Us},
      {"its own limit", kernel(KillCause::OwnLimit), killed, Culprit::OwnLimit},
      {"a part of it, and it broke", kernel(KillCause::OwnLimit), broke, Culprit::OwnLimit},
      {"a part of it, and it did without", kernel(KillCause::OwnLimit), done, Culprit::Itself},
      {"below a shell", kernel(KillCause::LimitAbove), by_shell, Culprit::LimitAbove},
      {"the machine", kernel(KillCause::Machine), killed, Culprit::Machine},
      {"whose limit is not known", kernel(KillCause::Unknown), killed, Culprit::Kernel},
      {"others were killed", {.kills = 0, .kills_on_machine = 2}, killed, Culprit::Unknown},
      {"others, and it ended well", {.kills = 0, .kills_on_machine = 2}, done, Culprit::Itself},
      {"its group cannot be read", {.kills_on_machine = 2}, killed, Culprit::PerhapsKernel},
      {"the same, and nobody was", {.kills_on_machine = 0}, killed, Culprit::Unknown},
      {"the same, and SIGTERM", {.kills_on_machine = 2}, stopped, Culprit::Nobody},
      {"oomd", {.kills = 0, .kills_by_oomd = 3}, killed, Culprit::Oomd},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(culprit_of(one.ending, one.status), one.culprit) << one.what;
  }
}

}  // namespace
}  // namespace tidegauge::guard
