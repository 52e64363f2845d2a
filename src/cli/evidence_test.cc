// SPDX-License-Identifier: Apache-2.0
#include "cli/evidence.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tidegauge::cli {
namespace {

Evidence evidence() {
  return {.process = {4711, 93811},
          .seconds = 0.125,
          .objects = 54149,
          .bytes = 151 << 20,
          .types = {{.name = "bytearray", .count = 144, .bytes = 144 << 20},
                    {.name = "torch.Tensor", .count = 2, .bytes = 100, .native_bytes = 4 << 20}},
          .holders = {{"__main__.held[*]", "module", "bytearray", 144, 144 << 20}},
          .holders_known = true,
          .buffers_known = true};
}

TEST(Evidence, SurvivesTheWayBetweenTwoProcesses) {
  const auto read = parse_evidence(to_lines(evidence()));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_lines(*read), to_lines(evidence()));
  EXPECT_EQ(read->process.start_ticks, 93811u);
  EXPECT_EQ(read->types[1].native_bytes, 4u << 20);
  EXPECT_EQ(read->holders[0].path, "__main__.held[*]");
}

TEST(Evidence, NamesFromTheJobCannotBreakTheLines) {
  auto hostile = evidence();
  hostile.types[0].name = "a\n\nfound 1 1";
  hostile.holders[0].path = "x\n\nfound 1 1\n";
  const auto lines = to_lines(hostile);
  EXPECT_EQ(lines.find("\n\n"), lines.size() - 2) << lines;
  ASSERT_TRUE(parse_evidence(lines));
  EXPECT_EQ(parse_evidence(lines)->types.size(), 2u);
}

TEST(Evidence, AnyTextIsReadOrRefused) {
  EXPECT_FALSE(parse_evidence("nothing\n\n"));
  EXPECT_TRUE(rc::check("any text", [](const std::string& text) {
    const auto read = parse_evidence("found " + text);
    RC_ASSERT(read.has_value());
  }));
}

TEST(Evidence, IsSaidInALine) {
  auto text = words_of(evidence());
  constexpr std::string_view kNoBreak = "\xc2\xa0";
  for (auto at = text.find(kNoBreak); at != text.npos; at = text.find(kNoBreak)) {
    text.replace(at, kNoBreak.size(), " ");
  }
  EXPECT_EQ(text,
            "in process 4711 while it stood still: 151 MiB in 54149 objects: 144 MiB in 144 "
            "bytearray, 4.00 MiB in 2 torch.Tensor; most is held by __main__.held[*] (144 MiB)");
  auto hurried = evidence();
  hurried.holders.clear();
  hurried.holders_known = hurried.buffers_known = false;
  const auto words = words_of(hurried);
  EXPECT_NE(words.find("tensors and arrays not counted"), std::string::npos) << words;
  EXPECT_NE(words.find("who holds that was not found in time"), std::string::npos) << words;
}

}  // namespace
}  // namespace tidegauge::cli
