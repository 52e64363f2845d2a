// SPDX-License-Identifier: Apache-2.0
// Disks that are full, limited, or gone while a recording is being made.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "record/disk_file.h"
#include "record/fake_day.h"
#include "record/file.h"
#include "record/temp_folder.h"

namespace tidegauge::record {
namespace {

// A small disk of memory; needs the right to mount.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size, const std::string& more = "") {
    const auto options = "size=" + size + more;
    mounted_ = ::mount("tidegauge-test", folder_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
    why_ = mounted_ ? "" : std::strerror(errno);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  const std::string& why() const { return why_; }
  std::string operator/(const std::string& name) const { return folder_ / name; }
  // Leaves no room for anything else.
  void fill() const {
    std::ofstream out(*this / "ballast", std::ios::binary);
    const std::string page(4096, 'x');
    while (out.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {
    }
  }
  void make_room() const { std::filesystem::remove(*this / "ballast"); }
  // Leaves no room for another file, were it an empty one.
  void fill_with_files() const {
    std::ofstream(*this / "ballast").flush();
    for (int i = 0; std::ofstream(*this / std::to_string(i)).is_open(); ++i) {
    }
  }
  bool make_read_only() const {
    return ::mount("tidegauge-test", folder_.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY,
                   nullptr) == 0;
  }

 private:
  TempFolder folder_{};
  bool mounted_ = false;
  std::string why_{};
};

// A limit on the size of files for as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

// Appends samples of a busy job, remembers them, and counts the errors it is told.
struct Job {
  FakeDay day{};
  std::vector<Entry> written{};
  std::vector<std::string> errors{};

  void append(Writer& writer, int samples) {
    for (int i = 0; i < samples; ++i) {
      written.emplace_back(day.next());
      if (const auto done = writer.append(written.back()); !done) {
        errors.push_back(done.error().what);
      }
    }
  }
};

void expect_no_room_said_once(const Job& job) {
  ASSERT_EQ(job.errors.size(), 1u);
  EXPECT_NE(job.errors[0].find("No space left on device"), std::string::npos);
}

TEST(FullDisk, IsSaidOnceAndNothingIsLostThatFitsInMemory) {
  const SmallDisk disk("1m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  auto writer = Writer::create(disk / "x.tg", {}, {});
  ASSERT_TRUE(writer) << writer.error().what;
  Job job;
  job.append(*writer, 100);
  ASSERT_TRUE(writer->drain());
  disk.fill();
  job.append(*writer, 400);
  const auto full = writer->flush();
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().what.find("No space left on device"), std::string::npos);
  job.append(*writer, 400);
  EXPECT_FALSE(writer->flush());
  EXPECT_LE(job.errors.size(), 1u);
  disk.make_room();
  job.append(*writer, 100);
  ASSERT_TRUE(writer->flush());
  ASSERT_TRUE(writer->close());
  const auto found = read_all(disk / "x.tg");
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->entries, job.written);
}

TEST(FullDisk, AtTheEndIsAnErrorOfClose) {
  const SmallDisk disk("1m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  auto writer = Writer::create(disk / "x.tg", {}, {});
  ASSERT_TRUE(writer);
  Job job;
  job.append(*writer, 70);
  ASSERT_TRUE(writer->drain());
  disk.fill();
  job.append(*writer, 300);
  EXPECT_FALSE(writer->close());
  const auto found = read_all(disk / "x.tg");
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_GE(found->entries.size(), 60u);
  EXPECT_DOUBLE_EQ(writer->seconds_written(),
                   static_cast<double>(at_of(found->entries.back())) / 1e9);
  EXPECT_TRUE(std::equal(found->entries.begin(), found->entries.end(), job.written.begin()));
}

TEST(FullDisk, FromTheBeginningIsSaidOnceAndRecordedToWhenThereIsRoom) {
  const SmallDisk disk("1m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  disk.fill();
  auto writer = Writer::create(disk / "x.tg", {}, {});
  ASSERT_TRUE(writer) << writer.error().what;
  Job job;
  job.append(*writer, 100);
  expect_no_room_said_once(job);
  EXPECT_EQ(writer->bytes_written(), 0u);
  disk.make_room();
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(read_all(disk / "x.tg")->entries, job.written);
}

TEST(FullDisk, FromTheBeginningToTheEndLeavesNoFile) {
  const SmallDisk disk("64k");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  disk.fill();
  const auto possible = may_record_to(disk / "x.tg");
  ASSERT_FALSE(possible);
  EXPECT_EQ(possible.error().reason, Reason::NoRoom);
  EXPECT_FALSE(std::filesystem::exists(disk / "x.tg"));
  auto writer = Writer::create(disk / "x.tg", {}, {});
  ASSERT_TRUE(writer) << writer.error().what;
  const auto closed = writer->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().reason, Reason::NoRoom);
  EXPECT_FALSE(std::filesystem::exists(disk / "x.tg"));
}

TEST(DiskWithoutRoomForAFile, IsSaidOnceAndRecordedToWhenThereIsRoom) {
  const SmallDisk disk("1m", ",nr_inodes=10");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  disk.fill_with_files();
  const auto possible = may_record_to(disk / "x.tg");
  ASSERT_FALSE(possible);
  EXPECT_EQ(possible.error().reason, Reason::NoRoom);
  auto writer = Writer::create(disk / "x.tg", {}, {});
  ASSERT_TRUE(writer) << writer.error().what;
  Job job;
  job.append(*writer, 100);
  expect_no_room_said_once(job);
  EXPECT_FALSE(std::filesystem::exists(disk / "x.tg"));
  disk.make_room();
  job.append(*writer, 100);
  ASSERT_TRUE(writer->flush());
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(job.errors.size(), 1u);
  EXPECT_EQ(read_all(disk / "x.tg")->entries, job.written);
}

TEST(DiskWithoutRoomForAFile, ToTheEndIsAnErrorOfClose) {
  const SmallDisk disk("1m", ",nr_inodes=10");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  disk.fill_with_files();
  auto writer = Writer::create(disk / "x.tg", {}, {});
  ASSERT_TRUE(writer) << writer.error().what;
  const auto closed = writer->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().reason, Reason::NoRoom);
  EXPECT_EQ(writer->bytes_written(), 0u);
}

TEST(DiskWithoutRoomForAFile, ForTheThinnedOneIsSaidOnceAndRecordingGoesOn) {
  const SmallDisk disk("1m", ",nr_inodes=10");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  auto writer = Writer::create(disk / "x.tg", {}, {.max_bytes = 4000});
  ASSERT_TRUE(writer) << writer.error().what;
  disk.fill_with_files();
  Job job;
  std::vector<Reason> reasons;
  for (int i = 0; i < 1000; ++i) {
    job.written.emplace_back(job.day.next());
    if (const auto done = writer->append(job.written.back()); !done) {
      reasons.push_back(done.error().reason);
    }
    ASSERT_TRUE(i % 60 != 0 || writer->drain());
  }
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(reasons, std::vector<Reason>{Reason::Failed}) << "it is not that nothing is recorded";
  EXPECT_EQ(read_all(disk / "x.tg")->entries, job.written);
}

TEST(ReadOnlyDisk, IsRefused) {
  const SmallDisk disk("1m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  ASSERT_TRUE(disk.make_read_only());
  EXPECT_EQ(may_record_to(disk / "x.tg").error().reason, Reason::Failed);
  EXPECT_FALSE(Writer::create(disk / "x.tg", {}, {}));
}

TEST(FullDisk, ForTooLongLeavesAGapThatSaysWhatWasLost) {
  const SmallDisk disk("32m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs: " << disk.why();
  auto writer = Writer::create(disk / "x.tg", {}, {});
  ASSERT_TRUE(writer);
  Job job;
  job.append(*writer, 30);
  ASSERT_TRUE(writer->drain());
  disk.fill();
  constexpr int kTooMany = 36'000;  // ten hours, some 11 MB
  job.append(*writer, kTooMany);
  disk.make_room();
  ASSERT_TRUE(writer->drain());
  job.append(*writer, 10);
  ASSERT_TRUE(writer->close());
  std::vector<Entry> samples;
  std::vector<Event> gaps;
  const auto end = read(
      disk / "x.tg", [](const Header&) {},
      [&](const Entry& entry) {
        const auto* event = std::get_if<Event>(&entry);
        if (event != nullptr && event->kind == EventKind::Gap) gaps.push_back(*event);
        if (event == nullptr) samples.push_back(entry);
      });
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_EQ(end->bad_frames + end->bad_lines, 0u);
  ASSERT_EQ(gaps.size(), 1u);
  const auto lost = job.written.size() - samples.size();
  EXPECT_GT(lost, 0u);
  EXPECT_LT(lost, job.written.size() / 2);
  EXPECT_EQ(gaps[0].name, std::to_string(lost) + " entries could not be written and were lost");
  EXPECT_NEAR(*gaps[0].value, static_cast<double>(lost), 2);
  EXPECT_EQ(samples.back(), job.written.back()) << "the newest are the ones to keep";
  EXPECT_EQ(samples[40], job.written[40]) << "what was begun is finished";
}

TEST(LimitOnFileSize, IsAnErrorAndNotTheEndOfUs) {
  const TempFolder folder;
  auto writer = Writer::create(folder / "x.tg", {}, {});
  ASSERT_TRUE(writer);
  Job job;
  {
    const FileSizeLimit limit(50'000);
    job.append(*writer, 400);
    const auto full = writer->flush();
    ASSERT_FALSE(full);
    EXPECT_NE(full.error().what.find("File too large"), std::string::npos) << full.error().what;
    EXPECT_LE(bytes_of(folder / "x.tg").size(), 50'000u);
    EXPECT_TRUE(read_all(folder / "x.tg"));
  }
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(read_all(folder / "x.tg")->entries, job.written);
}

TEST(DeletedRecording, IsPutBackWhole) {
  const TempFolder folder;
  auto writer = Writer::create(folder / "x.tg", {}, {});
  ASSERT_TRUE(writer);
  Job job;
  job.append(*writer, 200);
  ASSERT_TRUE(writer->drain());
  std::filesystem::remove(folder / "x.tg");
  job.append(*writer, 200);
  ASSERT_TRUE(writer->close());
  EXPECT_TRUE(job.errors.empty());
  EXPECT_EQ(read_all(folder / "x.tg")->entries, job.written);
}

TEST(DeletedRecording, WaitsForItsFolder) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "sub");
  auto writer = Writer::create(folder / "sub/x.tg", {}, {});
  ASSERT_TRUE(writer);
  Job job;
  job.append(*writer, 100);
  ASSERT_TRUE(writer->drain());
  std::filesystem::remove_all(folder / "sub");
  job.append(*writer, 100);
  const auto gone = writer->flush();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().reason, Reason::Gone);
  std::filesystem::create_directory(folder / "sub");
  job.append(*writer, 100);
  ASSERT_TRUE(writer->flush());
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(read_all(folder / "sub/x.tg")->entries, job.written);
}

TEST(DeletedRecording, DoesNotReplaceSomebodyElsesFile) {
  const TempFolder folder;
  auto writer = Writer::create(folder / "x.tg", {}, {});
  ASSERT_TRUE(writer);
  Job job;
  job.append(*writer, 100);
  ASSERT_TRUE(writer->drain());
  put_bytes(folder / "x.tg", "another one's");
  job.append(*writer, 100);
  EXPECT_FALSE(writer->close());
  EXPECT_EQ(bytes_of(folder / "x.tg"), "another one's");
}

}  // namespace
}  // namespace tidegauge::record
