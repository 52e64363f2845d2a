// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "record/csv_columns.h"
#include "record/foreign.h"

namespace tidegauge::record {
namespace {

constexpr double kMiB = 1048576;

std::vector<Sample> samples_of(const Recording& recording) {
  std::vector<Sample> out;
  for (const auto& entry : recording.entries) {
    if (const auto* sample = std::get_if<Sample>(&entry)) out.push_back(*sample);
  }
  return out;
}

std::vector<Event> events_of(const Recording& recording) {
  std::vector<Event> out;
  for (const auto& entry : recording.entries) {
    if (const auto* event = std::get_if<Event>(&entry)) out.push_back(*event);
  }
  return out;
}

Foreign good(std::string_view text, const CsvOptions& options = {}) {
  auto foreign = parse_csv(text, options);
  EXPECT_TRUE(foreign) << foreign.error().what << "\n" << text;
  return foreign ? *std::move(foreign) : Foreign{};
}

std::string wrong(std::string_view text, const CsvOptions& options = {}) {
  const auto foreign = parse_csv(text, options);
  EXPECT_FALSE(foreign) << text;
  if (foreign) return "";
  EXPECT_EQ(foreign.error().reason, Reason::Malformed);
  return foreign.error().what;
}

// (seconds, bytes) of the first series.
using Points = std::vector<std::pair<double, double>>;
Points points(const Recording& recording) {
  Points out;
  for (const auto& sample : samples_of(recording)) {
    if (sample.others.empty()) continue;
    out.emplace_back(static_cast<double>(sample.at_ns) * 1e-9, sample.others[0].bytes);
  }
  return out;
}

TEST(ParseCsv, ReadsTheIncident) {
  const auto foreign = good("step,rss_mb\n10,5552\n20,7159\n30,8851\n");
  EXPECT_EQ(foreign.recording.header.clock, Clock::Steps);
  EXPECT_EQ(foreign.notes.rows, 3u);
  const auto samples = samples_of(foreign.recording);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[1].at_ns, 20'000'000'000);
  EXPECT_EQ(samples[1].others, (std::vector<NamedBytes>{{"rss", 7159 * kMiB}}));
  EXPECT_TRUE(events_of(foreign.recording).empty());
}

TEST(ParseCsv, TheUnitIsInTheNameInAnyCommonForm) {
  struct Case {
    const char* title;
    double unit;
    const char* name;
  };
  for (const auto& [title, unit, name] : {Case{"rss_bytes", 1, "rss"},
                                          Case{"rss_b", 1, "rss"},
                                          Case{"rss_kb", 1024, "rss"},
                                          Case{"rss_kib", 1024, "rss"},
                                          Case{"rss_mb", kMiB, "rss"},
                                          Case{"rss_mib", kMiB, "rss"},
                                          Case{"rss_gb", 1024 * kMiB, "rss"},
                                          Case{"rss_gib", 1024 * kMiB, "rss"},
                                          Case{"RSS (MB)", kMiB, "rss"},
                                          Case{"rss [MiB]", kMiB, "rss"},
                                          Case{"RSS MB", kMiB, "rss"},
                                          Case{"rssMB", kMiB, "rss"},
                                          Case{"VmRSS_kB", 1024, "rss"},
                                          Case{"private_mb", kMiB, "uss"},
                                          Case{"RssAnon_kb", 1024, "anon"},
                                          Case{"gpu_memory_mb", kMiB, "gpu"},
                                          Case{"worker 3 (MiB)", kMiB, "worker 3"},
                                          Case{"total_mb", kMiB, "total"},
                                          Case{"process_mb", kMiB, "process"},
                                          Case{"value_mb", kMiB, "value"}}) {
    const auto foreign = good("time," + std::string(title) + "\n0,3\n");
    const auto samples = samples_of(foreign.recording);
    ASSERT_EQ(samples.size(), 1u) << title;
    ASSERT_EQ(samples[0].others.size(), 1u) << title;
    EXPECT_EQ(samples[0].others[0], (NamedBytes{name, 3 * unit})) << title;
  }
}

TEST(ParseCsv, WithoutAUnitItAsksForOne) {
  EXPECT_EQ(wrong("time,rss\n0,1\n"),
            "line 1: column rss does not say its unit: call it rss_mb (or _kb, _gb, _bytes), or "
            "give --unit");
  const auto foreign = good("time,rss,heap\n0,1,2\n", {.unit_bytes = 1000});
  EXPECT_EQ(samples_of(foreign.recording)[0].others,
            (std::vector<NamedBytes>{{"rss", 1000}, {"heap", 2000}}));
  // A unit in the name is stronger than the one on the command line.
  EXPECT_EQ(points(good("time,rss_kb\n0,1\n", {.unit_bytes = 1000}).recording),
            (Points{{0, 1024}}));
}

TEST(ParseCsv, ColumnsThatAreNoMemoryArePassedOverAndNamed) {
  const auto foreign = good("time,cpu %,loss,note,rss_mb\n0,x,y,z,1\n");
  EXPECT_EQ(foreign.notes.ignored, (std::vector<std::string>{"cpu %", "loss", "note"}));
  EXPECT_EQ(points(foreign.recording), (Points{{0, kMiB}}));
}

TEST(ParseCsv, SayWhereAFileMakesNoSense) {
  EXPECT_EQ(wrong("time,rss_mb\n0,0\n1,1\n2,2\n3,3\n4,4\n5,x6x\n6,6\n"),
            "line 7: 'x6x' in column rss_mb is not a number");
  EXPECT_EQ(wrong("time,rss_mb\n# c\n\n0,nan\n1,1\n"),
            "line 4: 'nan' in column rss_mb is not a number");
  EXPECT_EQ(wrong("time,rss_mb\n0,inf\n1,1\n"), "line 2: 'inf' in column rss_mb is not a number");
  EXPECT_EQ(wrong("time,rss_mb\n0,1\n1,-2\n"),
            "line 3: -2 in column rss_mb: memory cannot be less than nothing");
  EXPECT_EQ(wrong("time,rss_gb\n0,1e12\n"),
            "line 2: 1000000000000 in column rss_gb is more than any machine has");
  EXPECT_EQ(wrong("time,rss_mb\n0,1,2\n1,1\n"), "line 2: 3 cells, but the header names 2 columns");
  EXPECT_EQ(wrong("time,rss_mb\n0\n1,1\n"), "line 2: 1 cells, but the header names 2 columns");
  EXPECT_EQ(wrong("time,rss_mb\nsoon,1\n1,1\n"),
            "line 2: 'soon' in column time is neither a number of seconds nor a date such as "
            "2024-05-01T12:34:56");
  EXPECT_EQ(wrong("time,rss_mb\n1,1\n2024-05-01,1\n3,3\n"),
            "line 3: '2024-05-01' in column time: the rows above have numbers of seconds");
  EXPECT_EQ(wrong("time,\"rss_mb\n1,1\n"), "line 1: a quote is opened here and never closed");
  EXPECT_EQ(wrong("time,rss_mb\n1,\"1\"x\n2,2\n"), "line 2: 'x' follows a closing quote");
  EXPECT_EQ(wrong("time,rss_mb,rss_mb\n1,1,1\n"), "line 1: column rss_mb is there twice");
  EXPECT_EQ(wrong("time,pid,rss_mb\n1,self,1\n2,2,2\n"),
            "line 2: 'self' in column pid is not the number of a process");
}

TEST(ParseCsv, SayWhatWasExpectedOfAFileWithoutSeries) {
  EXPECT_EQ(wrong(""),
            "the file is empty: expected a header such as time,rss_mb and rows below it");
  EXPECT_EQ(wrong("\n# nothing\n\n"),
            "the file is empty: expected a header such as time,rss_mb and rows below it");
  EXPECT_EQ(wrong("time,rss_mb\n"), "there is a header (time, rss_mb) but no row below it");
  EXPECT_EQ(wrong("a,b\n1,2\n"),
            "line 1: no column is called time or step (found a, b): expected a header such as "
            "time,rss_mb");
  EXPECT_EQ(wrong("time,b\n1,2\n"),
            "line 1: no column holds memory (found time, b): expected names that end in _bytes, "
            "_kb, _mb or _gb, or --unit for the others");
  EXPECT_EQ(wrong("0,1\n1,2\n"), "line 1: expected a header such as time,rss_mb, found numbers");
  EXPECT_EQ(wrong("time,rss_mb\n1,\n2,\n"), "all cells of all series are empty");
  EXPECT_EQ(wrong(std::string("\x01\x00\x02", 3)),
            "this is neither a recording nor a text: it has zero bytes");
  EXPECT_EQ(wrong("\xFF\xFEt\x01"), "this is UTF-16: save it as UTF-8");
}

TEST(ParseCsv, MessagesShowNoMoreThanFitsATerminal) {
  const auto what = wrong("time,rss_mb\n0," + std::string(1'000'000, 'x') + "\n1,1\n");
  EXPECT_LT(what.size(), 120u);
  EXPECT_EQ(wrong("time,rss_mb\n0,\x1b[31m\n1,1\n"),
            "line 2: '\uFFFD[31m' in column rss_mb is not a number");
}

TEST(ParseCsv, SurvivesALineWithoutEnd) {
  EXPECT_EQ(wrong("time,rss_mb\n0," + std::string(2'000'000, ',') + "\n"),
            "line 2: more than 10000 columns");
  EXPECT_EQ(wrong(std::string(2'000'000, '"')).substr(0, 7), "line 1:");
  EXPECT_FALSE(parse_csv(std::string(2'000'000, 'a'), {}));
}

TEST(ParseCsv, ReadsWhatSpreadsheetsWrite) {
  const Points expected{{0, 12.5 * kMiB}, {1, 13 * kMiB}};
  for (const char* text :
       {"time,rss_mb\n0,12.5\n1,13\n", "time;rss_mb\n0;12,5\n1;13,0\n",
        "time\trss_mb\n0\t12.5\n1\t13\n", "\xEF\xBB\xBFtime,rss_mb\r\n0,12.5\r\n1,13\r\n",
        "time,rss_mb\r0,12.5\r1,13\r", "\"time\",\"rss_mb\"\n\"0\",\"12.5\"\n\"1\",\"13\"",
        " time , rss_mb \n\n 0 , +12.5 \n# a comment\n\n1, 13,\n",
        "# time,rss_mb\n0,12.5\n1,1.3e1\n"}) {
    EXPECT_EQ(points(good(text).recording), expected) << text;
  }
}

TEST(ParseCsv, QuotedCellsMayHoldAnything) {
  const auto foreign = good("time,\"a, \"\"b\"\"\n(c) (MB)\"\n0,\"1\"\n");
  EXPECT_EQ(samples_of(foreign.recording)[0].others[0].name, "a, \"b\"\uFFFD(c)");
  EXPECT_EQ(wrong("time,\"a\nb_mb\"\n0,x\n1,1\n"),
            "line 3: 'x' in column a\uFFFDb_mb is not a number");
}

TEST(ParseCsv, UnsortedDuplicatedAndMissingAreHandledAndCounted) {
  const auto foreign = good("time,rss_mb,uss_mb\n3,30,3\n1,10,\n2,20,2\n3,31,3\n,5,5\n4,,4\n");
  EXPECT_EQ(points(foreign.recording),
            (Points{{1, 10 * kMiB}, {2, 20 * kMiB}, {3, 31 * kMiB}, {4, 4 * kMiB}}));
  EXPECT_EQ(foreign.notes.rows, 5u);
  EXPECT_EQ(foreign.notes.unsorted, 1u);
  EXPECT_EQ(foreign.notes.duplicated, 1u);
  EXPECT_EQ(foreign.notes.missing, 3u);  // two cells, and a row that has no place
}

TEST(ParseCsv, ALastLineThatWasCutIsPassedOver) {
  for (const char* cut : {"2", "2,", "2,x"}) {
    const auto text = std::string("time,rss_mb\n0,1\n1,2\n") + cut;
    const auto foreign = good(text);
    EXPECT_EQ(points(foreign.recording).size(), 2u) << text;
  }
  EXPECT_TRUE(good("time,rss_mb\n0,1\n1").notes.torn);
  EXPECT_FALSE(good("time,rss_mb\n0,1\n1,2").notes.torn);
}

TEST(ParseCsv, TimesOfAllKinds) {
  struct Case {
    const char* header;
    const char* first;
    const char* second;
    std::int64_t unix_ns;
  };
  for (const auto& [header, first, second, unix_ns] :
       {Case{"time", "0", "1.5", 0}, Case{"time (s)", "0", "1.5", 0},
        Case{"elapsed_ms", "0", "1500", 0}, Case{"seconds", "0", "1.5", 0},
        Case{"time", "2024-05-01T12:00:00Z", "2024-05-01T12:00:01.5Z", 1714564800'000'000'000},
        Case{"Timestamp", "2024-05-01 12:00:00", "2024-05-01 14:00:01.500+0200",
             1714564800'000'000'000},
        Case{"time", "1714564800", "1714564801.5", 1714564800'000'000'000},
        Case{"ts", "1714564800000", "1714564801500", 1714564800'000'000'000},
        Case{"date", "1714564800000000000", "1714564801500000000", 1714564800'000'000'000}}) {
    std::ostringstream text;
    text << header << ",rss_mb\n" << first << ",1\n" << second << ",2\n";
    const auto foreign = good(text.str());
    EXPECT_EQ(foreign.recording.header.started_unix_ns, unix_ns) << text.str();
    const auto samples = samples_of(foreign.recording);
    EXPECT_EQ(samples[0].at_ns, 0) << text.str();
    EXPECT_NEAR(static_cast<double>(samples[1].at_ns), 1.5e9, 500) << text.str();
    EXPECT_NEAR(foreign.recording.header.interval_seconds, 1.5, 1e-6) << text.str();
  }
  for (const char* none : {"2024-13-01", "2024-02-30", "2024-05-01T25:00", "2024-05-01T12:00:00+2",
                           "2024-05-01T12", "12:00:00", "1e30"}) {
    EXPECT_FALSE(parse_csv(std::string("time,rss_mb\n") + none + ",1\n1,2\n", {})) << none;
  }
}

TEST(ParseCsv, AStepColumnBesideTimeGivesStepsAndEpochs) {
  const auto foreign = good("time,step,epoch,rss_mb\n0,0,0.0,1\n1,0,0.4,2\n2,1,0.8,3\n3,2,1.2,4\n");
  EXPECT_EQ(foreign.recording.header.clock, Clock::Seconds);
  const auto mark = [](std::int64_t seconds, EventKind kind, double value) {
    return Event{
        .at_ns = seconds * 1'000'000'000, .kind = kind, .source = MarkSource::File, .value = value};
  };
  EXPECT_EQ(events_of(foreign.recording),
            (std::vector<Event>{mark(0, EventKind::Step, 0), mark(0, EventKind::Epoch, 0),
                                mark(2, EventKind::Step, 1), mark(3, EventKind::Step, 2),
                                mark(3, EventKind::Epoch, 1)}));
}

TEST(ParseCsv, ALimitAndTheMachineInTheFile) {
  const auto foreign = good("time,rss_mb,limit_gb,mem_total_kb,mem_available_mb\n0,1,2,3,4\n");
  const auto sample = samples_of(foreign.recording)[0];
  ASSERT_EQ(sample.cgroups.size(), 1u);
  EXPECT_EQ(sample.cgroups[0].limit, 2ull << 30);
  EXPECT_EQ(sample.machine->total, 3ull << 10);
  EXPECT_EQ(sample.machine->available, 4ull << 20);
  EXPECT_EQ(sample.others.size(), 1u);
}

// Control groups without a limit say 0 or some 9.2e18, after whoever asks.
TEST(ParseCsv, ALimitThatIsNoneIsNotThere) {
  for (const char* none : {"", "0", "9223372036854771712"}) {
    const auto foreign = good(std::string("time,rss_mb,limit_bytes\n0,1,") + none + "\n");
    EXPECT_TRUE(samples_of(foreign.recording)[0].cgroups.empty()) << none;
  }
}

TEST(ParseCsv, LongFormGivesEveryProcessItsSeries) {
  const auto foreign = good(
      "time,pid,ppid,start,name,role,rss_kb,heap_kb\n"
      "0,10,1,5,uv,wrapper,1,2\n0,11,10,6,python,main,3,4\n"
      "1,11,10,6,python,main,5,6\n1,10,1,5,uv,wrapper,1,2\n");
  const auto samples = samples_of(foreign.recording);
  ASSERT_EQ(samples.size(), 2u);
  ASSERT_EQ(samples[1].processes.size(), 2u);
  const auto& python = samples[1].processes[1];
  EXPECT_EQ(python.id, (ProcessId{11, 6}));
  EXPECT_EQ(python.memory.rss, 5u << 10);
  EXPECT_EQ(python.others, (std::vector<NamedBytes>{{"heap", 6 << 10}}));
  std::vector<Process> described;
  for (const auto& entry : foreign.recording.entries) {
    if (const auto* process = std::get_if<Process>(&entry)) described.push_back(*process);
  }
  ASSERT_EQ(described.size(), 2u);
  EXPECT_EQ(described[1],
            (Process{.id = {11, 6}, .parent = {10, 5}, .name = "python", .role = Role::Main}));
}

TEST(ParseCsv, LongFormJoinsRowsThatWereTakenOneAfterTheOther) {
  std::ostringstream text;
  text << "time,pid,rss_kb\n";
  for (int i = 0; i < 20; ++i) {
    for (int pid = 1; pid <= 5; ++pid) text << i + pid * 0.05 << ',' << pid << ",100\n";
  }
  const auto samples = samples_of(good(text.str()).recording);
  ASSERT_EQ(samples.size(), 20u);
  for (const auto& sample : samples) EXPECT_EQ(sample.processes.size(), 5u);
}

TEST(ParseCsv, AHoleInLongFormIsNotMemoryGivenBack) {
  const auto foreign = good("time,pid,rss_kb\n0,1,10\n0,2,20\n1,1,11\n2,1,12\n2,2,22\n3,1,13\n");
  const auto samples = samples_of(foreign.recording);
  ASSERT_EQ(samples.size(), 4u);
  ASSERT_EQ(samples[1].processes.size(), 2u);
  EXPECT_EQ(samples[1].processes[1].memory.rss, 20u << 10);
  EXPECT_EQ(samples[3].processes.size(), 1u) << "it did not come again";
  EXPECT_EQ(foreign.notes.missing, 1u);
}

TEST(ParseCsvLaws, TheOrderOfRowsDoesNotMatter) {
  EXPECT_TRUE(rc::check([](std::vector<std::pair<unsigned, unsigned>> values, unsigned seed) {
    RC_PRE(!values.empty());
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < values.size(); ++i) {  // times differ, pids are few
      rows.push_back(std::to_string(i / 2) + "," + std::to_string(i % 2) + "," +
                     std::to_string(values[i].first) + "\n");
    }
    const auto whole = [&] {
      std::string text = "time,pid,rss_kb\n";
      for (const auto& row : rows) text += row;
      return text;
    };
    const auto before = parse_csv(whole(), {});
    std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
    const auto after = parse_csv(whole(), {});
    RC_ASSERT(before && after);
    RC_ASSERT(before->recording == after->recording);
  }));
}

TEST(ParseCsvLaws, AnyTextIsReadOrRefusedWithAReason) {
  EXPECT_TRUE(rc::check([](std::vector<int> picks) {
    constexpr const char* kPieces[] = {
        "time", "step", "rss_mb", "pid", ",", ",",    "\n",  "\n", "1", "2.5", "\"",
        "#",    ";",    "\t",     " ",   "-", "\r\n", "nan", "x",  "0", "1e",  "2024-05-01"};
    std::string text = "time,pid,rss_mb\n";
    for (const int pick : picks) text += kPieces[static_cast<unsigned>(pick) % std::size(kPieces)];
    const auto foreign = parse_csv(text, {});
    if (!foreign) RC_ASSERT(!foreign.error().what.empty());
  }));
}

}  // namespace
}  // namespace tidegauge::record
