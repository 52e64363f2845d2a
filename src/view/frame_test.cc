// SPDX-License-Identifier: Apache-2.0
#include "view/frame.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "view/fake_live.h"
#include "view/status_line.h"
#include "view/width.h"

namespace tidegauge::view {
namespace {

// Frames as text, to be read by people. TIDEGAUGE_WRITE_FRAMES=1 writes them anew; look at the
// difference before you keep it.
void expect_frame(const std::string& name, const Grid& grid) {
  const auto path = std::string(TIDEGAUGE_FRAMES) + name + ".txt";
  if (std::getenv("TIDEGAUGE_WRITE_FRAMES")) std::ofstream(path) << grid.text();
  std::ifstream in(path);
  std::stringstream wanted;
  wanted << in.rdbuf();
  EXPECT_EQ(grid.text(), wanted.str()) << "differs from " << path;
}

bool has(const Grid& grid, const std::string& text) {
  return grid.text().find(text) != std::string::npos;
}

TEST(Frame, ShowsTheUndecidedIncidentWithBothFutures) {
  const FakeLive live(201);
  expect_frame("undecided-80x24", frame(live.state(), {}, {80, 24}));
  expect_frame("undecided-200x50", frame(live.state(), {}, {200, 50}));
}

TEST(Frame, HasNoPidOfAJobThatHasEndedAndSaysThatTheKernelKilledIt) {
  FakeLive live(201);
  EXPECT_TRUE(has(frame(live.state(), {}, {80, 24}), "pid 494"));
  const auto at = 202 * FakeIncident::kSecond;
  const FakeIncident incident;
  live.add(
      record::Event{.at_ns = at, .kind = record::EventKind::Exited, .process = incident.trainer});
  live.add(record::Event{.at_ns = at, .kind = record::EventKind::OomKill, .name = "/"});
  for (const Size size : {Size{80, 24}, Size{200, 50}, Size{80, 8}}) {
    const auto seen = frame(live.state(), {}, size);
    EXPECT_FALSE(has(seen, "· pid 494")) << seen.text();
    EXPECT_TRUE(has(seen, "The kernel killed train.py (pid 494): out of memory")) << seen.text();
  }
}

TEST(Frame, ShowsTheSettledIncident) {
  const FakeLive live(400);
  expect_frame("settled-80x24", frame(live.state(), {}, {80, 24}));
  expect_frame("settled-200x50", frame(live.state(), {}, {200, 50}));
  expect_frame("settled-by-step-100x30", frame(live.state(), {.by_step = true}, {100, 30}));
}

// What does not fit is left out as a whole: half a number is a wrong one.
TEST(Frame, CutsNoFact) {
  const FakeLive live(201);
  auto state = live.state();
  state.words.facts.push_back({"What piles up", "14.6 GiB in 560 PIL.JpegImagePlugin.JpegImageFile",
                               "held by train.Lazy.rows[*]['image']", "cause"});
  for (const auto& size :
       {Size{80, 24}, Size{100, 30}, Size{120, 40}, Size{160, 45}, Size{200, 50}}) {
    const auto text = frame(state, {}, size).text();
    EXPECT_NE(text.find("171 MiB per step"), std::string::npos) << text;
    EXPECT_TRUE(size.columns < 120 || text.find("rows[*]['image']") != std::string::npos) << text;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const bool fact = line.starts_with("How") || line.starts_with("Until");
      EXPECT_FALSE(fact && line.find("…") != std::string::npos) << line;
    }
  }
}

TEST(Frame, ReadsWithoutUnicode) {
  const FakeLive live(400);
  const auto grid = frame(live.state(), {}, {100, 30}, false);
  expect_frame("settled-ascii-100x30", grid);
  for (const char c : grid.text()) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f));
}

TEST(Frame, KeepsTheAnswerOnASmallScreen) {
  const FakeLive live(201);
  expect_frame("undecided-40x10", frame(live.state(), {}, {40, 10}));
  EXPECT_TRUE(has(frame(live.state(), {}, {30, 1}), "CANNOT TELL YET"));
  EXPECT_TRUE(has(frame(live.state(), {}, {60, 3}), "CANNOT TELL YET"));
}

TEST(Frame, HasAPageOfHelpAndAPageOfKinds) {
  const FakeLive live(201);
  EXPECT_TRUE(
      has(frame(live.state(), {.help = true}, {80, 24}), "pause the view; watching goes on"));
  EXPECT_TRUE(has(frame(live.state(), {.kinds = true}, {80, 24}), "kinds of memory, whole tree"));
}

TEST(Frame, SaysSomethingBeforeTheFirstSample) {
  const Accounts accounts;
  const auto grid = frame(live_state(accounts, {}), {}, {80, 24});
  EXPECT_TRUE(has(grid, "LOOKING"));
  EXPECT_TRUE(has(grid, "no samples yet"));
}

