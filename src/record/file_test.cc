// SPDX-License-Identifier: Apache-2.0
#include "record/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/fake_day.h"
#include "record/fake_recording.h"
#include "record/read_budget.h"
#include "record/temp_folder.h"

namespace tidegauge::record {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Writes a whole recording. Bounds that only a test wants are its own business.
void write_all(const std::string& path, const Recording& recording, const Bounds& bounds = {}) {
  auto writer = Writer::create(path, recording.header, bounds);
  ASSERT_TRUE(writer) << writer.error().what;
  for (const auto& entry : recording.entries) {
    const auto done = writer->append(entry);
    ASSERT_TRUE(done) << done.error().what;
  }
  const auto done = writer->close();
  ASSERT_TRUE(done) << done.error().what;
}

struct Reading {
  Recording recording{};
  ReadEnd end{};
};

Result<Reading> reading_of(const std::string& path) {
  Reading out;
  const auto end = read(
      path, [&](const Header& header) { out.recording.header = header; },
      [&](const Entry& entry) { out.recording.entries.push_back(entry); });
  if (!end) return end.error();
  out.end = *end;
  return out;
}

// A small job, looked at every 15 s so that there are several frames.
Recording small_recording(int samples) {
  Recording recording{.header = {.tool = "tidegauge 0.1.0", .host = "here", .command = "job"}};
  FakeDay day(2);
  for (auto& entry : day.begin()) recording.entries.push_back(entry);
  for (int i = 0; i < samples; ++i) {
    if (i % 7 == 3) {
      recording.entries.emplace_back(Event{.at_ns = i * 15 * kSecond,
                                           .kind = EventKind::Step,
                                           .source = MarkSource::Framework,
                                           .value = i});
    }
    auto sample = day.next();
    sample.at_ns *= 15;
    recording.entries.emplace_back(std::move(sample));
  }
  return recording;
}

bool is_prefix(const std::vector<Entry>& part, const std::vector<Entry>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

std::vector<std::size_t> frame_offsets(const std::string& bytes) {
  std::vector<std::size_t> offsets;
  const std::string magic = "\x28\xB5\x2F\xFD";
  for (auto at = bytes.find(magic); at != bytes.npos; at = bytes.find(magic, at + 1)) {
    offsets.push_back(at);
  }
  return offsets;
}

TEST(RecordingFileLaws, WhatIsWrittenReadsBackTheSame) {
  const TempFolder folder;
  unsigned number = 0;
  EXPECT_TRUE(rc::check([&](unsigned seed) {
    const auto path = folder / std::to_string(number++) + ".tg";
    const auto recording = FakeRecording(seed).make(150);
    write_all(path, recording, {.max_age_seconds = 1e12});
    const auto back = read_all(path);
    RC_ASSERT(back);
    RC_ASSERT(back->header == recording.header);
    RC_ASSERT(back->entries == recording.entries);
  }));
}

TEST(RecordingFileLaws, AnyCutOfAFileReadsToAPrefixOfIt) {
  const TempFolder folder;
  const auto recording = small_recording(35);
  write_all(folder / "whole.tg", recording);
  const auto bytes = bytes_of(folder / "whole.tg");
  ASSERT_GE(frame_offsets(bytes).size(), 3u);
  std::size_t last = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    put_bytes(folder / "cut.tg", bytes.substr(0, size));
    const auto cut = reading_of(folder / "cut.tg");
    if (!cut) {  // only before there is a first line
      ASSERT_EQ(cut.error().reason, Reason::Malformed);
      ASSERT_LT(size, 400u);
      ASSERT_EQ(last, 0u);
      continue;
    }
    ASSERT_EQ(cut->end.bad_frames + cut->end.bad_lines, 0u) << "cut at " << size;
    ASSERT_EQ(cut->recording.header, recording.header);
    ASSERT_TRUE(is_prefix(cut->recording.entries, recording.entries)) << "cut at " << size;
    ASSERT_GE(cut->recording.entries.size(), last) << "cut at " << size;
    last = cut->recording.entries.size();
  }
  EXPECT_GT(last + 20, recording.entries.size());
}

TEST(RecordingFileLaws, ADamagedByteCostsItsFrameAndNothingElse) {
  const TempFolder folder;
  const auto recording = small_recording(60);
  write_all(folder / "whole.tg", recording);
  const auto bytes = bytes_of(folder / "whole.tg");
  const auto frames = frame_offsets(bytes);
  ASSERT_GE(frames.size(), 4u);
  for (std::size_t at = frames[1]; at < frames[2]; ++at) {
    auto damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    put_bytes(folder / "damaged.tg", damaged);
    const auto found = reading_of(folder / "damaged.tg");
    ASSERT_TRUE(found) << "at " << at << ": " << found.error().what;
    ASSERT_EQ(found->end.bad_lines, 0u) << "at " << at;
    if (found->end.bad_frames == 0) {  // a byte that says nothing about the text
      ASSERT_EQ(found->recording.entries, recording.entries) << "at " << at;
      continue;
    }
    ASSERT_EQ(found->end.bad_frames, 1u) << "at " << at;
    // No sample that is there is another than was written.
    std::size_t next = 0;
    for (const auto& entry : found->recording.entries) {
      while (next < recording.entries.size() && !(recording.entries[next] == entry)) ++next;
      ASSERT_LT(next, recording.entries.size()) << "at " << at;
    }
    ASSERT_GT(found->recording.entries.size(), recording.entries.size() / 2) << "at " << at;
    ASSERT_EQ(found->recording.entries.back(), recording.entries.back()) << "at " << at;
  }
}

// Writes entries in a child that is killed, as the OOM killer would, once what is due is on disk.
void write_and_be_killed(const std::string& path, const Header& header,
                         const std::vector<Entry>& entries) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = Writer::create(path, header, {});
    for (const auto& entry : entries) {
      if (writer) static_cast<void>(writer->append(entry));
    }
    if (writer) static_cast<void>(writer->drain());
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(RecordingFile, LosesAtMostFiveSecondsWhenItsWriterIsKilled) {
  const TempFolder folder;
  FakeDay day;
  std::vector<Entry> entries;
  for (int i = 0; i < 137; ++i) entries.emplace_back(day.next());
  write_and_be_killed(folder / "killed.tg", {}, entries);
  const auto found = reading_of(folder / "killed.tg");
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->end.torn);
  EXPECT_TRUE(is_prefix(found->recording.entries, entries));
  ASSERT_FALSE(found->recording.entries.empty());
  EXPECT_LE(at_of(entries.back()) - at_of(found->recording.entries.back()), 5 * kSecond);
}

