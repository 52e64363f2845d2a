// SPDX-License-Identifier: Apache-2.0
#include "verdict/tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "verdict/fake_recording.h"

namespace tidegauge::verdict {
namespace {

using record::ProcessId;
using record::Role;

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr int kTwoHours = 7200;

using Held = std::vector<std::pair<ProcessId, double>>;

// A sample every two seconds for two hours; `held` in mebibytes.
Verdicts judge_tree(FakeRecording& recording, const std::function<Held(double)>& held) {
  for (int at = 0; at < kTwoHours; at += 2) {
    Held bytes = held(at);
    for (auto& [id, size] : bytes) size *= kMebibyte;
    recording.anon(at, bytes);
  }
  return judge(recording.get(), {});
}

bool says(const Verdict& verdict, const std::string& words) {
  for (const auto& sentence : verdict.evidence) {
    if (sentence.find(words) != std::string::npos) return true;
  }
  return false;
}

const ProcessId kJob{100, 1};

TEST(Tree, NamesTheOneWorkerOfSixteenThatGrows) {
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  for (int i = 1; i <= 16; ++i) recording.process({100 + i, 1}, "worker", Role::LoaderWorker);
  const auto verdicts = judge_tree(recording, [](double at) {
    Held held = {{kJob, 2000}};
    for (int i = 1; i <= 16; ++i) held.push_back({{100 + i, 1}, 300 + (i == 7 ? at / 20 : 0)});
    return held;
  });
  const Verdict& tree = verdicts.all.front();
  EXPECT_EQ(tree.klass, Class::Leak);
  ASSERT_TRUE(tree.grower);
  EXPECT_EQ(tree.grower->process, (ProcessId{107, 1}));
  EXPECT_TRUE(says(tree, "1 of 16 loader workers grows")) << tree.evidence.back();
}

TEST(Tree, WorkersThatComeAndGoAreNoGrowth) {
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  // Twenty compile workers for the second quarter, and a new set of loaders every ten minutes.
  const auto verdicts = judge_tree(recording, [](double at) {
    Held held = {{kJob, 1500}};
    for (int i = 0; i < 20; ++i) {
      if (at >= 1800 && at < 3600) held.push_back({{200 + i, 1}, 400});
    }
    const int set = static_cast<int>(at) / 600;
    for (int i = 0; i < 4; ++i) held.push_back({{1000 + 10 * set + i, 1}, 250});
    return held;
  });
  const Verdict& tree = verdicts.all.front();
  EXPECT_NE(tree.klass, Class::Leak);
  EXPECT_NE(tree.klass, Class::Undecided) << tree.evidence.front();
  EXPECT_LT(tree.p_leak, 0.2);
}

TEST(Tree, WorkersThatJoinLateAndStayAreNoGrowth) {
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  const auto verdicts = judge_tree(recording, [](double at) {
    Held held = {{kJob, 1500}};
    for (int i = 0; i < 4; ++i) {
      // Each comes up within half a minute to what it then keeps.
      const double since = at - 1500 * i;
      if (since >= 0) held.push_back({{200 + i, 1}, 400 * std::min(1.0, since / 20)});
    }
    return held;
  });
  EXPECT_LT(verdicts.all.front().p_leak, 0.2);
  EXPECT_NE(verdicts.all.front().klass, Class::Undecided);
}

TEST(Tree, ALeakShowsThroughWorkersThatComeAndGo) {
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  const auto verdicts = judge_tree(recording, [](double at) {
    Held held = {{kJob, 1500 + at / 30}};
    const int set = static_cast<int>(at) / 900;
    for (int i = 0; i < 4; ++i) held.push_back({{1000 + 10 * set + i, 1}, 250});
    return held;
  });
  EXPECT_EQ(verdicts.all.front().klass, Class::Leak);
  ASSERT_TRUE(verdicts.all.front().grower);
  EXPECT_EQ(verdicts.all.front().grower->process, kJob);
}

TEST(Tree, ProcessesThatPileUpAreGrowth) {
  FakeRecording recording;
  recording.process(kJob, "server", Role::Main);
  const auto verdicts = judge_tree(recording, [](double at) {
    Held held = {{kJob, 300}};
    for (int i = 0; i < static_cast<int>(at) / 240; ++i) held.push_back({{200 + i, 1}, 40});
    return held;
  });
  EXPECT_GT(verdicts.all.front().p_leak, 0.8);
  EXPECT_TRUE(says(verdicts.all.front(), "none has ended"));
}

TEST(Tree, AJobThatIsStartedAgainBeginsAnew) {
  FakeRecording recording;
  const auto verdicts = judge_tree(recording, [](double at) {
    return at < 3000 ? Held{{{100, 1}, 1000}} : Held{{{101, 1}, 1800}};
  });
  EXPECT_EQ(verdicts.all.front().klass, Class::Shift);
  EXPECT_TRUE(says(verdicts.all.front(), "restarted"));
}

}  // namespace
}  // namespace tidegauge::verdict
