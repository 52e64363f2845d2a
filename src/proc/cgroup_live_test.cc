// SPDX-License-Identifier: Apache-2.0
// A real group with a real limit, and a child that is killed for exceeding it.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "proc/cgroup.h"
#include "proc/collector.h"
#include "record/ledger.h"

namespace tidegauge::proc {
namespace {

constexpr std::size_t kLimit = 64u << 20;
constexpr std::size_t kHeld = 16u << 20;
constexpr std::size_t kTooMuch = 256u << 20;

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  return static_cast<bool>(out.flush());
}

// A group of our own, which goes away with it. Not ok() where this user or machine cannot have one.
class RealGroup {
 public:
  RealGroup() {
    const std::string name = "/tg_test_" + std::to_string(::getpid());
    for (const auto* top : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
      const bool first = std::filesystem::exists(std::string(top) + "/memory.limit_in_bytes");
      if (::mkdir((top + name).c_str(), 0755) != 0) continue;
      folder_ = top + name;
      path_ = name;
      limited_ = write_file(folder_ + (first ? "/memory.limit_in_bytes" : "/memory.max"),
                            std::to_string(kLimit));
      // Or what is too much could go to the disk; there is no such file where there is no swap.
      write_file(folder_ + (first ? "/memory.swappiness" : "/memory.swap.max"), "0");
      if (limited_) return;
      ::rmdir(folder_.c_str());
    }
  }
  RealGroup(const RealGroup&) = delete;
  RealGroup& operator=(const RealGroup&) = delete;
  ~RealGroup() {
    if (limited_) ::rmdir(folder_.c_str());
  }

  bool ok() const { return limited_; }
  const std::string& path() const { return path_; }
  const std::string& folder() const { return folder_; }
  bool take(pid_t pid) const { return write_file(folder_ + "/cgroup.procs", std::to_string(pid)); }

 private:
  std::string folder_;
  std::string path_;
  bool limited_ = false;
};

// A child that holds as many bytes as it is told, and says when it does.
class Child {
 public:
  Child() {
    int to[2];
    int from[2];
    if (::pipe(to) != 0 || ::pipe(from) != 0) return;
    UniqueFd ask(to[0]), answer(from[1]);
    to_ = UniqueFd(to[1]);
    from_ = UniqueFd(from[0]);
    pid_ = ::fork();
    if (pid_ != 0) return;
    to_ = UniqueFd();  // or it would never see the end of what it is told
    from_ = UniqueFd();
    std::size_t bytes = 0;
    while (::read(ask.get(), &bytes, sizeof bytes) == sizeof bytes) {
      void* const memory =
          ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      std::memset(memory, 1, bytes);
      if (::write(answer.get(), "x", 1) != 1) break;
    }
    ::_exit(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { reap(); }

  pid_t pid() const { return pid_; }
  void tell(std::size_t bytes) const {
    ASSERT_EQ(::write(to_.get(), &bytes, sizeof bytes), static_cast<ssize_t>(sizeof bytes));
  }
  bool answers() const {
    char byte = 0;
    return ::read(from_.get(), &byte, 1) == 1;
  }
  // Leaves it a zombie.
  int wait_for_end() const {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
    return info.si_status;
  }
  void reap() {
    to_ = UniqueFd();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  UniqueFd to_;
  UniqueFd from_;
  pid_t pid_ = 0;
};

TEST(CgroupReader, CountsARealKill) {
  const RealGroup group;
  if (!group.ok()) GTEST_SKIP() << "no memory cgroup can be made here";
  Child child;
  ASSERT_TRUE(group.take(child.pid()));
  auto reader = CgroupReader::open({}, child.pid());
  ASSERT_TRUE(reader) << reader.error().what;

  child.tell(kHeld);
  ASSERT_TRUE(child.answers());
  const auto before = reader->read();
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(before[0].path, group.path());
  EXPECT_EQ(before[0].limit, kLimit);
  EXPECT_GE(*before[0].anon, kHeld);
  EXPECT_GE(*before[0].current, kHeld);
  EXPECT_LT(*before[0].current, kLimit);
  EXPECT_EQ(before[0].oom_kill, 0u);
  EXPECT_TRUE(reader->holds_only(std::vector{child.pid()}));
  EXPECT_FALSE(reader->holds_only(std::vector{::getpid()}));
  EXPECT_EQ(*cgroup_members({}, group.path()), std::vector{child.pid()});
  EXPECT_EQ(*cgroup_members({}, group.folder()), std::vector{child.pid()});

  child.tell(kTooMuch);
  EXPECT_FALSE(child.answers());
  ASSERT_EQ(child.wait_for_end(), SIGKILL);
  const auto dying = reader->read();  // a zombie, which version 1 calls a member of the root
  ASSERT_FALSE(dying.empty());
  EXPECT_EQ(dying[0].path, group.path());
  EXPECT_EQ(dying[0].oom_kill, 1u);

  child.reap();
  const auto after = reader->read();
  ASSERT_FALSE(after.empty());
  EXPECT_EQ(after[0].oom_kill, 1u);
}

TEST(CgroupReader, TheLedgerOfAJobWithItsOwnGroupAddsUpToWhatThatIsCharged) {
  const RealGroup group;
  if (!group.ok()) GTEST_SKIP() << "no memory cgroup can be made here";
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::size_t kMost = 40u << 20;
  Child child, stranger;
  ASSERT_TRUE(group.take(child.pid()));
  child.tell(kMost);
  ASSERT_TRUE(child.answers());
  auto collector = Collector::open({child.pid()}, {.gpu = false});
  ASSERT_TRUE(collector);
  record::LedgerKeeper ledgers;
  for (const auto& entry : collector->collect(0)) ledgers.add(entry);
  const auto alone = ledgers.last();
  ASSERT_TRUE(alone.charged);
  EXPECT_GE(*alone.charged, kMost);
  EXPECT_LE(*alone.charged, kMost + (8u << 20));
  EXPECT_GE(*alone.anon, kMost);
  EXPECT_LE(*alone.anon, *alone.charged);  // as the group counts it, not as a fork inherited it
  const auto kinds = *alone.anon + *alone.file + *alone.shmem + *alone.page_tables;
  EXPECT_EQ(static_cast<std::int64_t>(kinds) + alone.unexplained,
            static_cast<std::int64_t>(*alone.charged));

  ASSERT_TRUE(group.take(stranger.pid()));
  for (const auto& entry : collector->collect(11 * kSecond)) ledgers.add(entry);
  EXPECT_FALSE(ledgers.last().charged);  // what is charged now is not the job's alone
  EXPECT_GE(ledgers.last().total, kMost);
}

TEST(CgroupReader, ARemovedGroupIsNotThereAnyMore) {
  std::optional<CgroupReader> reader;
  {
    const RealGroup group;
    if (!group.ok()) GTEST_SKIP() << "no memory cgroup can be made here";
    auto opened = CgroupReader::open_path({}, group.path());
    ASSERT_TRUE(opened);
    reader.emplace(std::move(*opened));
    EXPECT_EQ(reader->read().at(0).path, group.path());
  }  // open files do not keep it
  for (const auto& group : reader->read()) EXPECT_NE(group.path.find("tg_test"), 0u);
  EXPECT_EQ(CgroupReader::open_path({}, "/tg_test_" + std::to_string(::getpid())).error().reason,
            Reason::Gone);
}

}  // namespace
}  // namespace tidegauge::proc