TEST(RecordingFile, OfASlowLookLosesNothingWhenItsWriterIsKilled) {
  const TempFolder folder;
  std::vector<Entry> entries;
  for (int i = 0; i < 5; ++i) {
    entries.emplace_back(Sample{.at_ns = i * 60 * kSecond});
    entries.emplace_back(Event{.at_ns = (i * 60 + 30) * kSecond});
  }
  write_and_be_killed(folder / "killed.tg", {.interval_seconds = 60}, entries);
  const auto found = reading_of(folder / "killed.tg");
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->recording.entries, entries);
}

TEST(RecordingFile, IsARecordingFromTheFirstMomentOn) {
  const TempFolder folder;
  const auto writer = Writer::create(folder / "new.tg", {.command = "job"}, {});
  ASSERT_TRUE(writer);
  EXPECT_TRUE(looks_like_recording(folder / "new.tg"));
  const auto found = read_all(folder / "new.tg");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->header.command, "job");
  EXPECT_TRUE(found->entries.empty());
}

TEST(RecordingFile, WhatWasFlushedCanBeRead) {
  const TempFolder folder;
  auto writer = Writer::create(folder / "live.tg", {}, {});
  ASSERT_TRUE(writer);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(writer->append(Sample{.at_ns = i}));
    ASSERT_TRUE(writer->flush());
    EXPECT_EQ(read_all(folder / "live.tg")->entries.size(), static_cast<std::size_t>(i + 1));
  }
  EXPECT_EQ(writer->bytes_written(), bytes_of(folder / "live.tg").size());
}

