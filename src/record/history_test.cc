// SPDX-License-Identifier: Apache-2.0
#include "record/history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "record/temp_folder.h"

namespace tidegauge::record {
namespace {

PastRun run_of(const std::string& command, double step) {
  return {.command = command,
          .ended_unix_s = 1700000000,
          .verdict = "warm_up",
          .level_bytes = 17e9,
          .settled_seconds = 747.5,
          .settled_step = step};
}

TEST(History, RemembersRunsOfACommandAndNoOthers) {
  std::string text = history_line(run_of("python train.py", 83));
  text += history_line(run_of("python other.py", 1));
  text += "{\"command\":\"python train.py\"}\nnonsense\n\n";
  text += history_line(run_of("python train.py", 84));
  const auto found = past_runs(text, "python train.py", 8);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], run_of("python train.py", 83));
  EXPECT_EQ(found[1].settled_step, 84);
  EXPECT_EQ(past_runs(text, "python train.py", 1).at(0).settled_step, 84);
}

TEST(History, ACommandMayHoldAnyBytes) {
  const std::string odd = "sh -c \"echo \\ \n\x01\"";
  EXPECT_EQ(past_runs(history_line(run_of(odd, 1)), odd, 8).size(), 1u);
}

TEST(History, IsForItsOwnerAloneAndStaysSmall) {
  const TempFolder folder;
  const auto path = folder / "history";
  for (std::size_t i = 0; i < kMostPastRuns + 10; ++i) {
    ASSERT_TRUE(remember(path, run_of("python train.py", static_cast<double>(i))));
  }
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const auto kept = past_runs(text.str(), "python train.py", 10 * kMostPastRuns);
  EXPECT_LE(kept.size(), kMostPastRuns);
  EXPECT_GE(kept.size(), kMostPastRuns / 2);
  EXPECT_EQ(kept.back().settled_step, static_cast<double>(kMostPastRuns + 9));
}

}  // namespace
}  // namespace tidegauge::record
