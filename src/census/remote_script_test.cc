// SPDX-License-Identifier: Apache-2.0
#include "census/remote_script.h"

#include <gtest/gtest.h>

#include "census/fake_memory.h"

namespace tidegauge::census {
namespace {

// A runtime with one interpreter and one thread, as 3.14 lays out what we look at.
struct Fake {
  static constexpr Address kRuntime = kFakeStart, kInterp = kFakeStart + 0x10000,
                           kThread = kFakeStart + 0x40000;
  std::vector<std::byte> bytes = std::vector<std::byte>(0x80000);

  template <class T>
  void put(Address at, T value) {
    std::memcpy(bytes.data() + (at - kFakeStart), &value, sizeof value);
  }
  Fake() {
    put<std::uint64_t>(kRuntime + 80, 7360);  // threads_main
    const std::uint64_t debugger[] = {24, 304, 8076, 0, 4, 512};
    for (std::size_t i = 0; i < 6; ++i) put(kRuntime + 712 + i * 8, debugger[i]);
    put(kInterp + 7360, kThread);
    put(kThread + thread::kInterp, kInterp);
    put<std::int32_t>(kInterp + 8076, 1);
  }
  Result<RemoteSupport> support(std::string_view version = "3.14") const {
    const FakeMemory memory(kFakeStart, bytes);
    for (const auto& layout : known_layouts()) {
      if (layout.version != version) continue;
      return remote_support(memory, {.layout = &layout,
                                     .version = std::string(version) + ".1",
                                     .runtime = kRuntime,
                                     .interpreters = {kInterp}});
    }
    return Error{};
  }
};

TEST(RemoteSupport, IsFoundByWhatTheInterpreterSaysOfItself) {
  const auto found = Fake().support();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->breaker, Fake::kThread + 24);
  EXPECT_EQ(found->pending, Fake::kThread + 304);
  EXPECT_EQ(found->path, Fake::kThread + 308);
  EXPECT_EQ(found->path_bytes, 512U);
}

TEST(RemoteSupport, IsDeniedWhereItWasTurnedOff) {
  Fake fake;
  fake.put<std::int32_t>(Fake::kInterp + 8076, 0);
  const auto found = fake.support();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, Reason::Denied);
}

TEST(RemoteSupport, OlderVersionsHaveNone) {
  const auto found = Fake().support("3.13");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, Reason::Unsupported);
  EXPECT_NE(found.error().what.find("3.13.1"), std::string::npos);
}

TEST(RemoteSupport, NothingIsBelievedThatMakesNoSense) {
  const auto refused = [](Address at, std::uint64_t value) {
    Fake fake;
    fake.put(at, value);
    return !fake.support();
  };
  for (Address at = 0; at < 6; ++at) EXPECT_TRUE(refused(Fake::kRuntime + 712 + at * 8, ~0ULL));
  EXPECT_TRUE(refused(Fake::kRuntime + 712 + 5 * 8, 0)) << "no room for a path";
  EXPECT_TRUE(refused(Fake::kRuntime + 80, ~0ULL));
  EXPECT_TRUE(refused(Fake::kInterp + 7360, 0));
  EXPECT_TRUE(refused(Fake::kThread + thread::kInterp, 1)) << "a thread of another interpreter";
}

}  // namespace
}  // namespace tidegauge::census
