// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_text.h"

#include <gtest/gtest.h>

#include "view/width.h"

namespace tidegauge::cli {
namespace {

using State = proc::Finding::State;

const std::vector<proc::Finding> kFindings{
    {State::Good, "rights", "user", "joe", ""},
    {State::Limited, "rights", "PSS", "not readable",
     "run as root, or do something else that helps"},
    {State::Missing, "kernel", "pagemap", "not there \"at all\"", ""},
};

TEST(DoctorText, IsReadByPeople) {
  EXPECT_EQ(to_text(kFindings, {.columns = 60}),
            "rights\n"
            "  ✓ user     joe\n"
            "  ! PSS      not readable\n"
            "            → run as root, or do something else that helps\n"
            "\n"
            "kernel\n"
            "  ✗ pagemap  not there \"at all\"\n"
            "\n"
            "1 of 3 limited, 1 missing.\n");
}

TEST(DoctorText, FitsTheTerminalAndItsCharacters) {
  const auto text = to_text(kFindings, {.unicode = false, .columns = 40});
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    EXPECT_LE(view::columns_of(rest.substr(0, end)), 40u) << text;
    rest.remove_prefix(end + 1);
  }
  for (const char c : text) EXPECT_EQ(static_cast<unsigned char>(c) & 0x80, 0);
}

TEST(DoctorText, ColourIsNeverTheOnlySign) {
  const auto plain = to_text(kFindings, {.columns = 60});
  auto coloured = to_text(kFindings, {.colour = true, .columns = 60});
  EXPECT_NE(coloured.find("\x1b["), std::string::npos);
  for (auto at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, plain);
}

TEST(DoctorText, AllWellIsSaid) {
  const auto text = to_text(std::span(kFindings).first(1), {});
  EXPECT_NE(text.find("Nothing stands in the way."), std::string::npos);
}

TEST(DoctorJson, HasEveryFinding) {
  EXPECT_EQ(to_json(std::span(kFindings).last(1), 812),
            "{\"schema\": \"tidegauge/doctor/1\", \"tool\": \"tidegauge " TIDEGAUGE_VERSION
            "\", \"pid\": 812, \"findings\": [\n"
            "  {\"section\": \"kernel\", \"what\": \"pagemap\", \"state\": \"missing\", "
            "\"found\": \"not there \\\"at all\\\"\", \"advice\": null}\n]}\n");
  EXPECT_NE(to_json({}, {}).find("\"pid\": null, \"findings\": ["), std::string::npos);
}

}  // namespace
}  // namespace tidegauge::cli
