// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>


#include <filesystem>

#include "record/temp_folder.h"
#include "view/markdown_parts.h"
#include "view/summary.h"

namespace tidegauge::cli {
namespace {

class OutputFile : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    record::put_bytes(path, text);
    return path;
  }
  record::TempFolder folder_{};
};

TEST_F(OutputFile, ReplacesOnlyItsOwnKind) {
  const auto page = file("a", "<!DOCTYPE html><title>tidegauge</title>");
  const auto foreign_page = file("b", "<!doctype html><title>My thesis</title>");
  const auto verdict = file("c", "{\n  \"schema\": \"tidegauge/verdict/1\"}");
  const auto script = file("d", "#!/bin/sh\nmake\n");
  const auto text = file("e", "NOT A LEAK: Growth ended.\n");
  const auto markdown = file("f", std::string("# Steady\n") + std::string(view::kMarkdownEnd));
  const auto notes = file("g", "# My notes\n");
  const auto empty = file("h", "");
  EXPECT_TRUE(may_write(page, OutputKind::Page));
  EXPECT_TRUE(may_write(verdict, OutputKind::Verdict));
  EXPECT_TRUE(may_write(text, OutputKind::Text));
  EXPECT_TRUE(may_write(markdown, OutputKind::Markdown));
  EXPECT_TRUE(may_write(empty, OutputKind::Page));
  EXPECT_TRUE(may_write(folder_.path() + "/new", OutputKind::Page));
  EXPECT_TRUE(may_write("/dev/null", OutputKind::Page));
  for (const auto& path : {foreign_page, verdict, script, text, markdown, notes}) {
    EXPECT_FALSE(may_write(path, OutputKind::Page)) << path;
  }
  for (const auto& path : {page, script, notes}) {
    EXPECT_FALSE(may_write(path, OutputKind::Verdict)) << path;
    EXPECT_FALSE(may_write(path, OutputKind::Census)) << path;
    EXPECT_FALSE(may_write(path, OutputKind::Text)) << path;
    EXPECT_FALSE(may_write(path, OutputKind::Markdown)) << path;
    EXPECT_FALSE(may_write(path, OutputKind::Picture)) << path;
  }
}

TEST_F(OutputFile, NeverReplacesAnInputByWhateverName) {
  const auto page = file("a", "<!DOCTYPE html><title>tidegauge</title>");
  const auto link = folder_.path() + "/link";
  std::filesystem::create_symlink(page, link);
  const std::vector<std::string> inputs = {page};
  EXPECT_FALSE(may_write(link, OutputKind::Page, inputs));
  const std::vector<std::string> not_there_yet = {folder_.path() + "/x"};
  EXPECT_FALSE(may_write(folder_.path() + "/./x", OutputKind::Page, not_there_yet));
}

TEST_F(OutputFile, HasNoMoreReadersThanWhatItIsMadeFrom) {
  const auto secret = file("secret", "x");
  const auto open = file("open", "x");
  std::filesystem::permissions(secret, std::filesystem::perms(0600));
  std::filesystem::permissions(open, std::filesystem::perms(0755));
  const std::vector<std::string> both = {secret, open};
  EXPECT_EQ(rights_of(both), 0600u);
  EXPECT_EQ(rights_of({&open, 1}), 0644u);
  const auto made = folder_.path() + "/made";
  ASSERT_TRUE(write_file(made, "words", rights_of(both)));
  struct stat status {};
  ASSERT_EQ(::stat(made.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(record::bytes_of(made), "words");
}

TEST_F(OutputFile, KnowsTheTextOfEveryVerdictAgain) {
  for (int klass = 0; klass <= static_cast<int>(verdict::Class::Undecided); ++klass) {
    verdict::Verdicts verdicts;
    verdicts.all.emplace_back().klass = static_cast<verdict::Class>(klass);
    const auto text = file("text", view::Summary().text(verdicts, {.terminal = false}));
    EXPECT_TRUE(may_write(text, OutputKind::Text)) << record::bytes_of(text);
    const auto markdown = file("markdown", view::Summary().markdown(verdicts));
    EXPECT_TRUE(may_write(markdown, OutputKind::Markdown)) << record::bytes_of(markdown);
  }
}

}  // namespace
}  // namespace tidegauge::cli
