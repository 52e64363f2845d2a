// SPDX-License-Identifier: Apache-2.0
#include "proc/maps_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

TEST(MapsReader, ReadsFilesThatAreLongerThanOnePiece) {
  FakeProc proc;
  std::string text;
  for (std::uint64_t i = 1; i <= 3000; ++i) {
    text += fmt::format("{:x}-{:x} rw-p 00000000 00:00 0      /usr/lib/{}\n", i * 0x10000,
                        i * 0x10000 + 0x8000, std::string(i % 90, 'x'));
  }
  proc.file(7, "maps", text);
  const auto root = *proc.root();
  Turns turns;
  EXPECT_EQ(*count_mappings(root, 7, "maps"), 3000u);
  const auto mappings = read_mappings(root, 7, "maps", turns);
  ASSERT_TRUE(mappings);
  ASSERT_EQ(mappings->size(), 3000u);
  EXPECT_EQ((*mappings)[2999].begin, 3000u * 0x10000);
}

TEST(MapsReader, OfAProcessThatHasEndedThereIsNothing) {
  FakeProc proc;
  const auto root = *proc.root();
  Turns turns;
  EXPECT_EQ(count_mappings(root, 7, "maps").error().reason, Reason::Gone);
  EXPECT_EQ(read_mappings(root, 7, "maps", turns).error().reason, Reason::Gone);
  proc.file(7, "maps", "");  // a zombie's
  EXPECT_EQ(*count_mappings(root, 7, "maps"), 0u);
}

}  // namespace
}  // namespace tidegauge::proc
