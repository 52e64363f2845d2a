// SPDX-License-Identifier: Apache-2.0
#include "base/write_all.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/beside.h"
#include "base/fd.h"

namespace tidegauge {
namespace {

TEST(WriteAll, MoreThanTheLineHolds) {
  constexpr std::size_t kBytes = 4 << 20;
  const auto reader = start_beside(LineKind::Stream, [](UniqueFd line) {
    char piece[4096];
    std::size_t got = 0;
    while (got < kBytes) {
      const ssize_t count = ::read(line.get(), piece, sizeof piece);
      if (count <= 0) return;
      got += static_cast<std::size_t>(count);
    }
    (void)!::write(line.get(), "y", 1);
  });
  ASSERT_TRUE(reader);
  EXPECT_TRUE(write_all(reader->line.get(), std::string(kBytes, 'x'), "a line"));
  char answer = 0;
  EXPECT_EQ(::read(reader->line.get(), &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  ::waitpid(reader->pid, nullptr, 0);
}

TEST(WriteAll, AFullDiskIsSaidWithItsName) {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  const auto done = write_all(full.get(), "x", "a.tg");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().reason, Reason::NoRoom);
  EXPECT_NE(done.error().what.find("a.tg"), std::string::npos);
}

}  // namespace
}  // namespace tidegauge
