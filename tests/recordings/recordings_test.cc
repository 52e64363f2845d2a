// SPDX-License-Identifier: Apache-2.0
// Judges every recording and series of this folder and compares the verdicts with NAME.expected
// beside it. A new case is two files and no code. UPDATE_GOLDEN=1 writes the verdicts of today; the
// comments on top of the file, which say where the case comes from and why it is what it is, stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.h"
#include "record/file.h"
#include "record/foreign.h"
#include "verdict/verdict.h"

namespace tidegauge {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(TIDEGAUGE_RECORDINGS)) {
    const auto ending = entry.path().extension();
    if (ending == ".tg" || ending == ".jsonl" || ending == ".csv") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<record::Recording> load(const fs::path& path) {
  if (record::looks_like_recording(path)) return record::read_all(path);
  auto foreign = record::parse_csv(text_of(path), {});
  if (!foreign) return foreign.error();
  return std::move(foreign->recording);
}

// "tree total: warm_up, tied to first_pass", a line for each verdict.
std::string verdicts_of(const record::Recording& recording) {
  std::string out;
  for (const auto& one : verdict::judge(recording, {}).all) {
    out += one.subject.name + " " + verdict::id_of(one.subject.kind) + ": ";
    out += verdict::id_of(one.klass);
    if (const char* tie = verdict::id_of(one.tied_to)) out += std::string(", tied to ") + tie;
    out += '\n';
  }
  return out;
}

struct Expected {
  std::string comments{};
  std::string verdicts{};
};

Expected expected_of(const fs::path& path) {
  Expected out;
  const auto text = text_of(path);
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto line = next_line(rest);
    auto& part = line.substr(0, 1) == "#" ? out.comments : out.verdicts;
    part.append(line).append("\n");
  }
  return out;
}

class GoldenRecording : public testing::TestWithParam<fs::path> {};

TEST_P(GoldenRecording, IsJudgedAsExpected) {
  const auto recording = load(GetParam());
  ASSERT_TRUE(recording) << recording.error().what;
  const auto path = fs::path(GetParam()).replace_extension(".expected");
  const auto expected = expected_of(path);
  const auto verdicts = verdicts_of(*recording);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << expected.comments << verdicts;
    return;
  }
  EXPECT_FALSE(expected.comments.empty()) << path << " does not say where this comes from";
  EXPECT_EQ(expected.verdicts, verdicts);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenRecording, testing::ValuesIn(cases()), [](const auto& test) {
  auto name = test.param.stem().string() + "_" + test.param.extension().string().substr(1);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(GoldenRecordings, AreThere) {
  EXPECT_GE(cases().size(), 3u);
}

}  // namespace
}  // namespace tidegauge
