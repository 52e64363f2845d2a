// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "cli/exit_codes.h"

namespace tidegauge::cli {
namespace {

// What a command that takes rules and times says about `words`; empty: it takes them.
std::string complaint_about(const std::vector<std::string>& words) {
  CommandLine app("For a test.", "test");
  verdict::Rules rules;
  SittingOptions sitting;
  add_rules(app, rules);
  add_sitting(app, sitting);
  testing::internal::CaptureStderr();
  const auto code = app.parse(words);
  auto said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(code.value_or(kWrongUse) == kWrongUse);
  EXPECT_EQ(code.has_value(), !said.empty());
  return said;
}

TEST(Options, NoNumberIsNoProbabilityAndNoCount) {
  for (const auto* option : {"--leak-prior", "--leak-from", "--alarm-from", "--steps-per-epoch"}) {
    for (const auto* word : {"nan", "NaN", "-nan", "nan(1)"}) {
      const auto said = complaint_about({std::string(option) + "=" + word});
      EXPECT_NE(said.find(option), std::string::npos) << option << ' ' << word << ": " << said;
      EXPECT_NE(said.find("'" + std::string(word) + "' is no number"), std::string::npos) << said;
    }
    EXPECT_NE(complaint_about({option, "inf"}), "") << option;
  }
}

TEST(Options, NoNumberIsNoTimeAndNoSize) {
  for (const auto* option : {"--longest-warm-up", "--interval", "--for", "--limit"}) {
    for (const auto* word : {"nan", "inf", "nans", "infGB"}) {
      EXPECT_NE(complaint_about({option, word}).find(option), std::string::npos)
          << option << ' ' << word;
    }
  }
}

TEST(Options, NumbersWithinTheirBoundsAreTaken) {
  EXPECT_EQ(complaint_about({"--leak-prior", "0.1", "--leak-from=0.9", "--alarm-from", ".95",
                             "--steps-per-epoch", "5e2", "--limit", "1GB", "--for", "10m"}),
            "");
  EXPECT_NE(complaint_about({"--leak-from", "0.4"}).find("not in range"), std::string::npos);
}

}  // namespace
}  // namespace tidegauge::cli
