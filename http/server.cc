// SPDX-License-Identifier: Apache-2.0
// cpp-httplib behind serve/http.h. The library reads as many headers as somebody cares to send, and
// gives everybody a thread for as long as he likes; so connections are ours: bounded in number, in
// bytes and in time. One thread accepts them, waits until a request is there as a whole, and sends
// what was answered, for all of them at once: whoever sends or takes slowly holds nobody up. The
// other threads only answer; a stream has one of them for itself.
#include <arpa/inet.h>
#include <fcntl.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "serve/http.h"

namespace {

using tidegauge::UniqueFd;
using tidegauge::serve::Answer;
using tidegauge::serve::Reply;
using tidegauge::serve::Request;
using Clock = std::chrono::steady_clock;

// 16 streams (cli/web_routes.h), 8 who make or wait for a report, a census, and others beside them.
constexpr std::size_t kThreads = 32;
constexpr std::size_t kMostConnections = 1000;
constexpr std::size_t kOtherFiles = 64;  // that this process has open
constexpr int kBacklog = 1024;
constexpr std::size_t kLongestRequest = 32 << 10;
constexpr auto kRequestTime = std::chrono::seconds(5);   // to send it all
constexpr auto kWriteTime = std::chrono::seconds(2);     // to take anything at all
constexpr auto kAnswerTime = std::chrono::seconds(120);  // to take it all
constexpr std::string_view kEndOfHeaders = "\r\n\r\n";

// One request that is there as a whole, and its answer: collected, or, of a stream, sent at once.
class Exchange : public httplib::Stream {
 public:
  Exchange(int fd, std::string asked) : fd_(fd), asked_(std::move(asked)) {}

  bool is_readable() const override { return taken_ < asked_.size(); }
  bool is_writable() const override {
    return !live_ || (ready(POLLOUT, kWriteTime) && !ready(POLLRDHUP, Clock::duration::zero()));
  }
  ssize_t read(char* to, std::size_t size) override {
    const auto count = std::min(size, asked_.size() - taken_);
    std::copy_n(asked_.begin() + static_cast<std::ptrdiff_t>(taken_), count, to);
    taken_ += count;
    return count > 0 ? static_cast<ssize_t>(count) : -1;
  }
  ssize_t write(const char* from, std::size_t size) override {
    if (!live_) {
      answer_.append(from, size);
      return static_cast<ssize_t>(size);
    }
    if (!ready(POLLOUT, kWriteTime)) return -1;
    return ::send(fd_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return fd_; }

  void go_live() { live_ = true; }
  std::string take_answer() { return std::move(answer_); }

 private:
  bool ready(short events, Clock::duration longest) const {
    pollfd one{fd_, events, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(longest).count();
    return ::poll(&one, 1, static_cast<int>(ms)) > 0 && (one.revents & events) != 0;
  }

  int fd_;
  std::string asked_;
  std::size_t taken_ = 0;
  std::string answer_{};
  bool live_ = false;
};

void put(Reply reply, httplib::Response& response) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  if (!reply.more) {
    response.set_content(reply.body, reply.type);
    return;
  }
  auto* const source = reply.more.release();  // functions of the library's have to be copies
  const auto more = [source](std::size_t /*offset*/, httplib::DataSink& sink) {
    const auto piece = source->next();
    return sink.is_writable() && sink.write(piece.data(), piece.size());
  };
  response.set_chunked_content_provider(reply.type, more, [source](bool /*success*/) {
    const std::unique_ptr<tidegauge::serve::Source> over(source);
  });
}

// What the library makes of one request after the other, for one thread.
class Speaker : public httplib::Server {
 public:
  Speaker(const Answer& answer, int listening) {
    svr_sock_ = listening;  // else it takes itself for shut down, and ends streams
    set_payload_max_length(kLongestRequest);
    // Before anything else of the library's: all requests are answered by one function.
    set_pre_routing_handler([&](const httplib::Request& asked, httplib::Response& response) {
      Request request{.method = asked.method, .path = asked.path};
      for (const auto& [name, value] : asked.headers) request.headers.emplace_back(name, value);
      auto reply = answer(request);
      if (reply.more) exchange_->go_live();
      put(std::move(reply), response);
      return HandlerResponse::Handled;
    });
  }

  void speak(Exchange& exchange) {
    exchange_ = &exchange;
    bool closed = false;
    process_request(exchange, true, closed, nullptr);
  }

 private:
  Exchange* exchange_ = nullptr;
};

// A connection whose request is not yet there, or whose answer was not yet taken.
struct Waiting {
  UniqueFd fd{};
  bool answering = false;
  std::string text{};  // what came so far, or what is still to be sent
  std::size_t sent = 0;
  Clock::time_point until{};   // for the next thing to happen
  Clock::time_point latest{};  // for all of it
};

// A queue between threads.
class Queue {
 public:
  void put(Waiting one) {
    {
      const std::lock_guard lock(mutex_);
      all_.push_back(std::move(one));
    }
    more_.notify_one();
  }
  Waiting take() {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [this] { return !all_.empty(); });
    auto one = std::move(all_.front());
    all_.pop_front();
    return one;
  }
  std::deque<Waiting> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(all_, {});
  }

 private:
  std::mutex mutex_{};
  std::condition_variable more_{};
  std::deque<Waiting> all_{};
};

// With a method. Who sends anything else need not be waited for.
bool begins_request(std::string_view text) {
  return (text[0] >= 'A' && text[0] <= 'Z') || text[0] == '\r' || text[0] == '\n';
}

