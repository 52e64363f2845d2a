// SPDX-License-Identifier: Apache-2.0
#include "base/beside.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace tidegauge {
namespace {

std::string received(const UniqueFd& line) {
  char text[64];
  const auto got = ::recv(line.get(), text, sizeof text, 0);
  return got < 0 ? "failed" : std::string(text, static_cast<std::size_t>(got));
}

void put(const UniqueFd& line, std::string_view text) {
  EXPECT_EQ(::send(line.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

int exit_code_of(pid_t pid) {
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Beside, IsAnotherProcessThatAnswers) {
  const auto beside = start_beside(LineKind::Stream, [](const UniqueFd& line) {
    put(line, received(line) + " in " + std::to_string(::getpid()));
  });
  ASSERT_TRUE(beside) << beside.error().what;
  EXPECT_NE(beside->pid, ::getpid());
  put(beside->line, "asked");
  EXPECT_EQ(received(beside->line), "asked in " + std::to_string(beside->pid));
  EXPECT_EQ(received(beside->line), "") << "it has returned, and holds no end of ours";
  EXPECT_EQ(exit_code_of(beside->pid), 0);
}

TEST(Beside, SeesTheEndOfWhoStartedIt) {
  auto beside = start_beside(LineKind::Stream, [](const UniqueFd& line) {
    if (received(line).empty()) ::_exit(42);
  });
  ASSERT_TRUE(beside);
  beside->line = UniqueFd();
  EXPECT_EQ(exit_code_of(beside->pid), 42);
}

TEST(Beside, EndsWithWhatItThrows) {
  const auto beside =
      start_beside(LineKind::Stream, [](const UniqueFd&) { throw std::runtime_error("no room"); });
  ASSERT_TRUE(beside);
  EXPECT_EQ(received(beside->line), "");
  EXPECT_EQ(exit_code_of(beside->pid), 1);
}

TEST(Line, KeepsPacketsApartAndAStreamTogether) {
  for (const auto& [kind, first] :
       {std::pair{LineKind::Packets, "one"}, std::pair{LineKind::Stream, "onetwo"}}) {
    const auto line = make_line(kind);
    ASSERT_TRUE(line);
    put(line->ours, "one");
    put(line->ours, "two");
    EXPECT_EQ(received(line->theirs), first);
  }
}

}  // namespace
}  // namespace tidegauge
