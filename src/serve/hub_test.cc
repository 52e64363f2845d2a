// SPDX-License-Identifier: Apache-2.0
#include "serve/hub.h"

#include <gtest/gtest.h>

#include <thread>

namespace tidegauge::serve {
namespace {

using namespace std::chrono_literals;

constexpr auto kNotAtAll = 0ms;
constexpr auto kLongEnough = 60s;  // a test that needs as long has failed

struct Told {
  std::vector<std::vector<std::string>> all{};
  auto taker() {
    return [this](const std::vector<std::string>& channels) { all.push_back(channels); };
  }
};

TEST(Hub, TellsTheLatestOnce) {
  Told told;
  Hub hub(4, told.taker());
  EXPECT_FALSE(hub.wait("a", 0, kNotAtAll));
  hub.publish("a", "one");
  hub.publish("a", "two");
  const auto news = hub.wait("a", 0, kNotAtAll);
  ASSERT_TRUE(news);
  EXPECT_EQ(news->text, "two");
  EXPECT_FALSE(hub.wait("a", news->number, kNotAtAll));
  EXPECT_FALSE(hub.wait("b", 0, kNotAtAll));
}

TEST(Hub, WakesThoseWhoWait) {
  Told told;
  Hub hub(4, told.taker());
  std::string heard;
  std::thread reader([&] { heard = hub.wait("a", 0, kLongEnough).value_or(Hub::News{}).text; });
  hub.publish("b", "not this");
  hub.publish("a", "this");
  reader.join();
  EXPECT_EQ(heard, "this");
}

TEST(Hub, TellsWhatIsFollowedAndCountsStreams) {
  Told told;
  Hub hub(3, told.taker());
  EXPECT_TRUE(hub.begin_stream("a"));
  EXPECT_TRUE(hub.begin_stream("a"));
  EXPECT_TRUE(hub.begin_stream("b"));
  EXPECT_FALSE(hub.begin_stream("c"));
  hub.end_stream("a");
  hub.end_stream("a");
  EXPECT_TRUE(hub.begin_stream("c"));
  const std::vector<std::vector<std::string>> expected = {{"a"}, {"a", "b"}, {"b"}, {"b", "c"}};
  EXPECT_EQ(told.all, expected);
}

TEST(Hub, KeepsNothingThatNobodyFollows) {
  Told told;
  Hub hub(3, told.taker());
  ASSERT_TRUE(hub.begin_stream("a"));
  hub.publish("a", "old");
  hub.end_stream("a");
  EXPECT_EQ(hub.latest("a"), "");
  hub.publish("metrics", "x");
  EXPECT_EQ(hub.latest("metrics"), "x");
}

}  // namespace
}  // namespace tidegauge::serve
