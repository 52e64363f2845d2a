// SPDX-License-Identifier: Apache-2.0
#include "proc/tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/fd.h"
#include "proc/fake_process.h"
#include "proc/puppet.h"

namespace tidegauge::proc {
namespace {

using Pids = std::vector<pid_t>;

// By their numbers, which may go around between two that are born.
Pids sorted(Pids pids) {
  std::sort(pids.begin(), pids.end());
  return pids;
}

Pids pids_of(const std::vector<Joined>& joined) {
  Pids pids;
  for (const auto& one : joined) pids.push_back(one.stat.id.pid);
  return sorted(std::move(pids));
}

// A folder as /proc and the tree below process 10 of it.
class FakeTree : public ::testing::Test {
 protected:
  FakeTree() : root_(*proc_.root()), tree_(root_) {
    FakeProcess{.pid = 1, .parent = 0, .start_ticks = 1, .name = "init"}.put_into(proc_);
    FakeProcess{.pid = 10, .parent = 1, .group = 10}.put_into(proc_);
    EXPECT_TRUE(tree_.add_root(root_, 10));
  }
  Pids grow() { return pids_of(tree_.grow(root_, ++now_ns_)); }

  FakeProc proc_;
  Root root_;
  Tree tree_;
  std::int64_t now_ns_ = 0;
};

TEST_F(FakeTree, TakesInAllDescendants) {
  FakeProcess{.pid = 11, .parent = 10}.put_into(proc_);
  FakeProcess{.pid = 5, .parent = 11}.put_into(proc_);  // pids went around
  FakeProcess{.pid = 12, .parent = 5}.put_into(proc_);
  FakeProcess{.pid = 13, .parent = 1}.put_into(proc_);
  EXPECT_EQ(grow(), (Pids{5, 11, 12}));
  EXPECT_EQ(grow(), Pids{});
  FakeProcess{.pid = 14, .parent = 12, .start_ticks = 200}.put_into(proc_);
  EXPECT_EQ(grow(), (Pids{14}));
}

TEST_F(FakeTree, NamesTheParentByPidAndStartTime) {
  FakeProcess{.pid = 11, .parent = 10, .start_ticks = 150}.put_into(proc_);
  const auto joined = tree_.grow(root_, 1);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].parent, (record::ProcessId{10, 100}));
}

TEST_F(FakeTree, AMemberStaysOneWhenItsParentEnds) {
  FakeProcess{.pid = 11, .parent = 10}.put_into(proc_);
  FakeProcess{.pid = 12, .parent = 11}.put_into(proc_);
  EXPECT_EQ(grow(), (Pids{11, 12}));
  proc_.exit(11);
  tree_.leave({11, 100});
  FakeProcess{.pid = 12, .parent = 1}.put_into(proc_);
  FakeProcess{.pid = 13, .parent = 12, .start_ticks = 300}.put_into(proc_);
  EXPECT_EQ(grow(), (Pids{13}));
  EXPECT_TRUE(tree_.contains({12, 100}));
}

TEST_F(FakeTree, AReusedPidIsAnotherProcess) {
  FakeProcess{.pid = 11, .parent = 10}.put_into(proc_);
  grow();
  tree_.leave({11, 100});
  FakeProcess{.pid = 11, .parent = 1, .start_ticks = 900}.put_into(proc_);
  EXPECT_EQ(grow(), Pids{});
  FakeProcess{.pid = 20, .parent = 11, .start_ticks = 901}.put_into(proc_);
  EXPECT_EQ(grow(), Pids{});
  EXPECT_FALSE(tree_.contains({11, 900}));
}

TEST_F(FakeTree, AReusedPidMayBeOursAgain) {
  FakeProcess{.pid = 11, .parent = 10}.put_into(proc_);
  grow();
  tree_.leave({11, 100});
  FakeProcess{.pid = 11, .parent = 10, .start_ticks = 900}.put_into(proc_);
  EXPECT_EQ(grow(), (Pids{11}));
  EXPECT_TRUE(tree_.contains({11, 900}));
}

TEST_F(FakeTree, AnOrphanIsKnownByItsGroup) {
  FakeProcess{.pid = 19, .parent = 1, .start_ticks = 100, .group = 10}.put_into(proc_);
  EXPECT_EQ(grow(), Pids{});  // was there before we looked: we cannot know
  FakeProcess{.pid = 20, .parent = 1, .start_ticks = 500, .group = 10}.put_into(proc_);
  FakeProcess{.pid = 21, .parent = 1, .start_ticks = 500, .group = 99}.put_into(proc_);
  const auto joined = tree_.grow(root_, 5);
  ASSERT_EQ(pids_of(joined), (Pids{20}));
  EXPECT_EQ(joined[0].parent, record::ProcessId{});  // who started it cannot be known
}

