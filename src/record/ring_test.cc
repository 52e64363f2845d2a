// SPDX-License-Identifier: Apache-2.0
// One process, both ends: layout, texts, clocks, losses.
#include "record/ring.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "record/ring_for_tests.h"

namespace tidegauge::record {
namespace {

constexpr std::int64_t kPatienceNs = 100'000'000;

class Ring : public testing::Test {
 protected:
  void SetUp() override {
    auto made = RingReader::create(kSlots);
    ASSERT_TRUE(made) << made.error().what;
    reader_ = std::make_unique<RingReader>(*std::move(made));
    writer_ = writer_of(*reader_);
    ASSERT_NE(writer_, nullptr);
  }
  std::vector<Event> read() { return reader_->read(clock_now(), same_pid); }
  std::uint64_t* head() { return tidegauge_ring_head(writer_->words); }
  std::uint64_t* slot(std::uint64_t index) {
    return tidegauge_ring_slot(writer_->words, writer_->mask, index);
  }

  static constexpr std::uint32_t kSlots = 16;
  std::unique_ptr<RingReader> reader_;
  WriterEnd writer_;
};

TEST_F(Ring, LiesInMemoryAsDocumented) {
  auto mark = mark_of(TIDEGAUGE_DISTINCT, 0x1122334455667788, 663);
  mark.pid = 0x00012345;
  mark.t_ns = 0x0102030405060708;
  mark.source = TIDEGAUGE_LOADER | 7u << 8;
  mark.c = 99;
  tidegauge_ring_write(writer_.get(), mark);

  unsigned char bytes[4096 + 64];
  ASSERT_EQ(::pread(reader_->fd(), bytes, sizeof bytes, 0), static_cast<ssize_t>(sizeof bytes));
  const auto at = [&bytes](std::size_t offset, auto type) {
    std::memcpy(&type, bytes + offset, sizeof type);
    return type;
  };
  EXPECT_EQ(std::string(reinterpret_cast<char*>(bytes), 8), "TDGRING1");
  EXPECT_EQ(at(8, std::uint32_t{}), 1u);
  EXPECT_EQ(at(12, std::uint32_t{}), 4096u);
  EXPECT_EQ(at(16, std::uint64_t{}), 4096u + 16 * 64);
  EXPECT_EQ(at(24, std::uint32_t{}), 16u);
  EXPECT_EQ(at(28, std::uint32_t{}), 64u);
  EXPECT_EQ(at(64, std::uint64_t{}), 1u);
  EXPECT_EQ(at(4096 + 0, std::uint64_t{}), 1u);
  EXPECT_EQ(at(4096 + 8, std::uint64_t{}), 0x0102030405060708u);
  EXPECT_EQ(at(4096 + 16, std::uint32_t{}), 0x12345u);
  EXPECT_EQ(at(4096 + 24, std::uint16_t{}), TIDEGAUGE_DISTINCT);
  EXPECT_EQ(at(4096 + 28, std::uint32_t{}), TIDEGAUGE_LOADER | 7u << 8);
  EXPECT_EQ(at(4096 + 32, std::int64_t{}), 0x1122334455667788);
  EXPECT_EQ(at(4096 + 40, std::int64_t{}), 663);
  EXPECT_EQ(at(4096 + 48, std::uint64_t{}), 99u);
}

TEST_F(Ring, TellsAllKindsOfMarks) {
  write_step(writer_.get(), 12);
  tidegauge_ring_write(writer_.get(), mark_of(TIDEGAUGE_EPOCH, 3, 10));
  write_text(writer_.get(), TIDEGAUGE_PHASE_BEGIN, "eval");
  tidegauge_ring_write(writer_.get(), mark_of(TIDEGAUGE_DISTINCT, 40, 663));
  write_text(writer_.get(), TIDEGAUGE_PHASE_END, "eval");
  write_text(writer_.get(), TIDEGAUGE_NOTE, "learning rate halved");

  const auto events = read();
  ASSERT_EQ(events.size(), 6u);
  const ProcessId us{::getpid(), 1};
  const auto expect = [&](std::size_t i, EventKind kind, std::optional<double> value,
                          std::optional<double> total, const std::string& name) {
    EXPECT_EQ(events[i].kind, kind) << i;
    EXPECT_EQ(events[i].value, value) << i;
    EXPECT_EQ(events[i].total, total) << i;
    EXPECT_EQ(events[i].name, name) << i;
    EXPECT_EQ(events[i].process, us) << i;
    EXPECT_EQ(events[i].source, MarkSource::Explicit) << i;
  };
  expect(0, EventKind::Step, 12, {}, "");
  expect(1, EventKind::Epoch, 3, 10, "");
  expect(2, EventKind::PhaseBegin, {}, {}, "eval");
  expect(3, EventKind::Distinct, 40, 663, "");
  expect(4, EventKind::PhaseEnd, {}, {}, "eval");
  expect(5, EventKind::Note, {}, {}, "learning rate halved");
  EXPECT_TRUE(read().empty()) << "each mark is told once";
}

TEST_F(Ring, AnyTextArrivesOrIsCutBetweenCharacters) {
  EXPECT_TRUE(rc::check([this](std::size_t length) {
    length = length % 300 + 1;
    std::string text;
    while (text.size() < length) text += text.size() % 3 == 0 ? "ä" : "x";
    write_text(writer_.get(), TIDEGAUGE_NOTE, text);
    const auto events = read();
    RC_ASSERT(events.size() == 1u);
    const auto& got = events[0].name;
    RC_ASSERT(text.compare(0, got.size(), got) == 0);
    RC_ASSERT(got.size() == text.size() || (got.size() <= 240 && got.size() >= 239));
    // The next byte does not continue a character.
    RC_ASSERT(got.size() == text.size() ||
              (static_cast<unsigned char>(text[got.size()]) & 0xc0) != 0x80);
  }));
  EXPECT_EQ(reader_->lost(), 0u);
}

TEST_F(Ring, CountsWhatWasOverwritten) {
  for (int i = 1; i <= 50; ++i) write_step(writer_.get(), i);
  const auto events = read();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].value, 35) << "the oldest of the last 16";
  EXPECT_EQ(events[1].value, 50);
  EXPECT_EQ(events[2].kind, EventKind::MarksLost);
  EXPECT_EQ(events[2].value, 34);
  EXPECT_EQ(reader_->taken() + reader_->lost(), 50u);
}

