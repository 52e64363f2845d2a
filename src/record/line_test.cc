// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "base/text.h"
#include "record/fake_recording.h"
#include "record/line_numbers.h"
#include "record/line_reader.h"
#include "record/line_writer.h"

namespace tidegauge::record {
namespace {

std::string kib(std::uint64_t bytes) {
  std::string out;
  append_kib(out, bytes);
  return out;
}

std::string seconds(std::int64_t ns) {
  std::string out;
  append_seconds(out, ns);
  return out;
}

TEST(LineNumbers, AreShortAndExact) {
  EXPECT_EQ(kib(0), "0");
  EXPECT_EQ(kib(4096), "4");
  EXPECT_EQ(kib(100), "0.09765625");
  EXPECT_EQ(kib(1), "0.0009765625");
  EXPECT_EQ(kib(1536), "1.5");
  EXPECT_EQ(seconds(0), "0");
  EXPECT_EQ(seconds(1'500'000'000), "1.5");
  EXPECT_EQ(seconds(-1), "-0.000000001");
  EXPECT_EQ(seconds(std::numeric_limits<std::int64_t>::min()), "-9223372036.854775808");
}

TEST(LineNumbers, ReadBackWhatTheyWroteForEveryNumber) {
  EXPECT_TRUE(rc::check([](std::uint64_t bytes, std::int64_t ns) {
    for (const auto value : {bytes, bytes << 10, ~bytes}) RC_ASSERT(parse_kib(kib(value)) == value);
    for (const auto value : {ns, ~ns, ns / 1'000'000 * 1'000'000}) {
      RC_ASSERT(parse_seconds(seconds(value)) == value);
    }
  }));
}

TEST(LineNumbers, WhatIsFinerThanAByteOrTooLargeIsNone) {
  for (const char* wrong : {"", "-1", "0.00001", "0.1", "18014398509481984", "1e3", "1.", ".5", "x",
                            "1.2.3", "0x10", "1.-5"}) {
    EXPECT_FALSE(parse_kib(wrong)) << wrong;
  }
  for (const char* wrong : {"", "-", "--1", "9223372036.854775808", "1.0000000001", "1e3"}) {
    EXPECT_FALSE(parse_seconds(wrong)) << wrong;
  }
  EXPECT_EQ(parse_kib("1.500"), 1536u);
  EXPECT_EQ(parse_kib("19707358.686523438"), parse_kib("19707358.6865234375"));
  EXPECT_EQ(parse_seconds("1.5000000000"), 1'500'000'000);
}

// Reads lines as a file would give them.
struct Lines {
  LineReader reader{};
  Recording recording{};
  std::size_t bad = 0;
  std::size_t unknown = 0;
  std::optional<Error> error{};

  explicit Lines(const std::string& text) {
    std::string padded = text + std::string(line_padding(), ' ');
    std::string_view rest(padded.data(), text.size());
    while (!rest.empty() && !error) take(next_line(rest));
  }
  void take(std::string_view line) {
    const auto found = reader.take(line);
    if (!found) {
      error = found.error();
      return;
    }
    if (*found == LineReader::Found::Header) recording.header = reader.header();
    if (*found == LineReader::Found::News) recording.entries.push_back(reader.entry());
    bad += *found == LineReader::Found::Bad ? 1 : 0;
    unknown += *found == LineReader::Found::Unknown ? 1 : 0;
  }
};

std::string written(const Recording& recording, const std::set<std::size_t>& frames) {
  LineWriter writer(recording.header);
  writer.begin_frame(0);
  for (std::size_t i = 0; i < recording.entries.size(); ++i) {
    if (frames.contains(i)) writer.begin_frame(i);
    writer.add(recording.entries[i]);
  }
  return writer.text();
}

TEST(LineLaws, WhatIsWrittenReadsBackTheSameWhereverFramesBegin) {
  EXPECT_TRUE(rc::check([](unsigned seed, std::set<std::size_t> frames) {
    const auto recording = FakeRecording(seed).make(60);
    const Lines lines(written(recording, frames));
    RC_ASSERT(!lines.error);
    RC_ASSERT(lines.bad == 0u);
    RC_ASSERT(lines.recording.header == recording.header);
    RC_ASSERT(lines.recording.entries.size() == recording.entries.size());
    for (std::size_t i = 0; i < recording.entries.size(); ++i) {
      RC_ASSERT(lines.recording.entries[i] == recording.entries[i]);
    }
  }));
}

TEST(LineLaws, EveryFrameCanBeReadWithoutTheOnesBefore) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    const auto recording = FakeRecording(seed).make(40);
    const auto text = written(recording, {20});
    const auto second = text.rfind(kFirstWord);
    const Lines lines(text.substr(second));
    RC_ASSERT(lines.bad == 0u);
    RC_ASSERT(lines.recording.entries.size() >= 20u);
    // Processes that live on are described again; then comes what was written.
    const auto skipped = lines.recording.entries.size() - 20;
    for (std::size_t i = 0; i < 20; ++i) {
      RC_ASSERT(lines.recording.entries[skipped + i] == recording.entries[20 + i]);
    }
  }));
}

TEST(LineWriter, SaysOnlyWhatHasChanged) {
  LineWriter writer({.tool = "tidegauge 0.1.0", .host = "h", .command = "python train.py"});
  Sample sample{.at_ns = 1'000'000'000};
  sample.processes.push_back(
      {.id = {812, 5512},
       .memory = {.rss = 7 << 20, .anon = 4 << 20, .file = 2 << 20, .shmem = 1 << 20},
       .activity = {.state = 'S', .threads = 3}});
  sample.processes.push_back({.id = {813, 5600}, .memory = {.rss = 1 << 20}});
  writer.add(sample);
  EXPECT_EQ(writer.text(),
            "{\"kind\":\"sample\",\"t\":1,\"pids\":[812,813],\"starts\":[5512,5600],"
            "\"anon\":[4096,null],\"file\":[2048,null],\"shmem\":[1024,null],\"threads\":[3,null],"
            "\"rss\":[7168,1024],\"state\":\"S?\"}\n");
  writer.clear();
  sample.at_ns += 1'000'000'000;
  writer.add(sample);
  EXPECT_EQ(writer.text(), "{\"kind\":\"sample\",\"t\":2}\n");
  writer.clear();
  *sample.processes[0].memory.anon += 4096;
  *sample.processes[0].memory.rss += 4096;
  sample.processes[0].memory.pss = 1 << 20;
  writer.add(sample);
  EXPECT_EQ(writer.text(),
            "{\"kind\":\"sample\",\"t\":2,\"anon\":[4100,null],\"pss\":[1024,null]}\n");
}

constexpr const char* kHeader = "{\"tidegauge\":1,\"kind\":\"recording\"}\n";

TEST(LineReader, TakesLinesThatAPersonWrote) {
  const Lines lines(std::string(kHeader) +
                    "{ \"t\": 1.5, \"kind\": \"sample\", \"pids\": [7], \"rss\": [ 100 ] }\n"
                    "{\"kind\":\"sample\",\"t\":2,\"later\":{\"a\":[1,{}]},\"rss\":[200.5]}\n");
  EXPECT_EQ(lines.bad, 0u);
  ASSERT_EQ(lines.recording.entries.size(), 2u);
  const auto& sample = std::get<Sample>(lines.recording.entries[1]);
  EXPECT_EQ(sample.at_ns, 2'000'000'000);
  EXPECT_EQ(sample.processes[0].memory.rss, 205312u);
}

TEST(LineReader, PassesOverKindsOfALaterVersion) {
  const Lines lines(std::string(kHeader) +
                    "{\"kind\":\"census\",\"t\":1}\n"
                    "{\"kind\":\"event\",\"t\":1,\"event\":\"teleported\"}\n"
                    "{\"kind\":\"event\",\"t\":1,\"event\":\"step\",\"source\":\"dreams\"}\n"
                    "{\"kind\":\"event\",\"t\":1,\"event\":\"step\",\"why\":[]}\n");
  EXPECT_EQ(lines.unknown, 3u);
  EXPECT_EQ(lines.bad, 0u);
  EXPECT_EQ(lines.recording.entries.size(), 1u);
}

TEST(LineReader, ASampleAfterOneThatMadeNoSenseIsNotBelieved) {
  const std::string good = "{\"kind\":\"sample\",\"t\":1,\"pids\":[7],\"rss\":[1]}\n";
  for (const char* wrong :
       {"{\"kind\":\"sample\",\"t\":1,\"rss\":[1,2]}\n",
        "{\"kind\":\"sample\",\"t\":1,\"rss\":[]}\n",
        "{\"kind\":\"sample\",\"t\":1,\"rss\":[-1]}\n",
        "{\"kind\":\"sample\",\"t\":1,\"rss\":\"x\"}\n", "{\"kind\":\"sample\",\"t\":\"now\"}\n",
        "{\"kind\":\"sample\",\"t\":1,\"pids\":[9e99]}\n",
        "{\"kind\":\"sample\",\"t\":1,\"starts\":[1]}\n",
        "{\"kind\":\"sample\",\"t\":1,\"state\":\"RR\"}\n",
        "{\"kind\":\"sample\",\"t\":1,\"machine\":7}\n"}) {
    const Lines lines(kHeader + good + wrong + good +
                      "{\"kind\":\"event\",\"t\":3,\"event\":\"gap\"}\n" + kHeader + good);
    EXPECT_EQ(lines.bad, 2u) << wrong;
    EXPECT_EQ(lines.recording.entries.size(), 3u) << wrong;
  }
}

TEST(LineReader, NamesAVersionFromTheFuture) {
  const Lines lines("{\"tidegauge\":7,\"kind\":\"recording\",\"new\":{}}\n");
  ASSERT_TRUE(lines.error);
  EXPECT_EQ(lines.error->reason, Reason::Malformed);
  EXPECT_EQ(lines.error->what,
            "this recording is of version 7; this tidegauge reads up to 1: please update");
}

TEST(LineReader, RefusesWhatIsNoRecording) {
  for (const char* text :
       {"{}\n", "hello\n", "\n", "[1]\n", "{\"kind\":\"sample\",\"t\":1}\n",
        "{\"tidegauge\":\"x\"}\n", "{\"tidegauge\":0}\n", "{\"tidegauge\":1\n"}) {
    const Lines lines(text);
    ASSERT_TRUE(lines.error) << text;
    EXPECT_EQ(lines.error->what, "this is no recording of tidegauge") << text;
  }
}

TEST(LineReaderLaws, ProcessesWithTheSameVersionAreTheSame) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    const auto written = FakeRecording(seed).make(40);
    LineWriter writer(written.header);
    writer.begin_frame(0);
    for (const auto& entry : written.entries) writer.add(entry);
    std::map<std::uint64_t, std::vector<ProcessSample>> known;
    for (const auto& entry : Lines(writer.text()).recording.entries) {
      const auto* sample = std::get_if<Sample>(&entry);
      if (sample == nullptr || sample->processes_version == 0) continue;
      const auto [at, is_new] = known.try_emplace(sample->processes_version, sample->processes);
      RC_ASSERT(is_new || at->second == sample->processes);
    }
  }));
}

