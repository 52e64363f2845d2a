// SPDX-License-Identifier: Apache-2.0
#include "proc/page_shares.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

namespace tidegauge::proc {
namespace {

constexpr std::uint64_t kPresent = 1ull << 63, kFile = 1ull << 61, kExclusive = 1ull << 56;
constexpr double kPage = 4096;
using Blocks = std::vector<std::vector<std::uint64_t>>;

TEST(SharePages, APageIsDividedAmongThoseWhoHaveItAtTheSameAddress) {
  const Blocks blocks = {{kPresent, kPresent, kPresent | kExclusive},
                         {kPresent, kPresent, 0},
                         {kPresent, 0, kPresent | kExclusive}};
  const auto shares = share_pages(blocks, Backing::Nothing);
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_NEAR(shares[0].anon.share, 1 / 3.0 + 1 / 2.0, 1e-9);
  EXPECT_EQ(shares[0].anon.shared, 2);
  EXPECT_EQ(shares[0].anon.exclusive, 1);
  EXPECT_NEAR(shares[1].anon.share, 1 / 3.0 + 1 / 2.0, 1e-9);
  EXPECT_EQ(shares[2].anon, (KindPages{1, 1, 1 / 3.0}));
}

TEST(SharePages, WhereFramesAreKnownTheyDecide) {
  // Two pairs have a page each at the same address, as after a fork of a fork.
  const Blocks blocks = {{kPresent | 7}, {kPresent | 7}, {kPresent | 8}, {kPresent | 8}};
  for (const auto& shares : share_pages(blocks, Backing::Nothing)) {
    EXPECT_EQ(shares.anon, (KindPages{0, 1, 0.5}));
  }
}

TEST(SharePages, APageThatNobodyElseInTheFamilyHasIsAStrangersToo) {
  const auto shares = share_pages(Blocks{{kPresent | kFile}}, Backing::File);
  EXPECT_EQ(shares[0].file, (KindPages{0, 1, 0.5}));
}

TEST(SharePages, ThoseThatWereNotAskedCountAsTheOthersDo) {
  const Blocks blocks = {{kPresent}, {kPresent}, {kPresent}};
  // Two of eight others were asked, and both have it: all eight will.
  const auto shares = share_pages(blocks, Backing::Nothing, 0.25);
  EXPECT_NEAR(shares[0].anon.share, 1 / 9.0, 1e-9);
}

TEST(SharePages, WhereNoneOfTheOthersCouldBeAskedThereIsOne) {
  // All of its relatives were in the middle of something: nobody's share is beyond all numbers.
  const auto shares = share_pages(Blocks{{kPresent, kPresent | kFile}}, Backing::File, 0);
  EXPECT_EQ(shares[0].anon, (KindPages{0, 1, 0.5}));
  EXPECT_EQ(shares[0].file, (KindPages{0, 1, 0.5}));
}

TEST(SharePages, TheMappingTellsFilesFromSharedMemory) {
  const Blocks blocks = {{kPresent | kFile | kExclusive, kPresent | kExclusive}};
  EXPECT_EQ(share_pages(blocks, Backing::File)[0].file.exclusive, 1);
  EXPECT_EQ(share_pages(blocks, Backing::Shmem)[0].shmem.exclusive, 1);
  EXPECT_EQ(share_pages(blocks, Backing::Shmem)[0].anon.exclusive, 1);
}

// The shares of all that have a page add up to that page, if no stranger has it.
TEST(SharePages, SharesAddUpToPages) {
  EXPECT_TRUE(rc::check([] {
    const auto members = *rc::gen::inRange<std::size_t>(2, 6);
    const auto pages = *rc::gen::inRange<std::size_t>(0, 40);
    Blocks blocks(members, std::vector<std::uint64_t>(pages, 0));
    double distinct = 0;
    for (std::size_t page = 0; page < pages; ++page) {
      // Each member has one of three frames at this address, or none.
      std::map<std::uint64_t, std::vector<std::size_t>> holders;
      for (std::size_t member = 0; member < members; ++member) {
        const auto frame = *rc::gen::inRange<std::uint64_t>(0, 4);
        if (frame > 0) holders[frame].push_back(member);
      }
      for (const auto& [frame, who] : holders) {
        const auto exclusive = who.size() == 1 ? kExclusive : 0;
        for (const auto member : who) blocks[member][page] = kPresent | exclusive | frame;
        distinct += 1;
      }
    }
    double sum = 0;
    for (const auto& shares : share_pages(blocks, Backing::Nothing)) {
      sum += shares.anon.exclusive + shares.anon.share;
    }
    RC_ASSERT(std::abs(sum - distinct) < 1e-6);
  }));
}

record::Memory counters(std::uint64_t anon, std::uint64_t file, std::uint64_t shmem) {
  return {.rss = anon + file + shmem, .anon = anon, .file = file, .shmem = shmem};
}

TEST(SharesOf, PagesGiveProportionsAndCountersAmounts) {
  PageShares pages;
  pages.anon = {.exclusive = 750, .shared = 250, .share = 50};
  const auto memory = counters(4096000, 0, 0);
  const auto shares = shares_of(pages, kPage, memory, memory);
  EXPECT_EQ(shares.uss, 3072000u);
  EXPECT_EQ(shares.pss, 3276800u);  // 750 + 50 of 1000 pages
  EXPECT_EQ(shares.pss_anon, 3276800u);
  EXPECT_EQ(shares.pss_file, 0u);
}

TEST(SharesOf, WhatCameWhileWeLookedIsItsOwn) {
  // A loader's worker, forked a moment before: nearly all of it was shared with its family.
  PageShares pages;
  pages.anon = {.exclusive = 30, .shared = 970, .share = 194};
  const auto before = counters(4096000, 0, 0);
  const auto shares = shares_of(pages, kPage, before, counters(10240000, 0, 0));
  EXPECT_EQ(shares.uss, 122880u + 6144000u);
  EXPECT_EQ(shares.pss, 917504u + 6144000u);
}

TEST(SharesOf, FilesThatWereReadMeanwhileAreSharedLikeTheOthers) {
  PageShares pages;
  pages.file = {.exclusive = 500, .shared = 500, .share = 100};
  const auto shares = shares_of(pages, kPage, counters(0, 4096000, 0), counters(0, 8192000, 0));
  EXPECT_EQ(shares.pss_file, 4915200u);
}

TEST(SharesOf, ThePageOfZerosIsNobodysMemory) {
  PageShares pages;
  pages.anon = {.exclusive = 1000, .shared = 5000, .share = 2500};  // but only 1000 are counted
  const auto memory = counters(4096000, 0, 0);
  const auto shares = shares_of(pages, kPage, memory, memory);
  EXPECT_EQ(shares.uss, 4096000u);
  EXPECT_EQ(shares.pss, 4096000u);
}

TEST(SharesOf, WithoutCountersThereIsNothingToSay) {
  EXPECT_EQ(shares_of({}, kPage, {}, {}), Shares{});
}

TEST(SharesOf, UssIsNeverMoreThanPssNorPssThanRss) {
  EXPECT_TRUE(rc::check([](unsigned exclusive, unsigned shared, unsigned anon, unsigned before) {
    PageShares pages;
    pages.anon = {static_cast<double>(exclusive), static_cast<double>(shared), shared / 3.0};
    const auto shares = shares_of(pages, kPage, counters(before, 0, 0), counters(anon, 0, 0));
    RC_ASSERT(*shares.uss <= *shares.pss);
    RC_ASSERT(*shares.pss <= anon);
  }));
}

}  // namespace
}  // namespace tidegauge::proc
