// SPDX-License-Identifier: Apache-2.0
#include "guard/checkpoint.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "guard/zip_members.h"
#include "record/temp_folder.h"

namespace tidegauge::guard {
namespace {

namespace fs = std::filesystem;

template <class Number>
void put(std::string& out, Number value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

// As torch.save writes it: members stored as they are, the directory, its end.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out, directory;
  for (const auto& [name, data] : members) {
    const auto offset = static_cast<std::uint32_t>(out.size());
    put<std::uint32_t>(out, 0x04034b50);
    out.append(22, '\0');
    put(out, static_cast<std::uint16_t>(name.size()));
    put<std::uint16_t>(out, 0);
    out += name + data;
    put<std::uint32_t>(directory, 0x02014b50);
    directory.append(16, '\0');
    put(directory, static_cast<std::uint32_t>(data.size()));
    put(directory, static_cast<std::uint32_t>(data.size()));
    put(directory, static_cast<std::uint16_t>(name.size()));
    directory.append(12, '\0');
    put(directory, offset);
    directory += name;
  }
  const auto begin = static_cast<std::uint32_t>(out.size());
  out += directory;
  put<std::uint32_t>(out, 0x06054b50);
  put<std::uint32_t>(out, 0);
  put(out, static_cast<std::uint16_t>(members.size()));
  put(out, static_cast<std::uint16_t>(members.size()));
  put(out, static_cast<std::uint32_t>(directory.size()));
  put(out, begin);
  put<std::uint16_t>(out, 0);
  return out;
}

std::string torch_file() {
  return zip_of({{"archive/data.pkl", "pickled"}, {"archive/data/0", std::string(5000, 'w')}});
}

std::string safetensors() {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[25],"data_offsets":[0,100]}})";
  std::string out;
  put(out, static_cast<std::uint64_t>(header.size()));
  return out + header + std::string(100, 'w');
}

class Checkpoint : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    const auto path = folder_.path() + "/" + name;
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string trainer_folder() {
    write("checkpoint-12/model.safetensors", safetensors());
    write("checkpoint-12/optimizer.pt", torch_file());
    write("checkpoint-12/scheduler.pt", torch_file());
    write("checkpoint-12/rng_state.pth", torch_file());
    const auto state = write("checkpoint-12/trainer_state.json", R"({"global_step": 12})");
    return fs::path(state).parent_path().string();
  }
  record::TempFolder folder_;
};

TEST_F(Checkpoint, WholeOnesPass) {
  EXPECT_TRUE(check_checkpoint(write("a.ckpt", torch_file())));
  EXPECT_TRUE(check_checkpoint(write("a.safetensors", safetensors())));
  EXPECT_TRUE(check_checkpoint(write("state.json", "{}")));
  const auto folder = check_checkpoint(trainer_folder());
  EXPECT_TRUE(folder) << folder.error().what;
}

TEST_F(Checkpoint, WhatIsCutShortAnywhereDoesNot) {
  const auto zip = torch_file();
  for (std::size_t size = 0; size < zip.size(); size += 7) {
    EXPECT_FALSE(check_checkpoint(write("cut.pt", zip.substr(0, size)))) << size;
  }
  const auto tensors = safetensors();
  for (std::size_t size = 0; size < tensors.size(); ++size) {
    EXPECT_FALSE(check_checkpoint(write("cut.safetensors", tensors.substr(0, size)))) << size;
  }
  EXPECT_FALSE(check_checkpoint(write("empty.json", "")));
  EXPECT_FALSE(check_checkpoint(folder_.path() + "/nowhere.pt"));
}

TEST_F(Checkpoint, ATrainersFolderWithAnythingMissingDoesNot) {
  const auto folder = trainer_folder();
  for (const auto* name : {"model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state.pth",
                           "trainer_state.json"}) {
    const auto kept = folder_.path() + "/kept";
    fs::rename(folder + "/" + name, kept);
    EXPECT_FALSE(check_checkpoint(folder)) << name;
    fs::rename(kept, folder + "/" + name);
  }
  EXPECT_TRUE(check_checkpoint(folder));
  write("checkpoint-12/checkpoint-is-incomplete.txt", "");
  EXPECT_FALSE(check_checkpoint(folder));
  fs::remove(folder + "/checkpoint-is-incomplete.txt");
  fs::rename(folder, folder_.path() + "/checkpoint-13");  // its state is of step 12
  EXPECT_FALSE(check_checkpoint(folder_.path() + "/checkpoint-13"));
}