TEST_F(Ring, AWriterHeldUpForARoundDoesNotSpoilItsSlot) {
  // It took index 0 and then slept while the others went round once.
  __atomic_fetch_add(head(), 1, __ATOMIC_RELAXED);
  for (int i = 1; i <= 16; ++i) write_step(writer_.get(), i);
  auto late = mark_of(TIDEGAUGE_STEP, 777);
  late.pid = 1;
  tidegauge_ring_put(writer_.get(), 0, &late);
  const auto events = read();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].value, 1);
  EXPECT_EQ(events[1].value, 16);
  EXPECT_EQ(events[2].value, 1) << "the late one is lost, and counted";
}

TEST_F(Ring, TwoWritersInOneSlotDoNotPassForAMark) {
  write_step(writer_.get(), 1);
  __atomic_store_n(slot(0) + 4, 31337, __ATOMIC_RELAXED);  // another's number under our seq
  const auto events = read();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::MarksLost);
}

TEST_F(Ring, WaitsForAnUnfinishedMarkButNotForEver) {
  auto clock = clock_now();
  write_step(writer_.get(), 1);
  __atomic_fetch_add(head(), 1, __ATOMIC_RELAXED);  // a writer that was killed right here
  write_step(writer_.get(), 3);

  auto events = reader_->read(clock, same_pid);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].value, 1);

  clock.now_ns += kPatienceNs / 2;
  EXPECT_TRUE(reader_->read(clock, same_pid).empty()) << "it may still come";

  clock.now_ns += kPatienceNs;
  events = reader_->read(clock, same_pid);
  clock.now_ns += kPatienceNs;
  for (auto& event : reader_->read(clock, same_pid)) events.push_back(event);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].value, 3);
  EXPECT_EQ(events[1].kind, EventKind::MarksLost);
  EXPECT_EQ(events[1].value, 1);
}

