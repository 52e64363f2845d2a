// SPDX-License-Identifier: Apache-2.0
#include "base/user_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace tidegauge {
namespace {

// The environment as it is to be, and afterwards as it was.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const was = std::getenv(name)) was_ = was;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(was_ ? was_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1);
  }
  const char* name_;
  std::optional<std::string> was_{};
};

TEST(FolderOfOurs, IsWhereTheVariableSays) {
  const Variable home("HOME", "/home/me");
  const Variable data("XDG_DATA_HOME", "/data");
  EXPECT_EQ(*folder_of_ours(kUserData), "/data/tidegauge");
}

TEST(FolderOfOurs, IsBelowHomeOtherwise) {
  const Variable home("HOME", "/home/me");
  const Variable data("XDG_DATA_HOME", nullptr);
  const Variable state("XDG_STATE_HOME", "relative");
  const Variable cache("XDG_CACHE_HOME", "");
  EXPECT_EQ(*folder_of_ours(kUserData), "/home/me/.local/share/tidegauge");
  EXPECT_EQ(*folder_of_ours(kUserState), "/home/me/.local/state/tidegauge");
  EXPECT_EQ(*folder_of_ours(kUserCache), "/home/me/.cache/tidegauge");
}

// A folder that another user owns; only root can make one.
class OthersFolder {
 public:
  OthersFolder() {
    char name[] = "/tmp/tidegauge-others-XXXXXX";
    path_ = ::mkdtemp(name);
    constexpr uid_t kNobody = 65534;
    made_ = ::chmod(path_.c_str(), 0755) == 0 && ::chown(path_.c_str(), kNobody, kNobody) == 0;
  }
  OthersFolder(const OthersFolder&) = delete;
  OthersFolder& operator=(const OthersFolder&) = delete;
  ~OthersFolder() { std::filesystem::remove_all(path_); }
  bool made() const { return made_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_{};
  bool made_ = false;
};

TEST(FolderOfOurs, OfRootIsNeverOneThatAnotherUserOwns) {
  const OthersFolder others;
  if (!others.made()) GTEST_SKIP() << "only root can give a folder to another user";
  const Variable home("HOME", others.path().c_str());
  const Variable data("XDG_DATA_HOME", nullptr);
  const Variable state("XDG_STATE_HOME", others.path().c_str());
  EXPECT_EQ(*folder_of(0, kUserData), "/root/.local/share/tidegauge");
  EXPECT_EQ(*folder_of(0, kUserState), "/root/.local/state/tidegauge");
}

TEST(FolderOfOurs, OfRootIsNotBelowALinkToOne) {
  const OthersFolder others;
  if (!others.made()) GTEST_SKIP() << "only root can give a folder to another user";
  char name[] = "/tmp/tidegauge-home-XXXXXX";
  const std::string own = ::mkdtemp(name);
  std::filesystem::create_directory_symlink(others.path(), own + "/.local");
  const Variable home("HOME", own.c_str());
  const Variable data("XDG_DATA_HOME", nullptr);
  EXPECT_EQ(*folder_of(0, kUserData), "/root/.local/share/tidegauge");
  std::filesystem::remove_all(own);
}

// What another user could put a link into the place of.
TEST(FolderOfOurs, OfRootIsNotWhereOthersCanAddOrReplaceFolders) {
  char name[] = "/tmp/tidegauge-home-XXXXXX";
  const std::string own = ::mkdtemp(name);
  if (::geteuid() != 0) GTEST_SKIP() << "only root has folders of root";
  const Variable data("XDG_DATA_HOME", nullptr);
  {
    const Variable home("HOME", own.c_str());
    EXPECT_EQ(*folder_of(0, kUserData), own + "/.local/share/tidegauge");
    for (const mode_t open_to_others : {0770U, 0707U, 0777U}) {
      ASSERT_EQ(::chmod(own.c_str(), open_to_others), 0);
      EXPECT_EQ(*folder_of(0, kUserData), "/root/.local/share/tidegauge") << open_to_others;
    }
    // Nobody can rename what is there, and nobody has made what is not there.
    ASSERT_EQ(::chmod(own.c_str(), 01777), 0);
    EXPECT_EQ(*folder_of(0, kUserData), "/root/.local/share/tidegauge");
    std::filesystem::create_directories(own + "/.local/share");
    EXPECT_EQ(*folder_of(0, kUserData), own + "/.local/share/tidegauge");
  }
  std::filesystem::remove_all(own);
}

TEST(FolderOfOurs, OfRootIsNotBelowALinkOfAnotherUser) {
  constexpr uid_t kNobody = 65534;
  char name[] = "/tmp/tidegauge-home-XXXXXX";
  const std::string own = ::mkdtemp(name);
  const std::string link = own + "-link";
  std::filesystem::create_directory_symlink(own, link);
  const Variable data("XDG_DATA_HOME", nullptr);
  const Variable home("HOME", link.c_str());
  const bool given = ::lchown(link.c_str(), kNobody, kNobody) == 0;
  const auto folder = folder_of(0, kUserData);
  std::filesystem::remove_all(own);
  std::filesystem::remove(link);
  if (!given) GTEST_SKIP() << "only root can give a link to another user";
  EXPECT_EQ(*folder, "/root/.local/share/tidegauge");
}

TEST(FolderOfOurs, OfAnyoneElseIsWhereTheEnvironmentSays) {
  const OthersFolder others;
  if (!others.made()) GTEST_SKIP() << "only root can give a folder to another user";
  const Variable data("XDG_DATA_HOME", others.path().c_str());
  EXPECT_EQ(*folder_of(1000, kUserData), others.path() + "/tidegauge");
}

TEST(FolderOfOurs, IsNowhereWithoutAHome) {
  const Variable data("XDG_DATA_HOME", nullptr);
  for (const char* const none : {static_cast<const char*>(nullptr), "", "not/absolute"}) {
    const Variable home("HOME", none);
    const auto folder = folder_of_ours(kUserData);
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().reason, Reason::Gone);
    EXPECT_EQ(folder.error().what, "neither XDG_DATA_HOME nor HOME is set");
  }
}

}  // namespace
}  // namespace tidegauge
