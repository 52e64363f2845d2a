// SPDX-License-Identifier: Apache-2.0
#include "cli/notify.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "record/temp_folder.h"

namespace tidegauge::cli {
namespace {

constexpr int kPatienceMs = 10'000;

// Puts a file into the place of stdout for as long as it lives.
class AsStdout {
 public:
  explicit AsStdout(int fd) : before_(::dup(STDOUT_FILENO)) { ::dup2(fd, STDOUT_FILENO); }
  AsStdout(const AsStdout&) = delete;
  AsStdout& operator=(const AsStdout&) = delete;
  ~AsStdout() { ::dup2(before_.get(), STDOUT_FILENO); }

 private:
  UniqueFd before_;
};

TEST(Notifier, HoldsNothingOfOursWhileItsCommandRuns) {
  const record::TempFolder folder;
  const auto door = folder / "door";
  ASSERT_EQ(::mkfifo(door.c_str(), 0600), 0);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd ours(ends[1]);
  {
    const AsStdout stdout_too(ours.get());
    // It holds nothing itself, says that it is there, and waits until it is let go.
    const auto command = "exec >/dev/null 2>&1; echo up > " + door + "; read x < " + door;
    Notifier({.notify = command}, "job").tell("news");
  }
  ours = UniqueFd();
  EXPECT_EQ(record::bytes_of(door), "up\n");
  pollfd ready{reader.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&ready, 1, kPatienceMs), 1) << "somebody has the pipe still";
  EXPECT_EQ(ready.revents & POLLHUP, POLLHUP);
  const UniqueFd let_go(::open(door.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(::write(let_go.get(), "\n", 1), 1);
}

}  // namespace
}  // namespace tidegauge::cli
