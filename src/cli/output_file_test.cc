// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
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
  std::size_t files() const {
    const auto all = std::filesystem::directory_iterator(folder_.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  record::TempFolder folder_{};
};

struct stat status_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

constexpr uid_t kNobody = 65534;

// Somebody to whom the rights of files mean something, for as long as it lives.
class NoRoot {
 public:
  NoRoot() { EXPECT_TRUE(::geteuid() != 0 || ::seteuid(kNobody) == 0); }
  NoRoot(const NoRoot&) = delete;
  NoRoot& operator=(const NoRoot&) = delete;
  ~NoRoot() { EXPECT_EQ(::seteuid(::getuid()), 0); }
};

void give_to_no_root(const std::string& path, mode_t rights) {
  EXPECT_TRUE(::geteuid() != 0 || ::chown(path.c_str(), kNobody, kNobody) == 0);
  EXPECT_EQ(::chmod(path.c_str(), rights), 0);
}

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

TEST_F(OutputFile, TouchesNothingBesideIt) {
  const auto thesis = file("thesis", "years of work");
  const auto page = file("page", "an old one");
  std::filesystem::create_symlink(thesis, folder_ / "page.new");
  ASSERT_TRUE(write_file(page, "a new one", 0600));
  EXPECT_EQ(record::bytes_of(page), "a new one");
  EXPECT_EQ(record::bytes_of(thesis), "years of work");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "page.new"));
  EXPECT_EQ(files(), 3u);
}

TEST_F(OutputFile, LeavesRightsAndOwnerAsTheyWere) {
  const auto page = file("page", "an old one");
  give_to_no_root(page, 0640);
  const auto before = status_of(page);
  ASSERT_TRUE(write_file(page, "a new one", 0666));
  const auto after = status_of(page);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  EXPECT_EQ(record::bytes_of(page), "a new one");
}

TEST_F(OutputFile, DoesNotReplaceWhatIsNotToBeWritten) {
  const auto page = file("page", "an old one");
  give_to_no_root(page, 0444);
  give_to_no_root(folder_.path(), 0755);
  const NoRoot user;
  const auto done = write_file(page, "a new one", 0600);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().reason, Reason::Denied);
  EXPECT_EQ(record::bytes_of(page), "an old one");
}

TEST_F(OutputFile, IsWrittenInPlaceWhereNoFileMayBeMade) {
  const auto page = file("page", "an old one");
  give_to_no_root(page, 0644);
  give_to_no_root(folder_.path(), 0555);
  const NoRoot user;
  ASSERT_TRUE(write_file(page, "a new one", 0600));
  EXPECT_EQ(record::bytes_of(page), "a new one");
  EXPECT_FALSE(write_file(folder_ / "other", "a new one", 0600));
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, OfAFolderThatIsAllsMayBeAnothers) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  const auto page = file("page", "an old one");
  ASSERT_EQ(::chown(page.c_str(), kNobody - 1, kNobody - 1), 0);
  ASSERT_EQ(::chmod(page.c_str(), 0666), 0);
  ASSERT_EQ(::chown(folder_.path().c_str(), kNobody - 2, kNobody - 2), 0);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 01777), 0);
  const NoRoot user;
  const auto done = write_file(page, "a new one", 0600);
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_EQ(record::bytes_of(page), "a new one");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, MayHaveAsLongANameAsThereIs) {
  const auto path = folder_ / std::string(255, 'n');
  ASSERT_TRUE(write_file(path, "a new one", 0600));
  EXPECT_EQ(record::bytes_of(path), "a new one");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, ThatCannotBeWrittenLeavesWhatWasThereAndNothingElse) {
  const auto page = file("page", "an old one");
  const auto link = folder_ / "link";
  std::filesystem::create_symlink(folder_ / "not there", link);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100, before.rlim_max};
  const auto as_before = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  for (const auto& path : {page, link, folder_ / "new", folder_ / std::string(255, 'n')}) {
    EXPECT_FALSE(write_file(path, std::string(1000, 'x'), 0600)) << path;
  }
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, as_before);
  EXPECT_EQ(record::bytes_of(page), "an old one");
  EXPECT_EQ(files(), 2u) << "the page and the link";
}

}  // namespace
}  // namespace tidegauge::cli
