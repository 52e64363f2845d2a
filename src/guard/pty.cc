// SPDX-License-Identifier: Apache-2.0
#include "guard/pty.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace tidegauge::guard {

namespace {

Result<UniqueFd> open_slave(int master) {
  // Through the master rather than by name: works whatever is mounted where.
  constexpr int kFlags = O_RDWR | O_NOCTTY | O_CLOEXEC;
  UniqueFd slave(::ioctl(master, TIOCGPTPEER, kFlags));
  if (slave) return slave;
  char name[64] = "";
  if (::ptsname_r(master, name, sizeof name) == 0) slave = UniqueFd(::open(name, kFlags));
  if (!slave) return from_errno(errno, "pty");
  return slave;
}

// EXTPROC makes the kernel tell the master about new modes.
void pass_on_unchanged(termios& modes) {
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  modes.c_lflag |= EXTPROC;
}

bool same_modes(const termios& one, const termios& other) {
  return one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag &&
         one.c_cflag == other.c_cflag && one.c_lflag == other.c_lflag &&
         std::equal(one.c_cc, one.c_cc + NCCS, other.c_cc);
}

tcflag_t changed(tcflag_t real, tcflag_t before, tcflag_t after) {
  const auto differ = before ^ after;
  return (real & ~differ) | (after & differ);
}

std::string_view name_in(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1);
}

}  // namespace

Result<Pty> open_pty_like(int terminal) {
  Pty pty;
  termios modes{};
  pty.master = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.master || ::grantpt(pty.master.get()) != 0 || ::unlockpt(pty.master.get()) != 0) {
    return from_errno(errno, "pty");
  }
  auto slave = open_slave(pty.master.get());
  if (!slave) return slave.error();
  pty.slave = *std::move(slave);
  if (::tcgetattr(terminal, &modes) != 0) return from_errno(errno, "terminal");
  pass_on_unchanged(modes);
  int packets = 1;
  if (::tcsetattr(pty.slave.get(), TCSANOW, &modes) != 0 ||
      ::ioctl(pty.master.get(), TIOCPKT, &packets) != 0) {
    return from_errno(errno, "pty");
  }
  copy_size(terminal, pty.master.get());
  return pty;
}

bool is_for_the_screen(const std::vector<std::string>& arguments) {
  // git shows what is longer than the screen by a pager.
  constexpr std::array<std::string_view, 12> kPrograms = {
      "less", "more", "most", "man", "vi", "vim", "nvim", "nano", "emacs", "top", "htop", "git"};
  return !arguments.empty() && std::find(kPrograms.begin(), kPrograms.end(),
                                         name_in(arguments.front())) != kPrograms.end();
}

bool is_interactive_shell(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 9> kShells = {"sh",  "bash", "zsh",  "fish", "dash",
                                                       "ksh", "mksh", "tcsh", "csh"};
  if (arguments.empty()) return false;
  if (std::find(kShells.begin(), kShells.end(), name_in(arguments.front())) == kShells.end()) {
    return false;
  }
  // A script, or -c and what to do, makes it a program like any other; -i does not.
  return std::all_of(arguments.begin() + 1, arguments.end(), [](const std::string& word) {
    return word.starts_with("-") && (word.starts_with("--") || word.find('c') == word.npos);
  });
}

bool copy_size(int from, int to) {
  winsize size{};
  winsize old{};
  if (::ioctl(from, TIOCGWINSZ, &size) != 0 || ::ioctl(to, TIOCGWINSZ, &old) != 0) return false;
  if (size.ws_row == old.ws_row && size.ws_col == old.ws_col && size.ws_xpixel == old.ws_xpixel &&
      size.ws_ypixel == old.ws_ypixel) {
    return false;
  }
  return ::ioctl(to, TIOCSWINSZ, &size) == 0;
}

termios with_changes(termios real, const termios& before, const termios& after) {
  real.c_iflag = changed(real.c_iflag, before.c_iflag, after.c_iflag);
  real.c_oflag = changed(real.c_oflag, before.c_oflag, after.c_oflag);
  real.c_cflag = changed(real.c_cflag, before.c_cflag, after.c_cflag);
  const auto external = real.c_lflag & EXTPROC;  // ours on one side, and its own on the other
  real.c_lflag = changed(real.c_lflag, before.c_lflag, after.c_lflag);
  real.c_lflag = (real.c_lflag & ~static_cast<tcflag_t>(EXTPROC)) | external;
  for (int i = 0; i < NCCS; ++i) {
    if (before.c_cc[i] != after.c_cc[i]) real.c_cc[i] = after.c_cc[i];
  }
  return real;
}

ModeMirror::ModeMirror(int master) {
  ::tcgetattr(master, &known_);
}

void ModeMirror::follow(int master, int terminal) {
  termios now{};
  termios real{};
  if (::tcgetattr(master, &now) != 0 || ::tcgetattr(terminal, &real) != 0) return;
  const auto wanted = with_changes(real, known_, now);
  if (!same_modes(wanted, real)) ::tcsetattr(terminal, TCSANOW, &wanted);
  known_ = now;
  pass_on_unchanged(known_);
  // Setting modes is news too; only what differs may be set, or it would never end.
  if (!same_modes(known_, now)) ::tcsetattr(master, TCSANOW, &known_);
}

}  // namespace tidegauge::guard
