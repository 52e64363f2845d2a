// SPDX-License-Identifier: Apache-2.0
#include "census/locate.h"

#include <gtest/gtest.h>

#include "census/fake_memory.h"

namespace tidegauge::census {
namespace {

constexpr pid_t kNobody = 0x3fffffff;

// The beginning of a runtime that tells of itself.
Result<Interpreter> locate_runtime(std::uint64_t version, std::uint64_t free_threaded) {
  std::uint64_t words[32] = {};
  std::memcpy(words, "xdebugpy", 8);
  words[1] = version;
  words[2] = free_threaded;
  const FakeMemory memory(kFakeStart, std::as_bytes(std::span(words)));
  Target target{.pid = kNobody};
  target.regions = {{.begin = kFakeStart,
                     .end = kFakeStart + 4096,
                     .readable = true,
                     .writable = true,
                     .inode = 1}};
  return locate(target, memory);
}

TEST(Locate, RefusesAFreeThreadedBuildAndSaysSo) {
  const auto found = locate_runtime(0x030e0af0, 1);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, Reason::Unsupported);
  EXPECT_NE(found.error().what.find("free-threaded"), std::string::npos) << found.error().what;
}

TEST(Locate, RefusesWhatItDoesNotUnderstand) {
  const auto found = locate_runtime(0x03630000, 0);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, Reason::Unsupported);
  EXPECT_NE(found.error().what.find("nothing is known"), std::string::npos) << found.error().what;
}

TEST(Locate, FindsNoPythonWhereThereIsNone) {
  const FakeMemory memory(kFakeStart, {});
  const auto found = locate(Target{.pid = kNobody}, memory);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, Reason::Unsupported);
}

}  // namespace
}  // namespace tidegauge::census
