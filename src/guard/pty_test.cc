// SPDX-License-Identifier: Apache-2.0
#include "guard/pty.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>

namespace tidegauge::guard {
namespace {

// A terminal as a window would make it.
Pty a_terminal() {
  Pty pty;
  pty.master = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ::grantpt(pty.master.get());
  ::unlockpt(pty.master.get());
  pty.slave = UniqueFd(::ioctl(pty.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  return pty;
}

winsize size_of(int fd) {
  winsize size{};
  ::ioctl(fd, TIOCGWINSZ, &size);
  return size;
}

std::string read_packet(int master) {
  char bytes[256];
  const ssize_t got = ::read(master, bytes, sizeof bytes);
  return got > 0 ? std::string(bytes, static_cast<std::size_t>(got)) : std::string();
}

TEST(Pty, IsLikeTheTerminalItStandsFor) {
  const auto real = a_terminal();
  const winsize size{.ws_row = 40, .ws_col = 132, .ws_xpixel = 1, .ws_ypixel = 2};
  ASSERT_EQ(::ioctl(real.master.get(), TIOCSWINSZ, &size), 0);
  const auto pty = open_pty_like(real.slave.get());
  ASSERT_TRUE(pty) << pty.error().what;
  EXPECT_EQ(::isatty(pty->slave.get()), 1);
  EXPECT_EQ(size_of(pty->slave.get()).ws_row, 40);
  EXPECT_EQ(size_of(pty->slave.get()).ws_col, 132);
  EXPECT_FALSE(copy_size(real.slave.get(), pty->master.get())) << "it has that size already";
}

TEST(Pty, PassesBytesOnAsTheyAre) {
  const auto real = a_terminal();
  const auto pty = open_pty_like(real.slave.get());
  ASSERT_TRUE(pty);
  ASSERT_EQ(::write(pty->slave.get(), "a\nb\r\n\t\xff", 7), 7);
  EXPECT_EQ(read_packet(pty->master.get()), std::string("\0a\nb\r\n\t\xff", 8));
}

TEST(Pty, TellsOfNewModesAndTheRealTerminalGetsThem) {
  const auto real = a_terminal();
  const auto pty = open_pty_like(real.slave.get());
  ASSERT_TRUE(pty);
  ModeMirror mirror(pty->master.get());
  termios modes{};
  ASSERT_EQ(::tcgetattr(pty->slave.get(), &modes), 0);
  const auto cooked = modes;
  modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  modes.c_cc[VMIN] = 3;
  ASSERT_EQ(::tcsetattr(pty->slave.get(), TCSANOW, &modes), 0);
  const auto packet = read_packet(pty->master.get());
  ASSERT_FALSE(packet.empty());
  EXPECT_NE(packet[0] & TIOCPKT_IOCTL, 0);
  mirror.follow(pty->master.get(), real.slave.get());

  termios now{};
  ASSERT_EQ(::tcgetattr(real.slave.get(), &now), 0);
  EXPECT_EQ(now.c_lflag & static_cast<tcflag_t>(ICANON | ECHO | EXTPROC), 0u);
  EXPECT_EQ(now.c_cc[VMIN], 3);
  EXPECT_NE(now.c_oflag & OPOST, 0u) << "newlines still get their return";

  ASSERT_EQ(::tcsetattr(pty->slave.get(), TCSANOW, &cooked), 0);
  mirror.follow(pty->master.get(), real.slave.get());
  ASSERT_EQ(::tcgetattr(real.slave.get(), &now), 0);
  EXPECT_EQ(now.c_lflag & static_cast<tcflag_t>(ICANON | ECHO),
            static_cast<tcflag_t>(ICANON | ECHO));
}

TEST(WithChanges, ChangesWhatChangedAndNothingElse) {
  EXPECT_TRUE(rc::check([](tcflag_t real, tcflag_t before, tcflag_t after) {
    termios a{};
    termios b{};
    termios c{};
    a.c_iflag = real;
    b.c_iflag = before;
    c.c_iflag = after;
    const auto result = with_changes(a, b, c).c_iflag;
    for (unsigned bit = 0; bit < 32; ++bit) {
      const auto of = [bit](tcflag_t flags) { return (flags >> bit) & 1u; };
      RC_ASSERT(of(result) == (of(before) != of(after) ? of(after) : of(real)));
    }
  }));
}

TEST(ForTheScreen, ArePagersAndEditorsByWhateverPath) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"less", "train.log"}, {"/usr/bin/git", "log"}, {"vim"}, {"./htop"}}) {
    EXPECT_TRUE(is_for_the_screen(words)) << words.front();
  }
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"python", "less"}, {"lessc", "x"}, {"/opt/vim/train"}, {}}) {
    EXPECT_FALSE(is_for_the_screen(words)) << (words.empty() ? "" : words.front());
  }
}

TEST(InteractiveShell, IsOneWithNothingToDo) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"bash"}, {"/bin/zsh", "-l"}, {"bash", "--norc", "-i"}, {"fish"}}) {
    EXPECT_TRUE(is_interactive_shell(words)) << words.back();
  }
  for (const auto& words : std::vector<std::vector<std::string>>{{"bash", "train.sh"},
                                                                 {"sh", "-c", "python x.py"},
                                                                 {"bash", "-lc", "x"},
                                                                 {"python"},
                                                                 {"bashful"},
                                                                 {}}) {
    EXPECT_FALSE(is_interactive_shell(words)) << (words.empty() ? "" : words.back());
  }
}

}  // namespace
}  // namespace tidegauge::guard
