// SPDX-License-Identifier: Apache-2.0
#include "cli/training_listener.h"

#include <gtest/gtest.h>

#include <vector>

namespace tidegauge::cli {
namespace {

// A machine with one process at a time, that can be read once it is up.
struct FakePython {
  bool up = false;
  std::optional<census::Training> training{};
  std::vector<pid_t> opened{};

  class Reader final : public census::TrainingReader {
   public:
    explicit Reader(const FakePython& python) : python_(python) {}
    std::optional<census::Training> read() override { return python_.training; }

   private:
    const FakePython& python_;
  };

  TrainingListener listener() {
    return TrainingListener([this](pid_t pid) -> std::unique_ptr<census::TrainingReader> {
      opened.push_back(pid);
      return up ? std::make_unique<Reader>(*this) : nullptr;
    });
  }
};

TEST(TrainingListener, APythonThatIsNotUpYetIsHeardLater) {
  FakePython python;
  auto listener = python.listener();
  EXPECT_FALSE(listener.hear(7));
  python.up = true;
  python.training = {.step = 70, .steps = 332};
  EXPECT_EQ(listener.hear(7), python.training);
}

TEST(TrainingListener, OneThatIsHeardIsNotOpenedAgain) {
  FakePython python{.up = true, .training = census::Training{.step = 70, .steps = 332}};
  auto listener = python.listener();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(listener.hear(7));
  EXPECT_EQ(python.opened.size(), 1U);
}

TEST(TrainingListener, OneThatSaysNothingIsOpenedLessAndLessOften) {
  FakePython python{.up = true};
  auto listener = python.listener();
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(listener.hear(7));
  EXPECT_EQ(python.opened.size(), 10U);
  EXPECT_FALSE(listener.hear(8));
  EXPECT_EQ(python.opened.back(), 8) << "another process is another matter";
}

// It ran another program: the old addresses say nothing.
TEST(TrainingListener, OneThatFallsSilentIsOpenedAgain) {
  FakePython python{.up = true, .training = census::Training{.step = 70, .steps = 332}};
  auto listener = python.listener();
  EXPECT_TRUE(listener.hear(7));
  python.training = {};
  EXPECT_FALSE(listener.hear(7));
  python.training = {.step = 1, .steps = 10};
  EXPECT_TRUE(listener.hear(7));
  EXPECT_EQ(python.opened.size(), 2U);
}

}  // namespace
}  // namespace tidegauge::cli
