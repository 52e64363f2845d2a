// SPDX-License-Identifier: Apache-2.0
#include "census/census.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>

#include "census/reading.h"
#include "census/snapshot.h"
#include "census/spared.h"
#include "census/wire.h"

namespace tidegauge::census {

namespace {

// Memory that all our processes see which begin after it. It takes no pages before it is used.
class SharedRoom {
 public:
  SharedRoom()
      : start_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  SharedRoom(const SharedRoom&) = delete;
  SharedRoom& operator=(const SharedRoom&) = delete;
  ~SharedRoom() {
    if (start_ != MAP_FAILED) ::munmap(start_, kBytes);
  }
  std::span<std::byte> bytes() const {
    if (start_ == MAP_FAILED) return {};
    return {static_cast<std::byte*>(start_), kBytes};
  }

 private:
  static constexpr std::size_t kBytes = kMostSavedBytes + kMostSavedPieces;
  void* start_;
};

// The side that has the rights: it makes the copies that the reader wishes for, and takes down what
// it says.
class Taker {
 public:
  Taker(const Target& target, const CensusOptions& options, const SharedRoom& room)
      : target_(target), options_(options), room_(room) {}

  Result<Census> take() {
    const Request request{.how = how(), .keys = options_.keys, .room = room_.bytes()};
    const auto reader = ReaderProcess::start(
        target_, [&](const ReaderLine& line) { read_census(target_, request, line); });
    if (!reader) return reader.error();
    while (true) {
      const auto said = reader->hear(kPatienceSeconds);
      if (!said) return said.error();
      if (said->word == Word::Wishes && request.how == Request::How::Copy) {
        if (auto made = make_copy(*said, *reader); !made) return made.error();
        continue;
      }
      auto census = wire::census_in(said->text);
      if (!census || (said->word != Word::Done && said->word != Word::Counted)) break;
      if (said->word == Word::Done) {
        let_go();
        return finished(*std::move(census));
      }
      if (options_.on_counted) options_.on_counted(finished(*std::move(census)));
    }
    return Error{Reason::Failed,
                 fmt::format("the process that read {} said what makes no sense", target_.pid)};
  }

 private:
  static constexpr double kPatienceSeconds = 3600;  // a heap of terabytes

  Request::How how() const {
    if (options_.stream) return Request::How::Stream;
    return options_.stands_still ? Request::How::StandsStill : Request::How::Copy;
  }

  Result<> make_copy(const Said& said, const ReaderProcess& reader) {
    auto wishes = wire::wishes_in(said.text);
    if (!wishes || ++copies_ > kMostCopies) {
      return Error{Reason::Failed,
                   fmt::format("the process that read {} wished for what cannot be", target_.pid)};
    }
    let_go();
    if (options_.only_a_copy) wishes->otherwise = Snapshot::IfNoCopy::GiveUp;
    auto taken = Snapshot::take(target_.pid, *wishes, room_.bytes());
    if (!taken) return taken.error();
    copy_.emplace(*std::move(taken));
    const auto open = [&](const char* name) {
      const auto path = fmt::format("/proc/{}/{}", copy_->readable_pid(), name);
      return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    };
    const auto memory = open("mem");
    const auto maps = open("maps");
    if (!memory || !maps) return from_errno(errno, fmt::format("a copy of {}", target_.pid));
    const int files[] = {memory.get(), maps.get()};
    (void)reader.say(Word::Copied, {}, files);  // where it has ended, that is heard next
    return Ok{};
  }

  // The copy goes, or the process runs on.
  void let_go() {
    if (copy_) pause_ms_ += copy_->pause_ms();
    copy_.reset();
  }

  Census finished(Census census) const {
    census.pid = target_.pid;
    census.pause_ms = pause_ms_;
    census.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return census;
  }

  const Target& target_;
  const CensusOptions& options_;
  const SharedRoom& room_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::optional<Snapshot> copy_{};
  int copies_ = 0;
  double pause_ms_ = 0;
};

}  // namespace

Result<Census> take_census(Target target, const CensusOptions& options) {
  if (options.named_layout) {
    target.layouts.insert(target.layouts.begin(), *options.named_layout);
  }
  const SharedRoom room;
  return Taker(target, options, room).take();
}

Result<Census> take_census(pid_t pid, const CensusOptions& options) {
  auto target = open_target(pid);
  if (!target) return target.error();
  return take_census(*std::move(target), options);
}

}  // namespace tidegauge::census
