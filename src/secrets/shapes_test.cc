// SPDX-License-Identifier: Apache-2.0
// What leaks of lists of secrets in command lines, and what is spoiled of harmless ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/clock.h"
#include "secrets/mask.h"
#include "secrets/shape_lines.h"

namespace tidegauge::secrets {
namespace {

std::vector<ShapeLine> lines_of(const std::string& list, unsigned seed) {
  return ShapeReader(seed).read(std::string(TIDEGAUGE_SECRETS) + list);
}

std::string joined(const ShapeLine& line) {
  std::string text;
  for (const auto& argument : line.arguments) text += (text.empty() ? "" : " ") + argument;
  return text;
}

bool leaks(const ShapeLine& line) {
  const auto shown = masked_command(line.arguments);
  return std::any_of(line.hidden.begin(), line.hidden.end(),
                     [&](const auto& secret) { return shows(shown, secret); });
}

bool is_spoiled(const ShapeLine& line) {
  return masked_command(line.arguments) != joined(line);
}

template <class Is>
std::vector<std::string> those(const std::string& list, unsigned seed, const Is& is) {
  std::vector<std::string> found;
  for (const auto& line : lines_of(list, seed)) {
    if (is(line)) found.push_back(line.written);
  }
  return found;
}

constexpr unsigned kSeeds = 20;

// Of those whose secret is random and stands where nothing speaks of one, one in some hundreds
// looks like a name.
TEST(Shapes, NoSecretOfTheListLeaks) {
  const auto lines = lines_of("shapes.txt", 1).size();
  ASSERT_GE(lines, 330u);
  std::vector<std::string> leaked;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const auto found = those("shapes.txt", seed, leaks);
    leaked.insert(leaked.end(), found.begin(), found.end());
  }
  EXPECT_LE(leaked.size() * 1000, lines * kSeeds) << testing::PrintToString(leaked);
  const auto by_chance = [](const std::string& line) { return line.find("{{<") != line.npos; };
  EXPECT_TRUE(std::all_of(leaked.begin(), leaked.end(), by_chance))
      << testing::PrintToString(leaked);
}

TEST(Shapes, NoHarmlessLineIsSpoiled) {
  ASSERT_GE(lines_of("harmless.txt", 1).size(), 300u);
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(those("harmless.txt", seed, is_spoiled), std::vector<std::string>()) << seed;
  }
}

// Of lines that were held out when it was made, one in twenty may go wrong.
TEST(Shapes, FewOfThoseThatWereHeldOutLeakOrAreSpoiled) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    for (const auto* const list : {"held_out.txt", "held_out_2.txt"}) {
      const auto leaked = those(list, seed, leaks);
      EXPECT_LE(leaked.size() * 20, lines_of(list, seed).size()) << testing::PrintToString(leaked);
    }
    const auto spoiled = those("held_out_harmless.txt", seed, is_spoiled);
    EXPECT_LE(spoiled.size() * 20, lines_of("held_out_harmless.txt", seed).size())
        << testing::PrintToString(spoiled);
  }
}

TEST(Shapes, MaskingTwiceIsMaskingOnce) {
  for (const auto* const list : {"shapes.txt", "harmless.txt"}) {
    for (const auto& line : lines_of(list, 1)) {
      const auto once = masked_text(joined(line));
      EXPECT_EQ(masked_text(once), once);
    }
  }
}

// A tenth of a millisecond would be seen by nobody; this finds only what grows with the square.
double seconds_to_mask(const std::string& piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  const CpuClock clock;
  EXPECT_LE(masked_command({"sh", "-c", text}).size(), 4096U);
  return clock.seconds();
}

// No more of it is looked at than of a line of 32 KiB. Sanitizers slow both alike.
TEST(Shapes, MaskingTakesNoTimeOfALongLine) {
  for (const std::string piece :
       {"a", "-", "token=", "key=", "eyJ-", "://a:b@", "'", "password \"", "x, ", "auth=(",
        "login(\"", "a:", "a@", "{", "-----BEGIN ", "-u a:b ", "echo a | "}) {
    const double some = seconds_to_mask(piece, 32 << 10);
    EXPECT_LT(seconds_to_mask(piece, 128 << 10), 4 * some + 0.2) << piece;
  }
}

}  // namespace
}  // namespace tidegauge::secrets
