// SPDX-License-Identifier: Apache-2.0
#include "record/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "record/temp_folder.h"

namespace tidegauge::record {
namespace {

namespace fs = std::filesystem;

// A folder with recordings in it.
class Folder {
 public:
  // A recording with its report, written `age` hours ago.
  fs::path recording(const std::string& name, std::size_t bytes, int age) const {
    const auto path = this->path() / (name + ".tg");
    std::ofstream(path) << std::string(bytes, 'x');
    std::ofstream(path.string() + ".md") << "report";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(age));
    return path;
  }
  fs::path path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

std::tm afternoon() {
  std::tm when{};
  when.tm_year = 126;
  when.tm_mon = 10;
  when.tm_mday = 15;
  when.tm_hour = 14;
  when.tm_min = 21;
  when.tm_sec = 3;
  return when;
}

TEST(RecordingName, IsTheScriptsNameWhereThereIsOne) {
  const auto name = [](std::string_view command) {
    return recording_name(command, afternoon(), 7);
  };
  EXPECT_EQ(name("python train.py --lr 3e-4"), "train-20261115-142103-7.tg");
  EXPECT_EQ(name("/usr/bin/env bash run/all.sh"), "all-20261115-142103-7.tg");
  EXPECT_EQ(name("/opt/bin/server --port 80"), "server-20261115-142103-7.tg");
}

TEST(RecordingName, NeverLeavesItsFolderOrHidesThere) {
  for (const char* command : {"", "..", "../../etc/passwd", "-rf", "\x1b[2J", "a b\n/", "...py"}) {
    const auto name = recording_name(command, afternoon(), 7);
    EXPECT_EQ(name.find('/'), name.npos) << name;
    EXPECT_NE(name[0], '.') << name;
    EXPECT_NE(name[0], '-') << name;
    EXPECT_EQ(name.find('\x1b'), name.npos);
  }
  EXPECT_LT(recording_name(std::string(9000, 'x'), afternoon(), 7).size(), 80u);
}

TEST(MakeRoom, TheOldestGoFirstWithTheirReports) {
  const Folder folder;
  const auto old = folder.recording("old", 10, 3);
  const auto middle = folder.recording("middle", 10, 2);
  const auto young = folder.recording("young", 10, 1);
  make_room(folder.path(), {.most_recordings = 3, .most_bytes = 1000});
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(old.string() + ".md"));
  EXPECT_TRUE(fs::exists(middle));
  make_room(folder.path(), {.most_recordings = 100, .most_bytes = 15});
  EXPECT_FALSE(fs::exists(middle));
  EXPECT_TRUE(fs::exists(young));
}

TEST(MakeRoom, WhatIsBeingWrittenStays) {
  const Folder folder;
  const auto path = folder.recording("busy", 10, 3);
  const UniqueFd writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  make_room(folder.path(), {.most_recordings = 0, .most_bytes = 0});
  EXPECT_TRUE(fs::exists(path));
}

TEST(MakeRoom, OtherFilesAreNotOurs) {
  const Folder folder;
  std::ofstream(folder.path() / "thesis.txt") << "mine";
  make_room(folder.path(), {.most_recordings = 0, .most_bytes = 0});
  EXPECT_TRUE(fs::exists(folder.path() / "thesis.txt"));
}

}  // namespace
}  // namespace tidegauge::record
