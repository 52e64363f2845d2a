// SPDX-License-Identifier: Apache-2.0
#include "base/python_json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace tidegauge {
namespace {

TEST(PythonJson, WhatIsNoNumberBecomesNull) {
  EXPECT_EQ(python_json_as_json(R"({"a": NaN, "b":Infinity,"c": [-Infinity,NaN]})"),
            R"({"a": null, "b":null,"c": [null,null]})");
  EXPECT_EQ(python_json_as_json("{\n  \"a\": NaN\n}\n"), "{\n  \"a\": null\n}\n");
  EXPECT_EQ(python_json_as_json("NaN"), "null");
  EXPECT_EQ(python_json_as_json(""), "");
}

TEST(PythonJson, StringsStayAsTheyAre) {
  for (const auto* text :
       {R"({"NaN": 1})", R"({"a": "NaN"})", R"(["it is [NaN, Infinity]"])", R"(["a\" NaN "])",
        R"(["a\\", "NaN"])", R"(["\\\" NaN"])", R"(["cut NaN)", R"(["cut\)"}) {
    EXPECT_EQ(python_json_as_json(text), text);
  }
  EXPECT_EQ(python_json_as_json(R"(["a\\", NaN])"), R"(["a\\", null])");
}

TEST(PythonJson, WhatOnlyResemblesThemStaysWrong) {
  for (const auto* text :
       {"[NaNs]", "[1NaN]", "[--Infinity]", "[-NaN]", "[+Infinity]", "[nan]", "[inf]"}) {
    EXPECT_EQ(python_json_as_json(text), text);
  }
}

// Every text of JSON's own and of these words, whole or not.
TEST(PythonJson, TwiceIsOnceAndLinesStayWhereTheyAre) {
  EXPECT_TRUE(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "NaN", "-", "Infinity", "\"", "\\", "{", "}", ",", ":", " ", "\n", "1.5", "null", "x"));
    std::string text;
    for (const auto& piece : pieces) text += piece;
    const auto once = python_json_as_json(text);
    RC_ASSERT(python_json_as_json(once) == once);
    RC_ASSERT(std::count(once.begin(), once.end(), '\n') ==
              std::count(text.begin(), text.end(), '\n'));
  }));
}

}  // namespace
}  // namespace tidegauge