std::size_t most_connections() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return kMostConnections;
  const rlim_t wanted = kMostConnections + kOtherFiles;
  if (files.rlim_cur < wanted) {
    files.rlim_cur = std::min(wanted, files.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &files) != 0) ::getrlimit(RLIMIT_NOFILE, &files);
  }
  const auto some = std::max<rlim_t>(files.rlim_cur, 2 * kOtherFiles) - kOtherFiles;
  return static_cast<std::size_t>(std::min<rlim_t>(kMostConnections, some));
}

class Server : public tidegauge::serve::HttpServer {
 public:
  std::optional<int> open(int port) override {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int yes = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_port = htons(static_cast<std::uint16_t>(port));
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const address = reinterpret_cast<sockaddr*>(&here);
    socklen_t size = sizeof here;
    if (::bind(fd.get(), address, size) != 0 || ::listen(fd.get(), kBacklog) != 0 ||
        ::getsockname(fd.get(), address, &size) != 0) {
      return {};
    }
    listening_ = std::move(fd);
    return ntohs(here.sin_port);
  }

  void run(Answer answer) override {
    most_ = most_connections();
    news_ = UniqueFd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    for (std::size_t i = 0; i < kThreads; ++i) {
      std::thread([this, &answer] { answer_requests(answer); }).detach();
    }
    while (true) turn();
  }

 private:
  using Place = std::list<Waiting>::iterator;

  void answer_requests(const Answer& answer) {
    Speaker speaker(answer, listening_.get());
    while (true) {
      auto one = asked_.take();
      Exchange exchange(one.fd.get(), std::move(one.text));
      speaker.speak(exchange);
      one.text = exchange.take_answer();
      answered_.put(std::move(one));
      const std::uint64_t more = 1;
      const auto ignored = ::write(news_.get(), &more, sizeof more);
      static_cast<void>(ignored);
    }
  }

  // Waits for what happens first, and does what there is to do.
  void turn() {
    std::vector<pollfd> fds{{news_.get(), POLLIN, 0}, {listening_.get(), POLLIN, 0}};
    auto next = Clock::now() + kAnswerTime;
    for (const auto& one : waiting_) {
      fds.push_back({one.fd.get(), static_cast<short>(one.answering ? POLLOUT : POLLIN), 0});
      next = std::min(next, one.until);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    ::poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
    auto one = waiting_.begin();
    for (std::size_t i = 2; i < fds.size(); ++i) {
      const auto here = one++;
      if (fds[i].revents != 0) {
        if (here->answering) {
          send_more(here);
        } else {
          read_more(here);
        }
      } else if (here->until <= Clock::now()) {
        close(here);
      }
    }
    if (fds[0].revents != 0) take_answered();
    if (fds[1].revents != 0) accept_all();
  }

  void accept_all() {
    // A few at a time: what came before them goes on in between.
    constexpr int kAtOnce = 64;
    for (int i = 0; i < kAtOnce; ++i) {
      UniqueFd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!fd) return;
      const int yes = 1;
      ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      if (connections_ >= most_ && !waiting_.empty()) close(slowest());
      if (connections_ >= most_) continue;  // all are being answered
      ++connections_;
      const auto until = Clock::now() + kRequestTime;
      waiting_.push_back({.fd = std::move(fd), .until = until, .latest = until});
      read_more(std::prev(waiting_.end()));  // most send it at once
    }
  }

  // Of those that have not yet asked the one that has taken longest, or else of those that take
  // their answers.
  Place slowest() {
    const auto asks = std::find_if(waiting_.begin(), waiting_.end(),
                                   [](const Waiting& one) { return !one.answering; });
    return asks == waiting_.end() ? waiting_.begin() : asks;
  }

  void read_more(Place one) {
    std::array<char, 4096> piece{};
    while (true) {
      const ssize_t got = ::recv(one->fd.get(), piece.data(), piece.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return close(one);
      one->text.append(piece.data(), static_cast<std::size_t>(got));
      if (!begins_request(one->text)) return close(one);
      if (one->text.find(kEndOfHeaders) != one->text.npos) {
        asked_.put(std::move(*one));
        waiting_.erase(one);
        return;
      }
      if (one->text.size() > kLongestRequest) return close(one);
    }
  }

  void take_answered() {
    std::uint64_t count = 0;
    const auto ignored = ::read(news_.get(), &count, sizeof count);
    static_cast<void>(ignored);
    for (auto& one : answered_.take_all()) {
      one.answering = true;
      one.latest = Clock::now() + kAnswerTime;
      one.until = Clock::now() + kWriteTime;
      waiting_.push_back(std::move(one));
      send_more(std::prev(waiting_.end()));
    }
  }

  void send_more(Place one) {
    while (one->sent < one->text.size()) {
      const ssize_t sent = ::send(one->fd.get(), one->text.data() + one->sent,
                                  one->text.size() - one->sent, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return;
      if (sent <= 0) return close(one);
      one->sent += static_cast<std::size_t>(sent);
      one->until = std::min(Clock::now() + kWriteTime, one->latest);
    }
    ::shutdown(one->fd.get(), SHUT_RDWR);
    close(one);
  }

  void close(Place one) {
    --connections_;
    waiting_.erase(one);
  }

  UniqueFd listening_{};
  UniqueFd news_{};  // of answers
  Queue asked_{};
  Queue answered_{};
  std::list<Waiting> waiting_{};
  std::size_t connections_ = 0;
  std::size_t most_ = kMostConnections;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) tidegauge::serve::HttpServer*
tidegauge_make_http_server();

tidegauge::serve::HttpServer* tidegauge_make_http_server() {
  return new Server;  // its unique_ptr is on the other side
}