TEST(RecordingFile, IsForItsOwnerAloneAndNotForOurChildren) {
  const TempFolder folder;
  const auto writer = Writer::create(folder / "mine.tg", {}, {});
  ASSERT_TRUE(writer);
  struct stat status {};
  ASSERT_EQ(::stat((folder / "mine.tg").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  bool found = false;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry.path(), ignored) != folder / "mine.tg") continue;
    found = true;
    EXPECT_NE(::fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_TRUE(found);
}

TEST(RecordingFile, HasOneWriterAtATime) {
  const TempFolder folder;
  auto first = Writer::create(folder / "one.tg", {.command = "first"}, {});
  ASSERT_TRUE(first);
  const auto second = Writer::create(folder / "one.tg", {}, {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what.find("is being recorded to by another tidegauge"),
            std::string::npos);
  ASSERT_TRUE(first->close());
  EXPECT_EQ(read_all(folder / "one.tg")->header.command, "first");
}

TEST(RecordingFile, KeepsTheOneBeforeItAndLeavesOtherFilesAlone) {
  const TempFolder folder;
  write_all(folder / "again.tg", {.header = {.command = "first"}});
  write_all(folder / "again.tg", {.header = {.command = "second"}});
  EXPECT_EQ(read_all(folder / "again.tg.old")->header.command, "first");
  EXPECT_EQ(read_all(folder / "again.tg")->header.command, "second");
  put_bytes(folder / "thesis.txt", "years of work");
  const auto writer = Writer::create(folder / "thesis.txt", {}, {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(bytes_of(folder / "thesis.txt"), "years of work");
}

TEST(RecordingFile, CannotBeMadeWhereNothingCanBe) {
  const TempFolder folder;
  const auto nowhere = Writer::create(folder / "no/such/folder/x.tg", {}, {});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().reason, Reason::Gone);
  EXPECT_FALSE(Writer::create(folder.path(), {}, {}));
  auto null = Writer::create("/dev/null", {}, {});
  ASSERT_TRUE(null) << null.error().what;
  EXPECT_TRUE(null->append(Sample{}));
  EXPECT_TRUE(null->close());
}

TEST(ReadRecording, RefusesWhatIsNone) {
  const TempFolder folder;
  const auto refused = [&](const std::string& bytes) {
    put_bytes(folder / "x.tg", bytes);
    const auto found = reading_of(folder / "x.tg");
    EXPECT_FALSE(found) << bytes;
    return found ? Error{} : found.error();
  };
  const auto path = folder / "x.tg";
  EXPECT_EQ(refused("").what, path + ": it is empty: nothing was recorded, or not yet");
  std::string noise;
  for (int i = 0; i < 999; ++i) noise += "\x01\x02";
  for (const auto& bytes :
       {noise, std::string("time,rss_mb\n1,2\n"), std::string("\x28\xB5\x2F\xFD"),
        "\x28\xB5\x2F\xFD" + noise, std::string(5000, '\0')}) {
    EXPECT_EQ(refused(bytes).reason, Reason::Malformed);
  }
  EXPECT_EQ(refused("{\"tidegauge\":7}\n").what,
            path + ": this recording is of version 7; this tidegauge reads up to 1: please update");
  EXPECT_EQ(reading_of(folder / "nowhere.tg").error().reason, Reason::Gone);
  EXPECT_FALSE(reading_of(folder.path()));
  EXPECT_FALSE(looks_like_recording(folder / "nowhere.tg"));
  EXPECT_FALSE(looks_like_recording(folder.path()));
}

TEST(ReadRecording, TakesPlainLinesToo) {
  const TempFolder folder;
  put_bytes(folder / "golden.jsonl",
            "{\"tidegauge\":1,\"kind\":\"recording\"}\n\n"
            "{\"kind\":\"sample\",\"t\":0,\"pids\":[7],\"rss\":[1]}\n"
            "not a line\n"
            "{\"kind\":\"event\",\"t\":0.5,\"event\":\"step\",\"value\":1}\n"
            "{\"kind\":\"of_tomorrow\",\"t\":1}\n"
            "{\"kind\":\"sample\",\"t\":1,\"rss\":[2]}\n"
            "{\"kind\":\"sample\",\"t\":2,\"rs");
  EXPECT_TRUE(looks_like_recording(folder / "golden.jsonl"));
  const auto found = reading_of(folder / "golden.jsonl");
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->recording.entries.size(), 3u);
  EXPECT_EQ(found->end.bad_lines, 1u);
  EXPECT_EQ(found->end.unknown_lines, 1u);
  EXPECT_TRUE(found->end.torn);
}

// The goal is 30 MB; what is measured here is a job that is busier than any.
TEST(RecordingFile, OfABusyDayOf25ProcessesFitsIn30MB) {
  const TempFolder folder;
  constexpr int kHour = 3600;
  auto writer = Writer::create(folder / "day.tg", {}, {});
  ASSERT_TRUE(writer);
  FakeDay day(25);
  for (const auto& entry : day.begin()) ASSERT_TRUE(writer->append(entry));
  for (int i = 0; i < kHour; ++i) ASSERT_TRUE(writer->append(day.next()));
  ASSERT_TRUE(writer->close());
  EXPECT_LT(static_cast<double>(writer->bytes_written()) * 24, 30e6);
}

TEST(ReadBudget, OfAFileGrowsWithItAndWhatWeWriteStaysFarBelow) {
  auto small = ReadBudget::for_file(1000);
  auto large = ReadBudget::for_file(100 << 20);
  for (auto* budget : {&small, &large}) budget->spend_text(1 << 30);
  EXPECT_TRUE(small.used_up());
  EXPECT_FALSE(large.used_up());
  auto any = ReadBudget::unlimited();
  any.spend_entry(1'000'000'000);
  EXPECT_FALSE(any.used_up());
}

TEST(RecordingFile, TextThatIsFarMoreThanItsFileIsReadUpToSomewhereThatIsSaid) {
  const TempFolder folder;
  const auto path = folder / "bomb.jsonl";
  // Work without text: as a small file would unpack to it.
  std::string text = "{\"tidegauge\":1}\n{\"kind\":\"sample\",\"t\":0,\"pids\":[1]";
  for (int i = 2; i <= 5'000; ++i) text.insert(text.size() - 1, "," + std::to_string(i));
  text += "}\n";
  for (int i = 1; i <= 2'000; ++i) {
    text +=
        "{\"kind\":\"event\",\"t\":1,\"event\":\"exec\",\"pid\":1}\n{\"kind\":\"sample\",\"t\":" +
        std::to_string(i) + "}\n";
  }
  put_bytes(path, text);
  const auto read = reading_of(path);
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_TRUE(read->end.cut_short);
  EXPECT_GT(read->end.cut_short->line, 100u);
  EXPECT_LT(read->end.cut_short->line, 4'000u);
  EXPECT_DOUBLE_EQ(read->end.cut_short->at,
                   static_cast<double>(at_of(read->recording.entries.back())) * 1e-9);
}

}  // namespace
}  // namespace tidegauge::record