TEST_F(Ring, AnUnfinishedMarkThatComesLateIsTaken) {
  const auto index = __atomic_fetch_add(head(), 1, __ATOMIC_RELAXED);
  EXPECT_TRUE(read().empty());
  auto mark = mark_of(TIDEGAUGE_STEP, 5);
  mark.pid = 7;
  tidegauge_ring_put(writer_.get(), index, &mark);
  const auto events = read();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].value, 5);
  EXPECT_EQ(reader_->lost(), 0u);
}

TEST_F(Ring, TheLastLookLeavesNothingBehind) {
  __atomic_fetch_add(head(), 2, __ATOMIC_RELAXED);
  write_step(writer_.get(), 3);
  const auto events = reader_->read_rest(clock_now(), same_pid);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].value, 3);
  EXPECT_EQ(events[1].value, 2);
}

TEST_F(Ring, ATextThatLostAPieceIsLostAsAWhole) {
  write_text(writer_.get(), TIDEGAUGE_NOTE, std::string(60, 'n'));  // 3 slots
  write_step(writer_.get(), 1);
  __atomic_store_n(slot(1) + 5, 1, __ATOMIC_RELAXED);
  auto events = read();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].value, 1);
  EXPECT_EQ(events[1].value, 3) << "slots";
  EXPECT_EQ(reader_->odd(), 0u);
}

