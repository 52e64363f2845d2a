// SPDX-License-Identifier: Apache-2.0
#include "base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace tidegauge {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(UniqueFd, ClosesWhatItHeldWhenGivenAnother) {
  UniqueFd a(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int first = a.get();
  a = UniqueFd(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(is_open(first));
  EXPECT_TRUE(is_open(a.get()));
}

TEST(UniqueFd, AMovedFromOneHoldsNothing) {
  UniqueFd a(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int fd = a.get();
  UniqueFd b(std::move(a));
  EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move): that is the promise
  EXPECT_EQ(b.get(), fd);
  EXPECT_TRUE(is_open(fd));
}

}  // namespace
}  // namespace tidegauge
