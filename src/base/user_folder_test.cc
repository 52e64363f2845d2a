// SPDX-License-Identifier: Apache-2.0
#include "base/user_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
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
