// SPDX-License-Identifier: Apache-2.0
#include "cli/guard_config.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "cli/notify.h"

namespace tidegauge::cli {
namespace {

TEST(GuardConfig, SaysAllThatFlagsSay) {
  const auto options = parse_guard_config(R"(
guard-without = ["kill", "lend"]
lend = "4GB"            # of the machine's
reserve = 1000000
look-time = "1s"
ask-every = "2m"
save-time = 90
grace = "10s"
chunk = "30m"
notify = "mail me"
webhook = "https://example.org/hook/secret"
desktop = true
restart-on-limit = 3
resume-with = "python train.py --resume {checkpoint}"
)");
  ASSERT_TRUE(options) << options.error().what;
  EXPECT_TRUE(options->on);
  EXPECT_EQ(options->without, (std::vector<std::string>{"kill", "lend"}));
  EXPECT_EQ(options->settings.lend_bytes, 4e9);
  EXPECT_EQ(options->settings.reserve_bytes, 1e6);
  EXPECT_EQ(options->settings.evidence_seconds, 1);
  EXPECT_EQ(options->settings.ask_every_seconds, 120);
  EXPECT_EQ(options->settings.save_seconds, 90);
  EXPECT_EQ(options->settings.grace_seconds, 10);
  EXPECT_EQ(options->settings.chunk_seconds, 1800);
  EXPECT_EQ(options->notify, "mail me");
  EXPECT_EQ(options->webhook, "https://example.org/hook/secret");
  EXPECT_TRUE(options->desktop);
  EXPECT_EQ(options->restarts, 3);
  EXPECT_EQ(options->resume_with, "python train.py --resume {checkpoint}");
}

TEST(GuardConfig, WhatIsNotSaidIsAsUsual) {
  const auto options = parse_guard_config("restart-on-limit = true");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->restarts, kUsualRestarts);
  EXPECT_EQ(options->settings.grace_seconds, guard::Settings{}.grace_seconds);
  EXPECT_FALSE(options->settings.lend_bytes || options->settings.chunk_seconds);
}

TEST(GuardConfig, WhatIsWrongIsSaidWithItsLine) {
  const auto why = [](const char* text) {
    const auto options = parse_guard_config(text);
    return options ? std::string() : options.error().what;
  };
  EXPECT_EQ(why("\ngrce = '1s'"), "line 2: grce is no setting of the guard's");
  EXPECT_EQ(why("grace = 'soon'"), "line 1: grace is a time like \"10m\"");
  EXPECT_EQ(why("lend = -1"), "line 1: lend is a size like \"4GB\"");
  EXPECT_EQ(why("desktop = 1"), "line 1: desktop is true or false");
  EXPECT_EQ(why("restart-on-limit = -2"),
            "line 1: restart-on-limit is true, false or a number of times");
  EXPECT_EQ(why("guard-without = 'kill'"), "line 1: guard-without is a list of rungs");
  EXPECT_EQ(why("guard-without = [1]"), "line 1: guard-without is a list of rungs");
  EXPECT_TRUE(why("lend = ").starts_with("line 1: "));
  EXPECT_EQ(why("grace = 1\n\u038D"),
            "line 2: only ASCII letters are understood here; others are written as \"\\u00e9\", in "
            "quotes");
  EXPECT_EQ(parse_guard_config("notify = \"\\u00e9\"")->notify, "\u00e9");
  for (const char* text : {"\n[$", "\n[ $a]", "\n[[$", "\n[\x01"}) {
    EXPECT_TRUE(why(text).starts_with("line 2: ")) << text;
  }
}

TEST(GuardConfig, NoTextMakesItFall) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const auto options = parse_guard_config(text);
    const bool said = options ? options->on : !options.error().what.empty();
    RC_ASSERT(said);
  }));
}

TEST(Webhook, GetsJson) {
  const auto body = webhook_body("train \"x\"", "killed it\n", 0);
  EXPECT_TRUE(
      body.starts_with(R"({"schema": "tidegauge/guard/1", "time": "1970-01-01T00:00:00Z",)"));
  EXPECT_NE(body.find(R"("job": "train \"x\"", "news": "killed it\u000a"})"), std::string::npos)
      << body;
}

}  // namespace
}  // namespace tidegauge::cli