TEST_F(FakeTree, WhereOrphansComeToUsThoseOfInitAreOthers) {
  EXPECT_EQ(grow(), Pids{});
  FakeProcess{.pid = 20, .parent = 1, .start_ticks = 500, .group = 10}.put_into(proc_);
  FakeProcess{.pid = 21, .parent = ::getpid(), .start_ticks = 500, .group = 99}.put_into(proc_);
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const auto joined = tree_.grow(root_, 5);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_EQ(pids_of(joined), (Pids{21}));
}

// A job may have orphans in its first milliseconds, before anybody looks. Within a tick pids tell
// who was born first; those that we have started before the job are not its.
TEST(Tree, WhereOrphansComeToUsThoseOfBeforeTheFirstLookAreTheJobs) {
  constexpr pid_t kJob = 5'000'010;  // no pid of a real process, as ours is
  const auto us = ::getpid();
  FakeProc proc;
  FakeProcess{.pid = kJob, .parent = us, .start_ticks = 100, .group = 9}.put_into(proc);
  FakeProcess{.pid = kJob - 1, .parent = us, .start_ticks = 100, .group = 9}.put_into(proc);
  FakeProcess{.pid = kJob + 1, .parent = us, .start_ticks = 90, .group = 9}.put_into(proc);
  FakeProcess{.pid = kJob + 2, .parent = us, .start_ticks = 100, .group = 9}.put_into(proc);
  FakeProcess{.pid = kJob - 2, .parent = us, .start_ticks = 103, .group = 9}.put_into(proc);
  FakeProcess{.pid = kJob + 3, .parent = 1, .start_ticks = 103, .group = 9}.put_into(proc);
  const auto root = *proc.root();
  Tree tree(root);
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  ASSERT_TRUE(tree.add_root(root, kJob));
  const auto joined = tree.grow(root, 1);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_EQ(pids_of(joined), (Pids{kJob - 2, kJob + 2}));
}

TEST_F(FakeTree, ThreadsAndTheEndedAreNoMembers) {
  FakeProcess{.pid = 11, .parent = 10, .thread_group = 3}.put_into(proc_);
  FakeProcess{.pid = 12, .parent = 10, .state = 'Z'}.put_into(proc_);
  FakeProcess{.pid = 13, .parent = 10, .state = 'Z', .threads = 2}.put_into(proc_);
  EXPECT_EQ(grow(), (Pids{13}));  // its first thread has ended, it has not
}

TEST_F(FakeTree, TwoRootsCanShareDescendants) {
  FakeProcess{.pid = 11, .parent = 10}.put_into(proc_);
  FakeProcess{.pid = 12, .parent = 11}.put_into(proc_);
  grow();
  EXPECT_TRUE(tree_.add_root(root_, 11));
  EXPECT_EQ(grow(), Pids{});
  EXPECT_EQ(tree_.size(), 3u);
}

TEST_F(FakeTree, APartOfTheKernelHasNoTree) {
  auto thread = FakeProcess{.pid = 20, .parent = 2, .name = "kworker/0:1"}.stat();
  const auto flags = thread.find(" -1 0 ");
  ASSERT_NE(flags, thread.npos);
  proc_.file(20, "stat", thread.replace(flags, 6, " -1 69238880 "));
  const auto added = tree_.add_root(root_, 20);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().reason, Reason::Unsupported);
}

TEST_F(FakeTree, ARootThatIsNotThereIsGone) {
  EXPECT_EQ(tree_.add_root(root_, 99).error().reason, Reason::Gone);
  FakeProcess{.pid = 98, .state = 'Z'}.put_into(proc_);
  EXPECT_EQ(tree_.add_root(root_, 98).error().reason, Reason::Gone);
}

TEST_F(FakeTree, CanBeToldWhoBelongs) {
  FakeProcess{.pid = 11, .parent = 10}.put_into(proc_);
  FakeProcess{.pid = 12, .parent = 1}.put_into(proc_);
  const Pids pids{10, 12, 77};
  EXPECT_EQ(pids_of(tree_.grow_to(root_, pids)), (Pids{12}));
  EXPECT_FALSE(tree_.contains({11, 100}));
}

// Whoever is a child's parent, the tree is what can be reached from its root.
TEST(Tree, IsWhatCanBeReachedFromItsRoot) {
  EXPECT_TRUE(rc::check([] {
    const auto parents =
        *rc::gen::resize(15, rc::gen::container<std::vector<pid_t>>(rc::gen::inRange(1, 15)));
    FakeProc proc;
    FakeProcess{.pid = 1, .parent = 0, .start_ticks = 1}.put_into(proc);
    std::vector<bool> ours(parents.size() + 2, false);
    ours[2 < ours.size() ? 2 : 1] = parents.size() > 0;
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const auto pid = static_cast<pid_t>(i + 2);
      const auto parent = std::min(parents[i], pid - 1);  // parents are born before their children
      FakeProcess{.pid = pid, .parent = parent, .start_ticks = 100 + i / 3}.put_into(proc);
      if (pid > 2) ours[static_cast<std::size_t>(pid)] = ours[static_cast<std::size_t>(parent)];
    }
    if (parents.empty()) return;
    const auto root = *proc.root();
    Tree tree(root);
    RC_ASSERT(static_cast<bool>(tree.add_root(root, 2)));
    tree.grow(root, 1);
    RC_ASSERT(static_cast<std::ptrdiff_t>(tree.size()) ==
              std::count(ours.begin(), ours.end(), true));
  }));
}

