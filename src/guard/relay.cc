// SPDX-License-Identifier: Apache-2.0
#include "guard/relay.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "guard/companion.h"
#include "guard/pty.h"
#include "guard/signals.h"

namespace tidegauge::guard {

namespace {

class Relay {
 public:
  explicit Relay(const RelayEnds& ends);
  [[noreturn]] void run();

 private:
  void take_signals();
  void take_word();
  void take_output();
  void drain();
  void fit_size();
  bool show(const char* bytes, std::size_t count) const;
  void tell(RelayNews news, char number, int how) const;

  RelayEnds ends_;
  int signals_ = -1;
  std::optional<ModeMirror> modes_{};
  std::array<char, kLargestPacket> packet_{};
};

// Files that belong to the job or to us must not stay open because of us.
void close_all_but(std::array<int, 4> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned from = 0;
  for (const int fd : kept) {
    if (fd < 0) continue;
    const auto number = static_cast<unsigned>(fd);
    if (number > from) ::close_range(from, number - 1, 0);
    from = number + 1;
  }
  ::close_range(from, ~0U, 0);
}

Relay::Relay(const RelayEnds& ends) : ends_(ends) {
  ::prctl(PR_SET_NAME, "tidegauge-relay");
  ::sigprocmask(SIG_BLOCK, &signals_of_the_job(), nullptr);
  signals_ = ::signalfd(-1, &signals_of_the_job(), SFD_NONBLOCK);
  // What the job wrote before it was stopped shall be seen. SIGTTOU keeps its effect: it says that
  // the job may not write from the background.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (const int signal : {SIGPIPE, SIGTTIN}) ::sigaction(signal, &ignore, nullptr);
  close_all_but({ends_.channel, ends_.master, ends_.terminal, signals_});
  if (ends_.master >= 0) modes_.emplace(ends_.master);
}

void Relay::run() {
  while (ends_.channel >= 0 || ends_.master >= 0) {
    std::array<pollfd, 3> fds{
        {{signals_, POLLIN, 0}, {ends_.channel, POLLIN, 0}, {ends_.master, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[0].revents != 0) take_signals();
    if (fds[2].revents != 0) take_output();
    if (fds[1].revents != 0) take_word();
  }
  ::_exit(0);
}

void Relay::take_signals() {
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    tell(RelayNews::Signal, static_cast<char>(info.ssi_signo), MSG_DONTWAIT);
    if (ends_.master >= 0) fit_size();
  }
}

// The kernel told the job of the new size before its own terminal had it, so it is told again.
void Relay::fit_size() {
  if (copy_size(ends_.terminal, ends_.master)) ::kill(0, SIGWINCH);
}

void Relay::take_word() {
  char word = 0;
  const ssize_t got = ::recv(ends_.channel, &word, 1, MSG_DONTWAIT);
  if (got == 1) return drain();
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  ends_.channel = -1;  // the gauge is gone; whatever writes to the pty still has its terminal
}

void Relay::drain() {
  pollfd more{ends_.master, POLLIN, 0};
  while (ends_.master >= 0 && ::poll(&more, 1, 0) > 0) take_output();
  tell(RelayNews::Drained, 0, 0);  // the gauge waits for this one
}

void Relay::take_output() {
  const ssize_t got = ::read(ends_.master, packet_.data(), packet_.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    ends_.master = -1;  // EIO: nobody has it open any more
    return;
  }
  fit_size();
  const auto control = static_cast<unsigned char>(packet_[0]);
  if ((control & TIOCPKT_IOCTL) != 0) modes_->follow(ends_.master, ends_.terminal);
  if (control != TIOCPKT_DATA) return;
  const auto count = static_cast<std::size_t>(got);
  if (!show(packet_.data() + 1, count - 1)) {
    // The terminal is gone: the job shall get the same answer as if it had written there itself.
    ::close(ends_.master);
    ends_.master = -1;
    return;
  }
  packet_[0] = static_cast<char>(RelayNews::Output);
  if (ends_.channel >= 0) {
    ::send(ends_.channel, packet_.data(), count, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
}

bool Relay::show(const char* bytes, std::size_t count) const {
  while (count > 0) {
    const ssize_t done = ::write(ends_.terminal, bytes, count);
    if (done < 0 && errno == EAGAIN) {  // somebody made the terminal non-blocking
      pollfd room{ends_.terminal, POLLOUT, 0};
      ::poll(&room, 1, -1);
      continue;
    }
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

void Relay::tell(RelayNews news, char number, int how) const {
  const std::array<char, 2> packet{static_cast<char>(news), number};
  if (ends_.channel < 0) return;
  ::send(ends_.channel, packet.data(), packet.size(), how | MSG_NOSIGNAL);
}

}  // namespace

void relay(const RelayEnds& ends) {
  Relay(ends).run();
}

}  // namespace tidegauge::guard
