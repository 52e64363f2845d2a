// SPDX-License-Identifier: Apache-2.0
#include "record/history.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <filesystem>

#include "base/fd.h"
#include "base/owner_only.h"
#include "base/text.h"
#include "base/write_all.h"
#include "record/store.h"

namespace tidegauge::record {

namespace {

namespace dom = simdjson::dom;
namespace fs = std::filesystem;

constexpr std::size_t kRunsLookedAt = 8;
// A file that somebody else made longer is read from where its last so many bytes begin.
constexpr off_t kMostBytes = 4 << 20;
constexpr std::size_t kLongestCommand = 4096;

void append_number(std::string& out, const char* key, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) out += fmt::format(",\"{}\":{}", key, *value);
}

std::optional<double> positive(const dom::object& line, const char* key) {
  double value = 0;
  if (line[key].get(value) || !std::isfinite(value) || value < 0) return {};
  return value;
}

std::optional<PastRun> read_line(dom::parser& parser, std::string_view text) {
  dom::object line;
  if (parser.parse(text.data(), text.size()).get(line)) return {};
  PastRun out;
  std::string_view command;
  std::string_view verdict;
  const auto level = positive(line, "level_bytes");
  if (line["command"].get(command) || line["verdict"].get(verdict) || !level) return {};
  out.command = command;
  out.verdict = verdict;
  out.level_bytes = *level;
  out.settled_seconds = positive(line, "settled_seconds");
  out.settled_step = positive(line, "settled_step");
  if (line["ended_unix_s"].get(out.ended_unix_s)) out.ended_unix_s = 0;
  return out;
}

Result<std::string> read_end(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return from_errno(errno, "history");
  const off_t from = status.st_size > kMostBytes ? status.st_size - kMostBytes : 0;
  std::string text(static_cast<std::size_t>(status.st_size - from), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const auto count =
        ::pread(fd, text.data() + got, text.size() - got, from + static_cast<off_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<std::size_t>(count);
  }
  text.resize(got);
  return text;
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The newest half of what is allowed, so that this is rare.
Result<> cut(int fd, std::string_view text) {
  for (std::size_t lines = count_lines(text); lines > kMostPastRuns / 2; --lines) next_line(text);
  const std::string kept(text);
  if (::ftruncate(fd, 0) != 0) return from_errno(errno, "history");
  return write_all(fd, kept, "history");
}

}  // namespace

std::string history_line(const PastRun& run) {
  std::string out = "{\"command\":";
  append_json_string(out, std::string_view(run.command).substr(0, kLongestCommand));
  out += fmt::format(",\"ended_unix_s\":{},\"verdict\":", run.ended_unix_s);
  append_json_string(out, run.verdict);
  append_number(out, "level_bytes", run.level_bytes);
  append_number(out, "settled_seconds", run.settled_seconds);
  append_number(out, "settled_step", run.settled_step);
  return out + "}\n";
}

std::vector<PastRun> past_runs(std::string_view text, std::string_view command, std::size_t most) {
  std::vector<PastRun> out;
  dom::parser parser;
  while (!text.empty()) {
    const std::string line(next_line(text));
    auto run = read_line(parser, line);
    if (!run || run->command != command.substr(0, kLongestCommand)) continue;
    out.push_back(*std::move(run));
    if (out.size() > most) out.erase(out.begin());
  }
  return out;
}

Result<std::string> history_path() {
  const auto recordings = store_folder();
  if (!recordings) return recordings.error();
  return (fs::path(*recordings).parent_path() / "history").string();
}

std::vector<PastRun> past_runs_of(std::string_view command) {
  const auto path = history_path();
  if (!path) return {};
  const UniqueFd file(::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return {};
  const auto text = read_end(file.get());
  return text ? past_runs(*text, command, kRunsLookedAt) : std::vector<PastRun>{};
}

Result<> remember(const std::string& path, const PastRun& run) {
  const UniqueFd file(
      ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly));
  if (!file) return from_errno(errno, printable(path));
  if (::flock(file.get(), LOCK_EX) != 0) return from_errno(errno, printable(path));
  const auto text = read_end(file.get());
  if (text && count_lines(*text) >= kMostPastRuns) {
    if (const auto done = cut(file.get(), *text); !done) return done.error();
  }
  return write_all(file.get(), history_line(run), "history");
}

}  // namespace tidegauge::record
