// SPDX-License-Identifier: Apache-2.0
#include "proc/family_walk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

constexpr std::uint64_t kPage = 4096, kBlock = 512 * kPage;
constexpr std::uint64_t kPresent = 1ull << 63, kFile = 1ull << 61, kExclusive = 1ull << 56;
constexpr std::uint64_t kBase = 16 * kBlock;

// A process of a folder: what is mapped, and what is in its page tables.
class FakePages {
 public:
  FakePages& map(std::uint64_t begin, std::uint64_t bytes, const std::string& path = "",
                 const std::string& permissions = "rw-p") {
    maps_ += fmt::format("{:x}-{:x} {} 00000000 00:00 0   {}\n", begin, begin + bytes, permissions,
                         path);
    end_ = std::max(end_, begin + bytes);
    return *this;
  }
  FakePages& fill(std::uint64_t begin, std::uint64_t bytes, std::uint64_t entry) {
    entries_.resize(std::max<std::size_t>(entries_.size(), (begin + bytes) / kPage));
    for (auto page = begin / kPage; page < (begin + bytes) / kPage; ++page) entries_[page] = entry;
    return *this;
  }
  void put_into(FakeProc& proc, pid_t pid) {
    entries_.resize(std::max<std::size_t>(entries_.size(), end_ / kPage));
    std::string bytes(entries_.size() * sizeof(std::uint64_t), '\0');
    std::memcpy(bytes.data(), entries_.data(), bytes.size());
    proc.file(pid, "maps", maps_).file(pid, "pagemap", bytes);
  }

 private:
  std::string maps_;
  std::uint64_t end_ = 0;
  std::vector<std::uint64_t> entries_;
};

FamilyWalk walk_over(const FakeProc& proc, const std::vector<pid_t>& pids, double cost_seconds = 1,
                     std::uint64_t rss = 64 * kBlock) {
  std::vector<WalkTarget> targets;
  for (const auto pid : pids) {
    targets.push_back({.id = {pid, 1}, .memory = {.rss = rss}});
  }
  FamilyWalk walk(targets, cost_seconds, 1);
  const auto root = proc.root();
  Turns turns;
  while (!walk.go_on(*root, 1, turns)) {
  }
  return walk;
}

TEST(FamilyWalk, CountsTheWholeOfASmallProcess) {
  FakeProc proc;
  FakePages pages;
  pages.map(kBase, 4 * kBlock).fill(kBase, 3 * kBlock, kPresent | kExclusive);
  pages.fill(kBase + 3 * kBlock, kBlock / 2, kPresent);
  pages.map(kBase + 8 * kBlock, kBlock, "/usr/lib/libc.so")
      .fill(kBase + 8 * kBlock, kBlock, kPresent | kFile);
  pages.map(kBase + 10 * kBlock, kBlock, "/dev/shm/x")
      .fill(kBase + 10 * kBlock, kBlock, kPresent | kFile | kExclusive);
  pages.put_into(proc, 7);
  const auto found = walk_over(proc, {7}).found({7, 1});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->enough);
  EXPECT_EQ(found->pages.anon, (KindPages{3 * 512, 256, 128}));
  EXPECT_EQ(found->pages.file, (KindPages{0, 512, 256}));
  EXPECT_EQ(found->pages.shmem, (KindPages{512, 0, 0}));
  EXPECT_FALSE(found->huge);  // a file cannot be asked
}

TEST(FamilyWalk, LeavesOutWhatIsNoMemoryOfTheProcess) {
  FakeProc proc;
  FakePages pages;
  pages.map(kBase, kBlock, "", "---p").fill(kBase, kBlock, kPresent);
  pages.map(kBase + 2 * kBlock, kBlock, "/anon_hugepage (deleted)")
      .fill(kBase + 2 * kBlock, kBlock, kPresent);
  pages.map(kBase + 4 * kBlock, kBlock).fill(kBase + 4 * kBlock, kBlock, kPresent | kExclusive);
  pages.put_into(proc, 7);
  const auto maps = proc.root()->read(7, "maps");
  proc.file(7, "maps",
            *maps + "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n");
  const auto found = walk_over(proc, {7}).found({7, 1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pages.anon, (KindPages{512, 0, 0}));
}

TEST(FamilyWalk, RelativesShareWhatTheyHaveAtTheSameAddress) {
  FakeProc proc;
  FakePages parent, child;
  parent.map(kBase, 4 * kBlock).fill(kBase, 4 * kBlock, kPresent);
  child.map(kBase, 4 * kBlock).fill(kBase, 3 * kBlock, kPresent);
  child.fill(kBase + 3 * kBlock, kBlock, kPresent | kExclusive);
  child.map(kBase + 9 * kBlock, kBlock).fill(kBase + 9 * kBlock, kBlock, kPresent | kExclusive);
  parent.put_into(proc, 7);
  child.put_into(proc, 8);
  const auto walk = walk_over(proc, {7, 8});
  EXPECT_EQ(walk.found({7, 1})->pages.anon, (KindPages{0, 2048, 1024}));
  EXPECT_EQ(walk.found({8, 1})->pages.anon, (KindPages{1024, 1536, 768}));
  EXPECT_FALSE(walk.found({8, 2}));  // of that pid, but not that process
}

TEST(FamilyWalk, ASampleStandsForTheRest) {
  FakeProc proc;
  FakePages pages;
  pages.map(kBase, 400 * kBlock).fill(kBase, 400 * kBlock, kPresent | kExclusive);
  for (std::uint64_t block = 0; block < 400; block += 2) {
    pages.fill(kBase + block * kBlock, kBlock / 2, kPresent);  // a quarter of all is shared
  }
  pages.put_into(proc, 7);
  const auto found = walk_over(proc, {7}, 400 * 20e-6 / 5).found({7, 1});  // a fifth of the cost
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->enough);
  EXPECT_NEAR(found->pages.anon.exclusive + found->pages.anon.shared, 400 * 512, 5 * 512);
  EXPECT_NEAR(found->pages.anon.shared, 100 * 512, 5 * 512);
}

TEST(FamilyWalk, TooFewPagesSayNothing) {
  FakeProc proc;
  FakePages pages;
  pages.map(kBase, 4 * kBlock).fill(kBase, 10 * kPage, kPresent);
  pages.put_into(proc, 7);
  const auto found = walk_over(proc, {7}).found({7, 1});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->enough);
}

TEST(FamilyWalk, WithoutItsFirstTargetThereIsNoWalk) {
  FakeProc proc;
  FakePages pages;
  pages.map(kBase, kBlock).put_into(proc, 8);
  const auto walk = walk_over(proc, {7, 8});
  ASSERT_TRUE(walk.failed());
  EXPECT_EQ(walk.failed()->reason, Reason::Gone);
  EXPECT_FALSE(walk_over(proc, {8, 7}).failed());
}

TEST(FamilyWalk, OneThatHasEndedMeanwhileSaysNothing) {
  FakeProc proc;
  FakePages pages;
  pages.map(kBase, 4 * kBlock).fill(kBase, 4 * kBlock, kPresent);
  pages.put_into(proc, 7);
  pages.put_into(proc, 8);
  proc.file(8, "pagemap", "");  // as the kernel answers when the memory is no more
  const auto walk = walk_over(proc, {7, 8});
  EXPECT_TRUE(walk.found({7, 1}));
  EXPECT_FALSE(walk.found({8, 1}));
}

}  // namespace
}  // namespace tidegauge::proc