TEST(LineReader, ASampleThatSaysNothingOfItsProcessesIsNoWorkForEach) {
  LineReader reader;
  std::vector<std::size_t> parts;
  for (const std::string line :
       {"{\"tidegauge\":1}", "{\"kind\":\"sample\",\"t\":0,\"pids\":[1,2,3],\"anon\":[4,5,6]}",
        "{\"kind\":\"sample\",\"t\":1}", "{\"kind\":\"sample\",\"t\":2,\"anon\":[4,5,7]}",
        "{\"kind\":\"event\",\"t\":2,\"event\":\"exited\",\"pid\":9}",
        "{\"kind\":\"sample\",\"t\":3}"}) {
    const auto padded = line + std::string(line_padding(), ' ');
    ASSERT_TRUE(reader.take(std::string_view(padded).substr(0, line.size())));
    parts.push_back(reader.parts());
  }
  // Who comes is work twice; after somebody has gone, all are gone through again.
  EXPECT_EQ(parts, (std::vector<std::size_t>{0, 6, 0, 3, 0, 3}));
}

TEST(LineReader, MoreProcessesThanAnyMachineHasAreNoSample) {
  std::string pids = "1";
  for (int i = 2; i <= 70'000; ++i) pids += "," + std::to_string(i);
  const Lines lines("{\"tidegauge\":1}\n{\"kind\":\"sample\",\"t\":0,\"pids\":[" + pids + "]}\n");
  EXPECT_EQ(lines.bad, 1u);
  EXPECT_TRUE(lines.recording.entries.empty());
}

}  // namespace
}  // namespace tidegauge::record
