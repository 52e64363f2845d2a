// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace tidegauge {
namespace {

TEST(FromErrno, SaysWhatACallerCanDo) {
  EXPECT_EQ(from_errno(ENOENT, "x").reason, Reason::Gone);
  EXPECT_EQ(from_errno(ESRCH, "x").reason, Reason::Gone);
  EXPECT_EQ(from_errno(EPERM, "x").reason, Reason::Denied);
  EXPECT_EQ(from_errno(ENOSYS, "x").reason, Reason::Unsupported);
  EXPECT_EQ(from_errno(ENOSPC, "x").reason, Reason::NoRoom);
  EXPECT_EQ(from_errno(EDQUOT, "x").reason, Reason::NoRoom);
  EXPECT_EQ(from_errno(EFBIG, "x").reason, Reason::NoRoom);
  EXPECT_EQ(from_errno(EROFS, "x").reason, Reason::Failed) << "no waiting helps";
  EXPECT_EQ(from_errno(EIO, "812/smaps").what, "812/smaps: Input/output error");
}

TEST(FromErrno, NamesTheLimitThatSomebodyCanRaise) {
  EXPECT_EQ(from_errno(EMFILE, "x").what, "x: Too many open files (ulimit -n)");
  EXPECT_EQ(from_errno(EFBIG, "x").what, "x: File too large (ulimit -f)");
}

}  // namespace
}  // namespace tidegauge
