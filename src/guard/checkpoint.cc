// SPDX-License-Identifier: Apache-2.0
#include "guard/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "base/fd.h"
#include "base/text.h"
#include "guard/checkpoint_json.h"
#include "guard/zip_members.h"
#include "proc/confined.h"

namespace tidegauge::guard {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTail = 66'000;  // the longest comment of a zip file, and its end
// No checkpoint has a directory, a header or a state this large; a damaged one may say so.
constexpr std::uint64_t kLargestHeader = 100u << 20;
constexpr std::uint64_t kTooLarge = kLargestHeader + 1;

// What reading the largest header takes, twenty times its size, and how long a slow disk may take.
constexpr proc::Confines kConfines{.memory_bytes = 20 * kLargestHeader, .seconds = 10};

Error broken(const std::string& path, const std::string& why) {
  return {Reason::Malformed, printable(path) + ": " + why};
}

struct OpenFile {
  UniqueFd fd;
  std::uint64_t bytes = 0;
};

Result<OpenFile> open_file(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return from_errno(errno, printable(path));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return broken(path, "no file");
  return OpenFile{std::move(fd), static_cast<std::uint64_t>(info.st_size)};
}

std::string read_range(const OpenFile& file, std::uint64_t from, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  std::size_t have = 0;
  while (have < bytes) {
    const auto got =
        ::pread(file.fd.get(), text.data() + have, bytes - have, static_cast<off_t>(from + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

// All of a file that is read at once; empty where it is larger than any that makes sense.
Result<std::string> whole_text(const std::string& path) {
  const auto file = open_file(path);
  if (!file) return file.error();
  if (file->bytes >= kTooLarge) return broken(path, "too large to be one");
  return read_range(*file, 0, file->bytes);
}

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// "checkpoint-1200": 1200.
std::optional<std::int64_t> step_in_name(const std::string& path) {
  auto name = fs::path(path).filename().string();
  if (name.empty()) name = fs::path(path).parent_path().filename().string();
  constexpr std::string_view kPrefix = "checkpoint-";
  if (!name.starts_with(kPrefix)) return {};
  return to_number<std::int64_t>(std::string_view(name).substr(kPrefix.size()));
}

Result<> check_trainer_state(const std::string& path) {
  const auto file = path + "/trainer_state.json";
  if (!is_there(file)) return broken(path, "no trainer_state.json, which is written last");
  const auto text = whole_text(file);
  if (!text) return text.error();
  const auto step = parse_trainer_step(*text);
  if (!step) return broken(file, step.error().what);
  const auto named = step_in_name(path);
  if (named && *named != *step) return broken(path, "its state is of another step");
  return Ok{};
}

// One file with all weights, or an index and every file that it names.
Result<> check_weights(const std::string& path) {
  for (const auto* name : {"model.safetensors", "adapter_model.safetensors"}) {
    if (is_there(path + "/" + name)) return check_safetensors(path + "/" + name);
  }
  if (is_there(path + "/pytorch_model.bin")) return check_torch_file(path + "/pytorch_model.bin");
  const auto index = path + "/model.safetensors.index.json";
  if (!is_there(index)) return broken(path, "no weights");
  const auto text = whole_text(index);
  if (!text) return text.error();
  const auto files = parse_weight_files(*text);
  if (!files) return broken(index, files.error().what);
  for (const auto& file : *files) {
    if (auto good = check_safetensors(path + "/" + file); !good) return good;
  }
  return Ok{};
}

Result<> check_random_states(const std::string& path) {
  bool any = false;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("rng_state") || !name.ends_with(".pth")) continue;
    any = true;
    if (auto good = check_torch_file(entry.path().string()); !good) return good;
  }
  if (!any) return broken(path, "no rng_state.pth");
  return Ok{};
}

// Free bytes for users that are not root, as a number; empty where they cannot be told.
std::string room_beside(const std::string& path) {
  struct statvfs space {};
  const auto folder = fs::path(path).parent_path();
  if (folder.empty() || ::statvfs(folder.c_str(), &space) != 0) return {};
  return std::to_string(std::uint64_t{space.f_bavail} * space.f_frsize);
}

}  // namespace

Result<> check_torch_file(const std::string& path) {
  const auto file = open_file(path);
  if (!file) return file.error();
  const auto tail_bytes = std::min(file->bytes, kTail);
  const auto tail = read_range(*file, file->bytes - tail_bytes, tail_bytes);
  const auto directory = find_zip_directory(tail, file->bytes);
  if (!directory) return broken(path, directory.error().what);
  if (directory->bytes > kLargestHeader) return broken(path, "its directory makes no sense");
  const auto members =
      parse_zip_members(read_range(*file, directory->offset, directory->bytes), directory->members);
  if (!members) return broken(path, members.error().what);
  bool has_data = false;
  for (const auto& member : *members) {
    has_data = has_data || member.name == "data.pkl" || member.name.ends_with("/data.pkl");
    if (member.offset > directory->offset ||
        member.stored_bytes > directory->offset - member.offset) {
      return broken(path, "a member lies outside the file");
    }
  }
  if (!has_data) return broken(path, "no data.pkl: not written by torch.save");
  return Ok{};
}

Result<> check_safetensors(const std::string& path) {
  const auto file = open_file(path);
  if (!file) return file.error();
  constexpr std::uint64_t kLength = 8;
  std::uint64_t header = 0;
  const auto length = read_range(*file, 0, kLength);
  if (length.size() == kLength)
    std::copy(length.begin(), length.end(), reinterpret_cast<char*>(&header));
  if (header == 0 || header > kLargestHeader || kLength + header > file->bytes) {
    return broken(path, "cut short in its header");
  }
  const auto end = parse_end_of_tensors(read_range(*file, kLength, header));
  if (!end) return broken(path, end.error().what);
  if (*end != file->bytes - kLength - header) return broken(path, "cut short");
  return Ok{};
}

Result<> check_trainer_folder(const std::string& path) {
  if (is_there(path + "/checkpoint-is-incomplete.txt")) {
    return broken(path, "marked as incomplete");
  }
  if (auto good = check_trainer_state(path); !good) return good;
  if (auto good = check_weights(path); !good) return good;
  for (const auto* name : {"optimizer.pt", "scheduler.pt"}) {
    if (auto good = check_torch_file(path + "/" + name); !good) return good;
  }
  return check_random_states(path);
}

Result<> check_checkpoint(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (step_in_name(path) || is_there(path + "/trainer_state.json")) {
      return check_trainer_folder(path);
    }
    if (fs::is_empty(path, error)) return broken(path, "empty");
    return Ok{};
  }
  if (path.ends_with(".safetensors")) return check_safetensors(path);
  for (const auto* suffix : {".ckpt", ".pt", ".pth", ".bin"}) {
    if (path.ends_with(suffix)) return check_torch_file(path);
  }
  const auto file = open_file(path);
  if (!file) return file.error();
  if (file->bytes == 0) return broken(path, "empty");
  return Ok{};
}

std::optional<std::uint64_t> free_bytes_beside(const std::string& path, const proc::UserIds& job) {
  const auto answer = proc::answer_confined(job, kConfines, [&path] { return room_beside(path); });
  return answer ? to_number<std::uint64_t>(*answer) : std::nullopt;
}

// The child's answer: nothing or what is wrong, behind it the room that it found.
CheckpointReport report_on_checkpoint(const std::string& path, const proc::UserIds& job) {
  constexpr char kEnd = '\0';
  const auto answer = proc::answer_confined(job, kConfines, [&path] {
    const auto good = check_checkpoint(path);
    return (good ? std::string() : good.error().what) + kEnd + room_beside(path);
  });
  if (!answer) return {broken(path, answer.error().what)};
  const auto end = answer->find(kEnd);
  if (end == answer->npos) return {broken(path, "it could not be read")};
  CheckpointReport report{Ok{},
                          to_number<std::uint64_t>(std::string_view(*answer).substr(end + 1))};
  if (end > 0) report.whole = Error{Reason::Malformed, printable(answer->substr(0, end))};
  return report;
}

}  // namespace tidegauge::guard
