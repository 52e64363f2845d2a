// SPDX-License-Identifier: Apache-2.0
#include "proc/program.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

using Words = std::vector<std::string>;

struct Expected {
  Words arguments;
  Language language;
  std::string name;
  Words rest;
};

TEST(ProgramOf, LooksThroughInterpreters) {
  const std::vector<Expected> cases{
      {{"/usr/bin/train", "-x"}, Language::None, "train", {"-x"}},
      {{"/opt/py/bin/python3.11", "train.py", "--lr", "3"},
       Language::Python,
       "train.py",
       {"--lr", "3"}},
      {{"python", "-u", "-W", "ignore", "-X", "dev", "/a/b.py"}, Language::Python, "b.py", {}},
      {{"python3.13t", "-m", "torch.distributed.run", "x"},
       Language::Python,
       "torch.distributed.run",
       {"x"}},
      {{"python", "-Im", "pip", "list"}, Language::Python, "pip", {"list"}},
      {{"pypy3", "x.py"}, Language::Python, "x.py", {}},
      {{"python"}, Language::Python, "python", {}},
      {{"python", "-m"}, Language::Python, "python", {}},
      {{"python", "-c", "print(1)", "a"}, Language::Python, "print(1)", {"a"}},
      {{"python3-config", "--libs"}, Language::None, "python3-config", {"--libs"}},
      {{"-bash"}, Language::Shell, "-bash", {}},
      {{"/bin/bash", "-o", "pipefail", "run.sh", "a"}, Language::Shell, "run.sh", {"a"}},
      {{"sh", "-ec", "make"}, Language::Shell, "make", {}},
      {{"node", "--max-old-space-size=4096", "/usr/bin/npm", "run"},
       Language::Other,
       "npm",
       {"run"}},
      {{"perl", "-e", "1"}, Language::Other, "1", {}},
      {{"npm run train"}, Language::None, "npm", {"run", "train"}},
      {{"slurmstepd: [12.0]"}, Language::None, "slurmstepd:", {"[12.0]"}},
      {{"/opt/my app/run"}, Language::None, "run", {}},
  };
  for (const auto& [arguments, language, name, rest] : cases) {
    const auto program = program_of(arguments, "comm");
    EXPECT_EQ(program.language, language) << name;
    EXPECT_EQ(program.name, name);
    EXPECT_EQ(Words(program.rest.begin(), program.rest.end()), rest) << name;
  }
}

TEST(ProgramOf, WithoutArgumentsItIsItsName) {
  for (const auto& arguments : {Words{}, Words{""}, Words{"   "}}) {
    EXPECT_EQ(program_of(arguments, "kworker/0:1").name, "kworker/0:1");
  }
}

TEST(ProgramOf, TellsModulesAndTextFromFiles) {
  EXPECT_TRUE(program_of(Words{"python", "-m", "x"}, "").is_module);
  EXPECT_TRUE(program_of(Words{"python", "-c", "x"}, "").is_inline);
  const auto file = program_of(Words{"python", "x"}, "");
  EXPECT_FALSE(file.is_module || file.is_inline);
}

}  // namespace
}  // namespace tidegauge::proc