TEST_F(Checkpoint, ALossThatIsNoNumberIsNoDamage) {
  const auto folder = trainer_folder();
  write("checkpoint-12/trainer_state.json",
        R"({"global_step": 12, "log_history": [{"loss": NaN, "grad_norm": -Infinity}]})");
  const auto good = check_checkpoint(folder);
  EXPECT_TRUE(good) << good.error().what;
  write("checkpoint-12/trainer_state.json", R"({"global_step": 12, "log_history": [{"loss": NaN)");
  EXPECT_FALSE(check_checkpoint(folder));
}

TEST_F(Checkpoint, EveryShardCounts) {
  const auto folder = trainer_folder();
  fs::remove(folder + "/model.safetensors");
  write("checkpoint-12/model.safetensors.index.json",
        R"({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}})");
  write("checkpoint-12/one.safetensors", safetensors());
  EXPECT_FALSE(check_checkpoint(folder));
  write("checkpoint-12/two.safetensors", safetensors());
  EXPECT_TRUE(check_checkpoint(folder));
}

proc::UserIds own_ids() {
  return {.user = ::geteuid(), .group = ::getegid(), .groups = {}};
}

TEST_F(Checkpoint, IsReportedOnAsByWhoeverLooks) {
  const auto whole = report_on_checkpoint(trainer_folder(), own_ids());
  EXPECT_TRUE(whole.whole) << whole.whole.error().what;
  EXPECT_GT(whole.free_bytes.value_or(0), 0u);
  const auto cut = report_on_checkpoint(write("cut.pt", "PK"), own_ids());
  ASSERT_FALSE(cut.whole);
  EXPECT_EQ(cut.whole.error().what, check_checkpoint(folder_.path() + "/cut.pt").error().what);
}

// A job names the path: neither a file of another user, nor a pipe that nobody writes to, nor one
// that says it is enormous may lead us anywhere or keep us waiting.
TEST_F(Checkpoint, OfAnotherUserIsOpenedWithThatUsersRights) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can take on another user's rights";
  const proc::UserIds nobody{.user = 65534, .group = 65534, .groups = {}};
  ::chmod(folder_.path().c_str(), 0755);
  const auto path = write("ours.ckpt", torch_file());
  ::chmod(path.c_str(), 0600);
  EXPECT_TRUE(report_on_checkpoint(path, own_ids()).whole);
  const auto report = report_on_checkpoint(path, nobody);
  ASSERT_FALSE(report.whole);
  EXPECT_NE(report.whole.error().what.find("ermission denied"), std::string::npos)
      << report.whole.error().what;
}

TEST_F(Checkpoint, ThatIsNoPlainOrAnEnormousFileIsRefusedAtOnce) {
  const auto folder = trainer_folder();
  for (const std::string name : {"trainer_state.json", "model.safetensors.index.json"}) {
    const auto path = folder + "/" + name;
    fs::remove(path);
    fs::remove(folder + "/model.safetensors");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_FALSE(report_on_checkpoint(folder, own_ids()).whole) << name;
    fs::remove(path);
    write("checkpoint-12/" + name, "{");
    fs::resize_file(path, 1ull << 40);
    EXPECT_FALSE(report_on_checkpoint(folder, own_ids()).whole) << name;
    fs::remove(path);
    write("checkpoint-12/trainer_state.json", R"({"global_step": 12})");
  }
}

TEST(ZipMembers, AnyBytesAreTakenOrRefused) {
  EXPECT_TRUE(rc::check([] {
    auto zip = torch_file();
    const auto at = *rc::gen::inRange<std::size_t>(zip.size() - 200, zip.size());
    zip[at] = *rc::gen::arbitrary<char>();
    const auto directory = find_zip_directory(zip, zip.size());
    if (!directory) return;
    RC_ASSERT(directory->offset + directory->bytes <= zip.size());
    (void)parse_zip_members(std::string_view(zip).substr(directory->offset, directory->bytes),
                            directory->members);
  }));
}

}  // namespace
}  // namespace tidegauge::guard
