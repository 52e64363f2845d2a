// SPDX-License-Identifier: Apache-2.0
#include "proc/confined.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "base/fd.h"
#include "proc/probe.h"
#include "proc/roots.h"
#include "record/temp_folder.h"

namespace tidegauge::proc {
namespace {

constexpr uid_t kNobody = 65534;

UserIds own_ids() {
  const auto root = Root::open(Roots{}.proc);
  return *user_ids_of(*root, ::getpid());
}

UserIds nobody() {
  return {.user = kNobody, .group = kNobody, .groups = {}};
}

std::string own_status() {
  const auto root = Root::open(Roots{}.proc);
  return *root->read("self/status");
}

TEST(Confined, AnswersWhatItsWorkSays) {
  const auto answer = answer_confined(own_ids(), {}, [] { return std::string("all\0good", 8); });
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(*answer, std::string("all\0good", 8));
}

TEST(Confined, HasNoPrivileges) {
  const auto status = answer_confined(own_ids(), {}, own_status);
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_EQ(field_of(*status, "CapEff:"), "0000000000000000");
  EXPECT_EQ(field_of(*status, "CapPrm:"), "0000000000000000");
  EXPECT_EQ(field_of(*status, "NoNewPrivs:"), "1");
}

TEST(Confined, HasTheRightsThatItWasGiven) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can take on another user's rights";
  const record::TempFolder folder;
  const auto secret = folder / "secret";
  { const UniqueFd made(::open(secret.c_str(), O_WRONLY | O_CREAT, 0600)); }
  const auto answer = answer_confined(nobody(), {}, [&] {
    const UniqueFd fd(::open(secret.c_str(), O_RDONLY));
    return (fd ? "read it as " : "denied to ") + std::to_string(::getuid());
  });
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(*answer, "denied to 65534");
}

TEST(Confined, HoldsNothingOfOurs) {
  const UniqueFd ours(::open("/dev/null", O_RDONLY));
  const auto answer = answer_confined(own_ids(), {}, [&] {
    return std::string(::fcntl(ours.get(), F_GETFD) < 0 ? "closed" : "open");
  });
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(*answer, "closed");
}

TEST(Confined, IsEndedWhenItTakesTooLong) {
  const auto began = std::chrono::steady_clock::now();
  const auto answer = answer_confined(own_ids(), {.seconds = 0.1}, [] {
    ::pause();
    return std::string();
  });
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "it took longer than 0.1 s");
}

TEST(Confined, SurvivesACrashOfItsWork) {
  const auto crash = [] {
    ::raise(SIGKILL);
    return std::string("never");
  };
  const auto answer = answer_confined(own_ids(), {}, crash);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().reason, Reason::Failed);
}

TEST(Confined, HasAllThatItsMemoryLimitAllows) {
  constexpr std::uint64_t kLimit = 32u << 20;
  const auto tries = [&](std::uint64_t bytes) {
    return answer_confined(own_ids(), {.memory_bytes = kLimit}, [=] {
      const std::string memory(bytes, 'x');
      return memory.substr(0, 1);
    });
  };
  EXPECT_TRUE(tries(kLimit / 2));
  EXPECT_FALSE(tries(kLimit * 2));
}

TEST(Confined, AnswersNoMoreThanIsAllowed) {
  const auto answer =
      answer_confined(own_ids(), {.answer_bytes = 10}, [] { return std::string(100'000, 'x'); });
  EXPECT_FALSE(answer);
}

}  // namespace
}  // namespace tidegauge::proc
