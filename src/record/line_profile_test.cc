// SPDX-License-Identifier: Apache-2.0
#include "record/line_profile.h"

#include <gtest/gtest.h>

#include "record/line_reader.h"
#include "record/line_writer.h"

namespace tidegauge::record {
namespace {

Profile a_profile() {
  return {.at_ns = 12'500'000'000,
          .process = {41000, 5551200},
          .sampler = "tidegauge",
          .sampled_every = 512 << 10,
          .places = {{.function = "main", .file = "/home/me/train.py", .line = 40},
                     {.function = "malloc", .file = "libc.so.6", .kind = CodeKind::Native}},
          .sites = {{.stack = {0, 1},
                     .live = 3 << 20,
                     .live_count = 6,
                     .allocated = 5 << 20,
                     .allocated_count = 10},
                    {.stack = {0}, .live = 100}}};
}

// What a reader makes of one line in a recording.
struct Read {
  LineReader reader{};
  LineReader::Found found = LineReader::Found::Nothing;

  explicit Read(const std::string& line) {
    for (const auto& text : {std::string("{\"tidegauge\":1,\"kind\":\"recording\"}"), line}) {
      const std::string padded = text + std::string(line_padding(), ' ');
      found = *reader.take(std::string_view(padded.data(), text.size()));
    }
  }
};

TEST(ProfileLine, IsAsTheDocumentSays) {
  std::string line;
  append_profile(line, a_profile());
  EXPECT_EQ(
      line,
      R"({"kind":"profile","t":12.5,"pid":41000,"start":5551200,"sampler":"tidegauge",)"
      R"("sampled_every":512,"places":[{"function":"main","file":"/home/me/train.py","line":40},)"
      R"({"function":"malloc","file":"libc.so.6","native":true}],"sites":[{"stack":[0,1],)"
      R"("live":3072,"live_count":6,"allocated":5120,"allocated_count":10},)"
      R"({"stack":[0],"live":0.09765625}]})"
      "\n");
}

TEST(ProfileLine, ReadsBackAsItWasWritten) {
  LineWriter writer({});
  writer.begin_frame(0);
  writer.clear();
  writer.add(a_profile());
  const Read read(writer.text());
  ASSERT_EQ(read.found, LineReader::Found::News);
  EXPECT_EQ(std::get<Profile>(read.reader.entry()), a_profile());
}

TEST(ProfileLine, WhatACountIsMissingOfIsEmptyAndNotZero) {
  const Read read(
      R"({"kind":"profile","t":1,"pid":7,"places":[{"function":"f"}],"sites":[{"stack":[0],"live":4}],"later":[]})");
  ASSERT_EQ(read.found, LineReader::Found::News);
  const auto& site = std::get<Profile>(read.reader.entry()).sites.at(0);
  EXPECT_EQ(site.live, 4096u);
  EXPECT_FALSE(site.live_count);
  EXPECT_FALSE(site.allocated);
}

TEST(ProfileLine, AStackThatLeadsNowhereIsBad) {
  for (const std::string wrong :
       {R"("places":[],"sites":[{"stack":[0],"live":4}])",
        R"("places":[{"function":"f"}],"sites":[{"stack":[1],"live":4}])",
        R"("places":[{"function":"f"}],"sites":[{"stack":[-1],"live":4}])",
        R"("places":[{"function":"f"}],"sites":[{"stack":[4294967296],"live":4}])",
        R"("places":[{"function":7}],"sites":[])", R"("places":[],"sites":[{"live":-4}])",
        R"("places":[],"sites":7)"}) {
    EXPECT_EQ(Read("{\"kind\":\"profile\",\"t\":1,\"pid\":7," + wrong + "}").found,
              LineReader::Found::Bad)
        << wrong;
  }
}

TEST(ProfileLine, AStackWithoutAnEndIsBad) {
  std::string stack = "0";
  for (std::size_t i = 0; i < kDeepestStack; ++i) stack += ",0";
  EXPECT_EQ(
      Read(R"({"kind":"profile","t":1,"pid":7,"places":[{"function":"f"}],"sites":[{"stack":[)" +
           stack + R"(],"live":4}]})")
          .found,
      LineReader::Found::Bad);
}

}  // namespace
}  // namespace tidegauge::record
