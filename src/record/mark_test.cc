// SPDX-License-Identifier: Apache-2.0
// The header that users include, from a C program that they could have written.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "record/ring_for_tests.h"

namespace tidegauge::record {
namespace {

struct Ended {
  std::string said;
  int code = -1;
};

// Runs the example with this value in its environment; null: without.
Ended run_example(const char* ring_name) {
  if (ring_name != nullptr) {
    ::setenv(tidegauge_ring_variable(), ring_name, 1);
  } else {
    ::unsetenv(tidegauge_ring_variable());
  }
  std::FILE* const out = ::popen(TIDEGAUGE_PROGRAM_MARKS, "re");
  if (out == nullptr) return {};
  char line[200] = "";
  Ended ended;
  while (std::fgets(line, sizeof line, out) != nullptr) ended.said += line;
  ended.code = WEXITSTATUS(::pclose(out));
  ::unsetenv(tidegauge_ring_variable());
  return ended;
}

std::string name_of(const RingReader& reader) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(reader.fd());
}

TEST(MarkHeader, TellsTheGaugeFromEveryFileOfAProgram) {
  auto reader = RingReader::create();
  ASSERT_TRUE(reader);
  const auto ended = run_example(name_of(*reader).c_str());
  EXPECT_EQ(ended.said, "21 steps, watched\n");
  EXPECT_EQ(ended.code, 0);

  const auto events = reader->read_rest(clock_now(), same_pid);
  std::vector<std::pair<EventKind, double>> numbers;
  std::vector<std::string> texts;
  for (const auto& event : events) {
    if (event.value) numbers.emplace_back(event.kind, *event.value);
    if (!event.name.empty()) texts.push_back(event.name);
  }
  const std::vector<std::pair<EventKind, double>> expected{{EventKind::Epoch, 1},
                                                           {EventKind::Step, 1},
                                                           {EventKind::Epoch, 2},
                                                           {EventKind::Distinct, 10},
                                                           {EventKind::Step, 21}};
  EXPECT_EQ(numbers, expected) << "steps in between are thinned";
  ASSERT_EQ(texts.size(), 6u);
  EXPECT_EQ(texts[0], "eval");
  EXPECT_EQ(texts[1],
            "evaluating on a held-out set whose name is longer than what fits into one slot");
  EXPECT_EQ(reader->taken(), 31u);
}

TEST(MarkHeader, WithoutAGaugeTheProgramDoesItsWork) {
  for (const char* name : {static_cast<const char*>(nullptr), "", "/proc/1/fd/4711", "/dev/null",
                           "/", "/proc/self/mem", "nonsense"}) {
    const auto ended = run_example(name);
    EXPECT_EQ(ended.said, "21 steps, alone\n") << (name != nullptr ? name : "unset");
    EXPECT_EQ(ended.code, 0);
  }
}

}  // namespace
}  // namespace tidegauge::record