TEST(Frame, AHostileNameStaysInItsColumn) {
  FakeLive live(201);
  live.add(record::Process{.id = {494, 200},
                           .name = "\x1b[31m表計算\u202E" + std::string(5000, 'x'),
                           .role = record::Role::Main});
  const auto text = frame(live.state(), {}, {80, 24}).text();
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_NE(text.find("\uFFFD[31m表計算"), text.npos);
  EXPECT_NE(text.find("cannot tell"), text.npos);
}

TEST(Frame, TheJobStaysOnTopHoweverTheTableIsSorted) {
  const FakeLive live(201);
  for (const auto sort : {Sort::Memory, Sort::Growth, Sort::Name}) {
    const auto text = frame(live.state(), {.sort = sort}, {80, 24}).text();
    const auto job = text.find("main     train.py");
    ASSERT_NE(job, text.npos);
    EXPECT_LT(job, text.find("20 compile workers"));
    EXPECT_LT(job, text.find("wrapper  uv"));
  }
}

TEST(Frame, PausedItShowsTheMomentWhenItWasPaused) {
  FakeLive live(120);
  const FakeIncident incident;
  const auto paused = turned({}, Key::Pause, extent_of(live.state()));
  const auto before = frame(live.state(), paused, {80, 24});
  for (int second = 121; second < 180; ++second) live.add(incident.sample(second, 20));
  EXPECT_TRUE(has(before, "paused"));
  EXPECT_TRUE(has(frame(live.state(), paused, {80, 24}), "pid 494 · 2:00 · step 40"));
  const auto window = window_of(paused, extent_of(live.state()));
  EXPECT_EQ(window.to, 120);
}

TEST(StatusLine, IsOnePlainLine) {
  const FakeLive live(201);
  EXPECT_EQ(
      status_line(live.state()),
      "3:21  step 70  24.1 GiB  CANNOT TELL YET: Growing 171 MiB per step; step 103 will tell.");
}

// Laws.

TEST(Frame, IsExactlyAsLargeAsAskedWhateverItShows) {
  FakeLive live(260);
  EXPECT_TRUE(rc::check([&live] {
    live.verdicts().all.front() = any_verdict();
    const Size size{*rc::gen::inRange(0, 240), *rc::gen::inRange(0, 70)};
    Controls controls;
    if (*rc::gen::arbitrary<bool>()) controls.span = *rc::gen::element(1.0, 60.0, 120.0, 1e9);
    controls.back = *rc::gen::element(0.0, 0.0, 30.0, 1e9);
    controls.by_step = *rc::gen::arbitrary<bool>();
    controls.kinds = *rc::gen::arbitrary<bool>();
    controls.help = *rc::gen::inRange(0, 10) == 0;
    const bool unicode = *rc::gen::arbitrary<bool>();
    const auto grid = frame(live.state(), controls, size, unicode);
    RC_ASSERT(grid.size() == size);
    const auto text = grid.text();
    std::string_view rest = text;
    int lines = 0;
    while (!rest.empty()) {
      const auto line = next_line(rest);
      RC_ASSERT(columns_of(line) <= static_cast<std::size_t>(size.columns));
      RC_ASSERT(printable(line) == line);
      ++lines;
    }
    RC_ASSERT(lines == size.rows);
  }));
}

TEST(Controls, TheWindowLiesWithinTheRunWhateverTheKeys) {
  EXPECT_TRUE(rc::check([] {
    Controls controls;
    Extent extent{0, *rc::gen::element(0.0, 5.0, 400.0, 1e6), *rc::gen::element(0.1, 1.0, 60.0)};
    const auto presses = *rc::gen::inRange(0, 60);
    for (int i = 0; i < presses; ++i) {
      controls = turned(controls, any_of(Key::Resize), extent);
      if (i % 7 == 0) extent.last_at += 10;
      const auto window = window_of(controls, extent);
      RC_ASSERT(window.to > window.from);
      RC_ASSERT(window.from >= extent.first_at - 1e-6);
      RC_ASSERT(window.to <= std::max(extent.last_at, extent.first_at + extent.narrowest) + 1e-6);
    }
  }));
}

TEST(Controls, ZoomingOutLeadsBackToTheWholeRun) {
  const Extent extent{0, 4000, 1};
  auto controls = turned({}, Key::ZoomIn, extent);
  EXPECT_EQ(controls.span, 3600);
  controls = turned(turned(controls, Key::ZoomIn, extent), Key::Left, extent);
  EXPECT_EQ(controls.span, 1800);
  EXPECT_GT(controls.back, 0);
  controls = turned(turned(controls, Key::ZoomOut, extent), Key::ZoomOut, extent);
  EXPECT_FALSE(controls.span.has_value());
  EXPECT_EQ(controls.back, 0);
}

}  // namespace
}  // namespace tidegauge::view
