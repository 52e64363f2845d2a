// SPDX-License-Identifier: Apache-2.0
#include "proc/page_scan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

// Address space of our own, most of it untouched.
class Reserved {
 public:
  explicit Reserved(std::uint64_t bytes) : bytes_(bytes) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ::madvise(memory_, bytes_, MADV_NOHUGEPAGE);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  ~Reserved() { ::munmap(memory_, bytes_); }

  std::uint64_t begin() const { return reinterpret_cast<std::uint64_t>(memory_); }
  Extent extent() const { return {begin(), begin() + bytes_}; }
  void touch(std::uint64_t offset, std::uint64_t bytes) {
    for (auto at = offset; at < offset + bytes; at += 4096) static_cast<char*>(memory_)[at] = 1;
  }

 private:
  std::uint64_t bytes_;
  void* memory_ = nullptr;
};

bool kernel_can() {
  const UniqueFd pagemap(::open("/proc/self/pagemap", O_RDONLY));
  Reserved reserved(kMegabyte);
  return static_cast<bool>(PresentScan(reserved.extent(), 0).go_on(pagemap.get()));
}

TEST(PresentScan, FindsPagesInALotOfNothing) {
  if (!kernel_can()) GTEST_SKIP() << "no PAGEMAP_SCAN in this kernel";
  Reserved reserved(4ull << 40);
  reserved.touch(0, 64 * 1024);
  reserved.touch(1ull << 40, 3 * kMegabyte);
  reserved.touch((1ull << 40) + 4 * kMegabyte, kMegabyte);
  const UniqueFd pagemap(::open("/proc/self/pagemap", O_RDONLY));
  PresentScan scan(reserved.extent(), 2 * kMegabyte);
  int calls = 0;
  for (; !scan.done() && calls < 1000; ++calls) ASSERT_TRUE(scan.go_on(pagemap.get()));
  EXPECT_LT(calls, 100);
  const auto begin = reserved.begin();
  const auto far = begin + (1ull << 40);
  EXPECT_EQ(scan.found(), (std::vector<Extent>{{begin, begin + 64 * 1024},
                                               {far, far + 5 * kMegabyte}}));  // the gap is small
}

TEST(PresentScan, IsUnsupportedWhereTheKernelDoesNotHaveIt) {
  FakeProc proc;
  proc.file(7, "pagemap", "");
  const auto pagemap = proc.root()->open_file(7, "pagemap");
  const auto done = PresentScan({0, kMegabyte}, 0).go_on(pagemap->get());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().reason, Reason::Unsupported);
  EXPECT_FALSE(huge_share(pagemap->get(), {0, kMegabyte}));
}

TEST(HugeShare, SmallPagesAreNotHuge) {
  if (!kernel_can()) GTEST_SKIP() << "no PAGEMAP_SCAN in this kernel";
  Reserved reserved(4 * kMegabyte);
  const UniqueFd pagemap(::open("/proc/self/pagemap", O_RDONLY));
  EXPECT_FALSE(huge_share(pagemap.get(), reserved.extent()));  // nothing is there
  reserved.touch(0, kMegabyte);
  EXPECT_EQ(huge_share(pagemap.get(), reserved.extent()), 0);
}

}  // namespace
}  // namespace tidegauge::proc