TEST_F(Ring, AWritersClockIsNotBelievedOutsideOfWhatIsPossible) {
  const RingClock clock{.now_ns = 5'000, .began_ns = 1'000};
  for (const std::uint64_t t :
       {std::uint64_t{2'000}, std::uint64_t{1}, std::uint64_t{3'000}, std::uint64_t{2'500},
        UINT64_MAX, std::uint64_t{9'999}, std::uint64_t{4'000}}) {
    auto mark = mark_of(TIDEGAUGE_EPOCH, 1);
    mark.t_ns = t;
    tidegauge_ring_write(writer_.get(), mark);
  }
  std::vector<std::int64_t> at;
  for (const auto& event : reader_->read(clock, same_pid)) at.push_back(event.at_ns);
  // UINT64_MAX is before all time once it is signed.
  EXPECT_EQ(at, (std::vector<std::int64_t>{1'000, 1'000, 2'000, 2'000, 2'000, 4'000, 4'000}));
}

TEST_F(Ring, OddMarksAreCountedAndPassedOver) {
  auto mark = mark_of(TIDEGAUGE_STEP, 1);
  mark.kind = 99;
  tidegauge_ring_write(writer_.get(), mark);
  tidegauge_ring_write(writer_.get(), mark_of(TIDEGAUGE_STEP, -1));
  write_text(writer_.get(), TIDEGAUGE_PHASE_BEGIN, "");
  mark = mark_of(TIDEGAUGE_STEP, 1);
  mark.source = 0;
  tidegauge_ring_write(writer_.get(), mark);
  mark = mark_of(TIDEGAUGE_STEP, 1);
  mark.pid = UINT32_MAX;
  tidegauge_ring_write(writer_.get(), mark);
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(reader_->odd(), 5u);
  EXPECT_EQ(reader_->lost(), 0u);
}

TEST_F(Ring, AHeadThatWasTurnedBackOrFarAheadDoesNotStopTheReader) {
  for (int i = 1; i <= 5; ++i) write_step(writer_.get(), i);
  EXPECT_EQ(read().size(), 2u);
  __atomic_store_n(head(), 0, __ATOMIC_RELAXED);
  EXPECT_TRUE(read().empty());
  __atomic_store_n(head(), UINT64_MAX - 3, __ATOMIC_RELAXED);
  const auto events = reader_->read_rest(clock_now(), same_pid);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::MarksLost);
}

TEST_F(Ring, AWriterKeepsToTheSizeItFirstSaw) {
  auto* const header = reinterpret_cast<tidegauge_ring_header*>(writer_->words);
  header->slots = TIDEGAUGE_RING_MOST_SLOTS;
  header->size_bytes = tidegauge_ring_size(TIDEGAUGE_RING_MOST_SLOTS);
  for (int i = 0; i < 100; ++i) write_step(writer_.get(), i);  // would be killed outside the memory
  EXPECT_EQ(writer_of(*reader_), nullptr) << "and nobody opens a ring that lies about its size";
}

TEST_F(Ring, NobodyCanCutItShort) {
  const int fd = ::open(("/dev/fd/" + std::to_string(reader_->fd())).c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(::ftruncate(fd, 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(fd, 1 << 30), -1);
  ::close(fd);
}

TEST(OpeningARing, RefusesWhateverIsNone) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tidegauge-ring-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto fifo = (folder / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  // The right bytes, but in a file that somebody could cut short.
  auto reader = RingReader::create(16);
  ASSERT_TRUE(reader);
  const auto copy = (folder / "copy").string();
  std::filesystem::copy_file("/dev/fd/" + std::to_string(reader->fd()), copy);
  const auto small = (folder / "small").string();
  std::ofstream(small) << "TDGRING1";
  for (const auto& path : {std::string("/dev/zero"), std::string("/dev/tty"), folder.string(), fifo,
                           copy, small, (folder / "none").string(), std::string()}) {
    EXPECT_EQ(tidegauge_ring_open(path.c_str()), nullptr) << path;
  }
  EXPECT_EQ(tidegauge_ring_open(nullptr), nullptr);
  std::filesystem::remove_all(folder);
}

TEST(RingThreads, WriteAtOnceAndNothingIsLost) {
  auto reader = RingReader::create();
  ASSERT_TRUE(reader);
  const auto writer = writer_of(*reader);
  ASSERT_NE(writer, nullptr);
  constexpr int kThreads = 4;
  constexpr int kMarks = 3'000;
  const auto begin = clock_now();  // and it stays so: whoever has no core for long is not given up
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&writer] {
      for (int step = 1; step <= kMarks; ++step) write_step(writer.get(), step);
    });
  }
  while (reader->taken() < kThreads * kMarks / 2) reader->read(begin, same_pid);
  for (auto& thread : threads) thread.join();
  reader->read_rest(begin, same_pid);
  EXPECT_EQ(reader->taken(), static_cast<std::uint64_t>(kThreads * kMarks));
  EXPECT_EQ(reader->lost(), 0u);
}

TEST(RingThreads, AFloodInASmallRingIsCountedToTheLastMark) {
  auto reader = RingReader::create(16);
  ASSERT_TRUE(reader);
  const auto writer = writer_of(*reader);
  ASSERT_NE(writer, nullptr);
  constexpr std::uint64_t kMarks = 100'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&writer, i] {
      auto mark = mark_of(TIDEGAUGE_STEP);
      mark.pid = static_cast<std::uint32_t>(i + 1);
      for (std::uint64_t step = 1; step <= kMarks; ++step) {
        mark.a = static_cast<std::int64_t>(step);
        tidegauge_ring_write(writer.get(), mark);
      }
    });
  }
  std::map<pid_t, double> last;
  bool in_order = true;
  const auto take = [&](const std::vector<Event>& events) {
    for (const auto& event : events) {
      if (event.kind != EventKind::Step) continue;
      auto& before = last[event.process.pid];
      in_order = in_order && *event.value > before;
      before = *event.value;
    }
  };
  while (reader->taken() + reader->lost() < kMarks) take(reader->read(clock_now(), same_pid));
  for (auto& thread : threads) thread.join();
  take(reader->read_rest(clock_now(), same_pid));
  EXPECT_TRUE(in_order);
  EXPECT_EQ(reader->taken() + reader->lost(), 2 * kMarks);
  EXPECT_GT(reader->lost(), 0u) << "or the ring was never too small";
}

}  // namespace
}  // namespace tidegauge::record
