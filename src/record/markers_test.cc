// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "record/foreign.h"

namespace tidegauge::record {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Markers good(std::string_view text) {
  auto markers = parse_markers(text);
  EXPECT_TRUE(markers) << markers.error().what << "\n" << text;
  return markers ? *std::move(markers) : Markers{};
}

std::string wrong(std::string_view text) {
  const auto markers = parse_markers(text);
  EXPECT_FALSE(markers) << text;
  return markers ? "" : markers.error().what;
}

Event mark(double seconds, EventKind kind, std::string name, std::optional<double> value = {}) {
  return {.at_ns = static_cast<std::int64_t>(seconds * 1e9),
          .kind = kind,
          .source = MarkSource::File,
          .name = std::move(name),
          .value = value};
}

// A recording with a sample every second or step.
Recording recording_of(Clock clock, int samples, std::int64_t started_unix_ns = 0) {
  Recording recording{.header = {.clock = clock, .started_unix_ns = started_unix_ns}};
  for (int i = 0; i < samples; ++i) recording.entries.emplace_back(Sample{.at_ns = i * kSecond});
  return recording;
}

// Index of the entry that is this kind of event.
std::size_t index_of(const Recording& recording, EventKind kind) {
  for (std::size_t i = 0; i < recording.entries.size(); ++i) {
    const auto* event = std::get_if<Event>(&recording.entries[i]);
    if (event != nullptr && event->kind == kind) return i;
  }
  return recording.entries.size();
}

TEST(ParseMarkers, StepsEpochsPhasesAndFreeText) {
  const auto markers = good(
      "time,step,epoch,event\n"
      "0,,0,epoch\n1.5,10,0,step\n2,10,0,eval_start\n4,10,0,eval_end\n"
      "5,20,1,save_start\n6,20,1,save\n7,,,Changed The Rate\n8,20,1,save\n");
  EXPECT_EQ(markers.clock, Clock::Seconds);
  EXPECT_FALSE(markers.unix_time);
  EXPECT_EQ(markers.events,
            (std::vector<Event>{
                mark(0, EventKind::Epoch, "", 0), mark(1.5, EventKind::Step, "", 10),
                mark(2, EventKind::PhaseBegin, "eval"), mark(4, EventKind::PhaseEnd, "eval"),
                mark(5, EventKind::Step, "", 20), mark(5, EventKind::Epoch, "", 1),
                mark(5, EventKind::PhaseBegin, "save"), mark(6, EventKind::PhaseEnd, "save"),
                mark(7, EventKind::Note, "changed the rate"),
                // A bare word that ends nothing is a moment of its own.
                mark(8, EventKind::PhaseBegin, "save"), mark(8, EventKind::PhaseEnd, "save")}));
}

TEST(ParseMarkers, UnsortedRowsAreSorted) {
  const auto markers = good("time,step\n3,3\n1,1\n2,2\n");
  ASSERT_EQ(markers.events.size(), 3u);
  EXPECT_EQ(markers.events[0].value, 1);
  EXPECT_EQ(markers.events[2].value, 3);
}

TEST(ParseMarkers, DistinctExamplesHaveAValueAndATotal) {
  const auto markers = good("time,event,value,total\n1,distinct,83,663\n");
  ASSERT_EQ(markers.events.size(), 1u);
  EXPECT_EQ(markers.events[0].kind, EventKind::Distinct);
  EXPECT_EQ(markers.events[0].value, 83);
  EXPECT_EQ(markers.events[0].total, 663);
}

TEST(ParseMarkers, ErrorsNameTheLine) {
  EXPECT_EQ(wrong("time,step,event\n1,2,x\n2,y,step\n3,4,x\n"),
            "line 3: 'y' in column step is not a number");
  EXPECT_EQ(wrong("time,rss_mb\n1,2\n"),
            "line 1: expected markers with a header such as time,step,epoch,event, found time, "
            "rss_mb");
  EXPECT_EQ(wrong(""),
            "the file is empty: expected a header such as time,step,epoch,event and rows below it");
}

TEST(Merge, MarkersComeBeforeTheSampleThatSeesThem) {
  auto recording = recording_of(Clock::Seconds, 4);
  ASSERT_TRUE(merge(recording, good("time,step,event\n2,7,step\n99,,late\n")));
  ASSERT_EQ(recording.entries.size(), 6u);
  EXPECT_EQ(index_of(recording, EventKind::Step), 2u);
  EXPECT_EQ(index_of(recording, EventKind::Note), 5u);
}

TEST(Merge, DatesAreCountedFromWhenTheRecordingBegan) {
  auto recording = recording_of(Clock::Seconds, 4, 1714564800 * kSecond);
  ASSERT_TRUE(merge(recording, good("time,step\n2024-05-01T12:00:02Z,7\n")));
  EXPECT_EQ(index_of(recording, EventKind::Step), 2u);
  auto unknown = recording_of(Clock::Seconds, 4);
  const auto merged = merge(unknown, good("time,step\n2024-05-01T12:00:02Z,7\n"));
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().what,
            "the markers have dates, but the series does not say when it began");
}

TEST(Merge, MarkersThatCountStepsFindTheirTime) {
  auto csv = parse_csv("time,step,rss_mb\n0,0,1\n10,1,1\n20,2,1\n30,3,1\n", {});
  ASSERT_TRUE(csv);
  ASSERT_TRUE(merge(csv->recording, good("step,event\n1.5,note this\n5,later\n")));
  std::vector<std::int64_t> at;
  for (const auto& entry : csv->recording.entries) {
    const auto* event = std::get_if<Event>(&entry);
    if (event != nullptr && event->kind == EventKind::Note) at.push_back(event->at_ns / kSecond);
  }
  EXPECT_EQ(at, (std::vector<std::int64_t>{15, 50}));
  auto without = recording_of(Clock::Seconds, 4);
  EXPECT_FALSE(merge(without, good("step,event\n1,x\n")));
}

TEST(Merge, MarkersThatCountSecondsFindTheirStep) {
  auto recording = recording_of(Clock::Steps, 4);
  ASSERT_TRUE(merge(recording, good("time,step,event\n100,0,\n200,1,\n250,,between\n300,2,\n")));
  const auto at = index_of(recording, EventKind::Note);
  ASSERT_LT(at, recording.entries.size());
  EXPECT_EQ(std::get<Event>(recording.entries[at]).at_ns, 3 * kSecond / 2);
  auto without = recording_of(Clock::Steps, 4);
  EXPECT_FALSE(merge(without, good("time,event\n1,x\n")));
}

TEST(Merge, ARecordingOfStepsTakesMarkersOfSteps) {
  auto recording = recording_of(Clock::Steps, 4);
  ASSERT_TRUE(merge(recording, good("step,event\n2,eval_start\n2,eval_end\n")));
  EXPECT_EQ(index_of(recording, EventKind::PhaseBegin), 3u);  // after the step's own mark
}

}  // namespace
}  // namespace tidegauge::record