// A tick is 10 ms: what is born in the tick of the first look may be older than that look or not.
TEST(Tree, AnOrphanBornInTheTickOfTheFirstLookIsFoundAndAnOlderOneIsNot) {
  FakeProc proc;
  FakeProcess{.pid = 10, .start_ticks = 100, .group = 10}.put_into(proc);
  FakeProcess{.pid = 11, .start_ticks = 100, .group = 10}.put_into(proc);  // init's, not ours
  const auto root = *proc.root();
  Tree tree(root);
  ASSERT_TRUE(tree.add_root(root, 10));
  EXPECT_EQ(pids_of(tree.grow(root, 1)), Pids{});
  FakeProcess{.pid = 12, .start_ticks = 100, .group = 10}.put_into(proc);
  EXPECT_EQ(pids_of(tree.grow(root, 2)), Pids{12});
  tree.leave({12, 100});
  proc.exit(12);
  ASSERT_TRUE(tree.add_root(root, 10));  // makes it look at everything once more
  EXPECT_EQ(pids_of(tree.grow(root, 3)), Pids{});
}

class LiveTree : public ::testing::Test {
 protected:
  LiveTree() : root_(*Root::open("/proc")), tree_(root_) {
    EXPECT_TRUE(tree_.add_root(root_, puppet_.pid()));
    tree_.grow(root_, 1);
  }
  Pids grow() { return pids_of(tree_.grow(root_, 2)); }

  Puppet puppet_;
  Root root_;
  Tree tree_;
};

// A copy of this process, until it is let go.
class Copy {
 public:
  Copy() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd until(ends[0]);
    let_go_ = UniqueFd(ends[1]);
    pid_ = ::fork();
    if (pid_ != 0) return;
    let_go_ = UniqueFd();
    char byte = 0;
    (void)!::read(until.get(), &byte, 1);
    ::_exit(0);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() {
    let_go_ = UniqueFd();
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  UniqueFd let_go_{};
  pid_t pid_ = -1;
};

TEST_F(LiveTree, WeAndThoseWhoWorkForUsAreNotWatched) {
  const Copy copy;
  Tree group(root_);
  const Pids all{::getpid(), copy.pid(), puppet_.pid()};
  EXPECT_EQ(pids_of(group.grow_to(root_, all)), Pids{puppet_.pid()});
  Tree above(root_);
  ASSERT_TRUE(above.add_root(root_, ::getppid()));
  above.grow(root_, 1);
  EXPECT_FALSE(above.contains(read_stat(root_, ::getpid())->id));
}

TEST_F(LiveTree, UnlessWeAreNamed) {
  const Copy copy;
  Tree ours(root_);
  ASSERT_TRUE(ours.add_root(root_, ::getpid()));
  ours.grow(root_, 1);
  EXPECT_TRUE(ours.contains(read_stat(root_, copy.pid())->id));
}

TEST_F(LiveTree, FindsChildrenAtTheNextLook) {
  EXPECT_EQ(grow(), Pids{});
  const auto children = sorted(puppet_.pids_of("fork 3 0"));
  EXPECT_EQ(grow(), children);
  EXPECT_EQ(grow(), Pids{});
}

TEST_F(LiveTree, FindsFiveHundredChildrenAtOnce) {
  const auto pids = sorted(puppet_.pids_of("fork 500 0"));
  EXPECT_EQ(grow(), pids);
}

TEST_F(LiveTree, ThreadsAreNoChildren) {
  ASSERT_EQ(puppet_.tell("threads 50"), "done");
  EXPECT_EQ(grow(), Pids{});
}

TEST_F(LiveTree, KeepsAGrandchildWhoseParentHasEnded) {
  const auto both = sorted(puppet_.pids_of("middle"));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(grow(), both);
  ASSERT_EQ(puppet_.tell("drop_middle"), "done");
  EXPECT_EQ(grow(), Pids{});
  EXPECT_EQ(tree_.size(), 3u);  // until somebody says that the one in the middle has left
}

TEST_F(LiveTree, FindsAGrandchildWhoseParentCameAndWentBetweenTwoLooks) {
  const auto orphan = puppet_.pids_of("orphan");
  ASSERT_EQ(orphan.size(), 1u);
  const auto stat = parse_stat(*root_.read(orphan[0], "stat"));
  ASSERT_TRUE(stat);
  if (stat->parent != 1) GTEST_SKIP() << "orphans go to process " << stat->parent << " here";
  EXPECT_EQ(grow(), orphan);
}

}  // namespace
}  // namespace tidegauge::proc
