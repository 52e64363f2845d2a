// SPDX-License-Identifier: Apache-2.0
#include "cli/live.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>  // login_tty

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/fd.h"
#include "view/fake_live.h"

namespace tidegauge::cli {
namespace {

constexpr int kPatienceMs = 20'000;

// A child with a terminal of its own, of which we are the other end.
class OnTerminal {
 public:
  OnTerminal(unsigned short columns, unsigned short rows, const std::function<int()>& body) {
    winsize size{rows, columns, 0, 0};
    int master = -1;
    int slave = -1;
    if (openpty(&master, &slave, nullptr, nullptr, &size) != 0) return;
    master_ = UniqueFd(master);
    tcgetattr(master, &before_);  // while nobody else has it
    child_ = fork();
    if (child_ == 0) _exit(login_tty(slave) == 0 ? body() : 127);
    close(slave);
  }
  ~OnTerminal() {
    if (child_ > 0 && !ended_) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  // Reads until `text` has come since the last call; false if it never does.
  bool sees(const std::string& text) {
    while (true) {
      const auto at = output_.find(text, seen_);
      if (at != output_.npos) {
        seen_ = at + text.size();
        return true;
      }
      if (!read_some()) return false;
    }
  }
  void type(const std::string& keys) {
    ASSERT_EQ(::write(master_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void resize(unsigned short columns, unsigned short rows) {
    const winsize size{rows, columns, 0, 0};
    ioctl(master_.get(), TIOCSWINSZ, &size);
  }
  // Waits for its end; the exit code, or -1.
  int end() {
    while (read_some()) {
    }
    int status = 0;
    ended_ = waitpid(child_, &status, 0) == child_;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  const std::string& output() const { return output_; }
  bool terminal_is_as_before() const {
    termios now{};
    tcgetattr(master_.get(), &now);
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
           now.c_oflag == before_.c_oflag;
  }

 private:
  bool read_some() {
    pollfd one{master_.get(), POLLIN, 0};
    if (::poll(&one, 1, kPatienceMs) <= 0) return false;
    char buffer[4096];
    const auto got = ::read(master_.get(), buffer, sizeof buffer);
    if (got <= 0) return false;
    output_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  pid_t child_ = -1;
  UniqueFd master_{};
  termios before_{};
  std::string output_{};
  std::size_t seen_ = 0;
  bool ended_ = false;
};

// Shows the undecided incident until somebody quits; 7 on a report before that.
int show_incident() {
  // A new size is noticed only while we wait, so that it cannot slip in just before.
  sigset_t resized;
  sigemptyset(&resized);
  const sigset_t none = resized;
  sigaddset(&resized, SIGWINCH);
  sigprocmask(SIG_BLOCK, &resized, nullptr);
  auto live = Live::open({});
  if (!live) return 1;
  const view::FakeLive incident(201);
  int code = 0;
  while (true) {
    live->show(incident.state());
    pollfd key{live->fd(), POLLIN, 0};
    const timespec patience{kPatienceMs / 1000, 0};
    ::ppoll(&key, 1, &patience, &none);
    while (const auto pressed = live->poll()) {
      if (*pressed == view::Key::Report) code = 7;
      if (*pressed == view::Key::Quit) return code;
    }
  }
}

void use(const char* terminal, const char* locale) {
  setenv("TERM", terminal, 1);
  setenv("LC_ALL", locale, 1);
  unsetenv("NO_COLOR");
}

TEST(Live, ShowsQuitsAndGivesTheTerminalBack) {
  use("xterm-256color", "C.UTF-8");
  OnTerminal terminal(80, 24, show_incident);
  ASSERT_TRUE(terminal.sees("CANNOT TELL YET"));
  ASSERT_TRUE(terminal.sees("Growing"));
  EXPECT_FALSE(terminal.terminal_is_as_before());
  terminal.type("q");
  EXPECT_EQ(terminal.end(), 0);
  EXPECT_TRUE(terminal.terminal_is_as_before());
  EXPECT_NE(terminal.output().find("\x1b[?1049l"), std::string::npos);  // back to the other screen
  EXPECT_NE(terminal.output().find("⣿"), std::string::npos);
}

TEST(Live, FollowsTheSizeOfTheTerminal) {
  use("xterm-256color", "C.UTF-8");
  OnTerminal terminal(80, 24, show_incident);
  ASSERT_TRUE(terminal.sees("? help"));
  terminal.resize(160, 45);
  EXPECT_TRUE(terminal.sees("anonymous"));  // the panel that only a wide screen has
  terminal.type("q");
  EXPECT_EQ(terminal.end(), 0);
}

TEST(Live, HandsTheReportKeyToItsOwnerAndObeysHelp) {
  use("xterm-256color", "C.UTF-8");
  OnTerminal terminal(80, 24, show_incident);
  ASSERT_TRUE(terminal.sees("? help"));
  terminal.type("?");
  EXPECT_TRUE(terminal.sees("write the report now"));
  terminal.type("rq");
  EXPECT_EQ(terminal.end(), 7);
}

TEST(Live, WorksInAsciiOnAnOldTerminal) {
  use("vt100", "C");
  OnTerminal terminal(80, 24, show_incident);
  ASSERT_TRUE(terminal.sees("CANNOT TELL YET"));
  ASSERT_TRUE(terminal.sees("####"));
  terminal.type("q");
  EXPECT_EQ(terminal.end(), 0);
  for (const char c : terminal.output()) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Live, HasNoColourWhereTheUserWantsNone) {
  use("xterm-256color", "C.UTF-8");
  setenv("NO_COLOR", "1", 1);
  OnTerminal terminal(80, 24, show_incident);
  ASSERT_TRUE(terminal.sees("CANNOT TELL YET"));
  terminal.type("q");
  EXPECT_EQ(terminal.end(), 0);
  EXPECT_EQ(terminal.output().find("38;5;"), std::string::npos);
}

TEST(Live, SaysWhyWhereThereIsNoTerminal) {
  use("no-such-terminal", "C");
  OnTerminal terminal(80, 24, [] {
    const auto live = Live::open({});
    return live ? 1 : live.error().reason == Reason::Unsupported ? 0 : 2;
  });
  EXPECT_EQ(terminal.end(), 0);
}

}  // namespace
}  // namespace tidegauge::cli
