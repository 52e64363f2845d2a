// SPDX-License-Identifier: Apache-2.0
// cpp-httplib behind serve/http.h. The library reads as many headers as somebody cares to send, and
// gives everybody a thread for as long as he likes; so connections are ours: bounded in number, in
// bytes and in time.
#include <fcntl.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/http.h"

namespace {

using tidegauge::serve::Answer;
using tidegauge::serve::Reply;
using tidegauge::serve::Request;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 24;      // 16 streams (cli/web_routes.h), and others beside them
constexpr std::size_t kMostWaiting = 64;  // beyond, they wait in the kernel
constexpr std::size_t kLongestRequest = 32 << 10;
constexpr auto kRequestTime = std::chrono::seconds(5);  // to send it all
constexpr auto kWriteTime = std::chrono::seconds(2);    // to take anything at all

// One connection, for one request.
class Connection : public httplib::Stream {
 public:
  explicit Connection(int fd) : fd_(fd) {}

  bool is_readable() const override { return ready(POLLIN, Clock::duration::zero()); }
  bool is_writable() const override {
    return ready(POLLOUT, kWriteTime) && !ready(POLLRDHUP, Clock::duration::zero());
  }
  ssize_t read(char* to, std::size_t size) override {
    if (taken_ == held_.size()) {  // the library asks for single letters
      const ssize_t got = refill();
      if (got <= 0) return got;
    }
    const auto count = std::min(size, held_.size() - taken_);
    std::copy_n(held_.begin() + static_cast<std::ptrdiff_t>(taken_), count, to);
    taken_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    if (!ready(POLLOUT, kWriteTime)) return -1;
    return ::send(fd_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return fd_; }

 private:
  bool ready(short events, Clock::duration longest) const {
    pollfd one{fd_, events, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(longest).count();
    return ::poll(&one, 1, static_cast<int>(ms)) > 0 && (one.revents & events) != 0;
  }

  ssize_t refill() {
    const auto left = until_ - Clock::now();
    if (left <= Clock::duration::zero() || read_ >= kLongestRequest || !ready(POLLIN, left)) {
      return -1;
    }
    std::array<char, 4096> piece{};
    const auto most = std::min(piece.size(), kLongestRequest - read_);
    const ssize_t got = ::recv(fd_, piece.data(), most, 0);
    if (got <= 0) return got;
    read_ += static_cast<std::size_t>(got);
    held_.assign(piece.data(), static_cast<std::size_t>(got));
    taken_ = 0;
    return got;
  }

  int fd_;
  std::string held_{};
  std::size_t taken_ = 0;
  std::size_t read_ = 0;
  Clock::time_point until_ = Clock::now() + kRequestTime;
};

// Threads that wait for work. Whoever brings more than they can do has to wait himself.
class Threads : public httplib::TaskQueue {
 public:
  Threads() {
    for (std::size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { work(); });
  }
  void enqueue(std::function<void()> task) override {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return tasks_.size() < kMostWaiting; });
    tasks_.push_back(std::move(task));
    more_.notify_one();
  }
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    more_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        more_.wait(lock, [this] { return over_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
        room_.notify_one();
      }
      task();
    }
  }

  std::mutex mutex_{};
  std::condition_variable more_{};
  std::condition_variable room_{};
  std::deque<std::function<void()>> tasks_{};
  std::vector<std::thread> threads_{};
  bool over_ = false;
};

class CarefulServer : public httplib::Server {
 private:
  bool process_and_close_socket(socket_t fd) override {
    Connection connection(fd);
    bool closed = false;
    const bool done = process_request(connection, true, closed, nullptr);
    ::shutdown(fd, SHUT_RDWR);
    ::close(fd);
    return done;
  }
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

class Server : public tidegauge::serve::HttpServer {
 public:
  std::optional<int> open(int port) override {
    server_.set_socket_options([](int fd) {
      const int yes = 1;
      ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    });
    server_.set_tcp_nodelay(true);
    server_.set_address_family(AF_INET);
    server_.set_payload_max_length(kLongestRequest);
    server_.new_task_queue = [] { return new Threads; };  // the library deletes it
    if (port == 0) {
      const int any = server_.bind_to_any_port("127.0.0.1");
      return any > 0 ? std::optional(any) : std::nullopt;
    }
    return server_.bind_to_port("127.0.0.1", port) ? std::optional(port) : std::nullopt;
  }

  void run(Answer answer) override {
    // Before anything else of the library's: all requests are answered by one function.
    server_.set_pre_routing_handler(
        [answer = std::move(answer)](const httplib::Request& asked, httplib::Response& response) {
          Request request{.method = asked.method, .path = asked.path};
          for (const auto& [name, value] : asked.headers) {
            request.headers.emplace_back(name, value);
          }
          put(answer(request), response);
          return httplib::Server::HandlerResponse::Handled;
        });
    server_.listen_after_bind();
  }

 private:
  CarefulServer server_{};
};

}  // namespace

extern "C" __attribute__((visibility("default"))) tidegauge::serve::HttpServer*
tidegauge_make_http_server();

tidegauge::serve::HttpServer* tidegauge_make_http_server() {
  return new Server;  // its unique_ptr is on the other side
}
