// SPDX-License-Identifier: Apache-2.0
#include "cli/judged.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <variant>

#include "base/fd.h"
#include "base/text.h"
#include "record/file.h"
#include "record/foreign.h"
#include "record/ledger.h"

namespace tidegauge::cli {

namespace {

// A folder has nothing to read, and a device such as /dev/zero no end. What is not there is told by
// whoever opens it.
Result<> check_readable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Ok{};
  if (S_ISDIR(status.st_mode)) return from_errno(EISDIR, printable(path));
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) return Ok{};
  return Error{Reason::Failed, printable(path) + ": is neither a file nor a pipe"};
}

Result<std::string> read_text(const std::string& path) {
  if (auto good = check_readable(path); !good) return good.error();
  std::ifstream in(path, std::ios::binary);
  if (!in) return from_errno(errno, printable(path));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return from_errno(EIO, printable(path));
  return std::move(text).str();
}

Error within(const std::string& path, const Error& error) {
  return {error.reason, printable(path) + ": " + error.what};
}

// "1 row was", "2 rows were".
std::string counted(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::vector<std::string> notes_of(const record::CsvNotes& notes) {
  std::vector<std::string> out;
  if (notes.unsorted > 0) {
    out.push_back(counted(notes.unsorted, "row was", "rows were") + " out of order");
  }
  if (notes.duplicated > 0) {
    out.push_back(counted(notes.duplicated, "row", "rows") + " came twice; the last one counts");
  }
  if (notes.missing > 0) {
    out.push_back(counted(notes.missing, "value is", "values are") + " missing");
  }
  if (notes.torn) out.emplace_back("the last line was cut and passed over");
  if (!notes.ignored.empty()) {
    out.push_back(printable(fmt::format("no memory in: {}", fmt::join(notes.ignored, ", "))));
  }
  return out;
}

// Empty: all of it was read.
std::string left_out_of(const record::ReadEnd& end, bool steps) {
  if (!end.cut_short) return {};
  return fmt::format(
      "only what comes before line {} of its text was read, up to {:.6g} {}: it makes far more "
      "work "
      "than a file of its size should (from byte {} on)",
      end.cut_short->line + 1, end.cut_short->at, steps ? "steps" : "seconds",
      end.cut_short->at_byte);
}

std::vector<std::string> notes_of(const record::ReadEnd& end, bool steps) {
  std::vector<std::string> out;
  if (end.cut_short) out.push_back(left_out_of(end, steps));
  if (end.torn) out.emplace_back("it ends in the middle of a line: cut, or still being written");
  if (end.bad_lines > 0) {
    out.push_back(counted(end.bad_lines, "damaged line was", "damaged lines were") +
                  " passed over");
  }
  if (end.unknown_lines > 0) {
    out.push_back(counted(end.unknown_lines, "line of a newer tidegauge was",
                          "lines of a newer tidegauge were") +
                  " passed over");
  }
  return out;
}

// Puts the markers of `path`, if there is one, among the entries.
Result<> add_markers(const std::string& path, record::Recording& recording) {
  if (path.empty()) return Ok{};
  const auto text = read_text(path);
  if (!text) return text.error();
  const auto markers = record::parse_markers(*text);
  if (!markers) return within(path, markers.error());
  if (const auto done = record::merge(recording, *markers); !done)
    return within(path, done.error());
  return Ok{};
}

// Of a file in which no sample was found.
Result<> makes_sense(const record::ReadEnd& end) {
  if (end.cut_short) {
    return Error{
        Reason::Malformed,
        fmt::format("no sample in the first {} lines of its text, and far more of it than a "
                    "file of its size should have (from byte {} on): this is no recording",
                    end.cut_short->line, end.cut_short->at_byte)};
  }
  if (end.bad_lines > 0) {
    return Error{Reason::Malformed,
                 fmt::format("there is no sample in it, and {} no sense",
                             counted(end.bad_lines, "line that makes", "lines that make"))};
  }
  return Ok{};
}

// Takes a file's entries one by one, for all that is made of them.
struct Reading {
  explicit Reading(const verdict::Rules& rules) : gauge(rules) {}

  void begin(const record::Header& header) {
    steps = header.clock == record::Clock::Steps;
    gauge.begin(header);
    summary.begin(header);
    timeline.begin(header);
  }
  void add(const record::Entry& entry) {
    samples += std::holds_alternative<record::Sample>(entry) ? 1 : 0;
    ledgers.add(entry);
    gauge.add(entry, ledgers);
    summary.add(entry, ledgers);
    timeline.add(entry, ledgers);
  }
  Judged concluded(const JudgeInput& input, std::vector<std::string> notes) {
    Judged out{gauge.judge(), std::move(summary), std::move(timeline), std::move(notes)};
    if (input.one_of_several) out.outline = gauge.outline(input.path);
    return out;
  }

  bool steps = false;  // are its clock
  std::size_t samples = 0;
  verdict::Gauge gauge;
  view::Summary summary{};
  view::Timeline timeline{};
  record::LedgerKeeper ledgers{};
};

Judged judge_whole(const JudgeInput& input, const record::Recording& recording,
                   const verdict::Rules& rules, std::vector<std::string> notes) {
  Reading reading(rules);
  reading.begin(recording.header);
  for (const auto& entry : recording.entries) reading.add(entry);
  return reading.concluded(input, std::move(notes));
}

// Markers have to be sorted in among the entries, so all of them have to be there.
Result<Judged> judge_recording_with_markers(const JudgeInput& input, const verdict::Rules& rules) {
  record::Recording recording;
  const auto end = record::read(
      input.path, [&](const record::Header& header) { recording.header = header; },
      [&](const record::Entry& entry) { recording.entries.push_back(entry); });
  if (!end) return end.error();
  if (const auto done = add_markers(input.markers, recording); !done) return done.error();
  const bool steps = recording.header.clock == record::Clock::Steps;
  auto out = judge_whole(input, recording, rules, notes_of(*end, steps));
  out.left_out = left_out_of(*end, steps);
  return out;
}

// `read` takes what is to be done with the header and with each entry.
template <class Read>
Result<Judged> judge_streamed(const Read& read, const JudgeInput& input,
                              const verdict::Rules& rules) {
  Reading reading(rules);
  const auto end = read([&](const record::Header& header) { reading.begin(header); },
                        [&](const record::Entry& entry) { reading.add(entry); });
  if (!end) return end.error();
  if (reading.samples == 0) {
    if (const auto good = makes_sense(*end); !good) return within(input.path, good.error());
  }
  auto out = reading.concluded(input, notes_of(*end, reading.steps));
  out.left_out = left_out_of(*end, reading.steps);
  return out;
}

Result<Judged> judge_recording(const JudgeInput& input, const verdict::Rules& rules) {
  if (!input.markers.empty()) return judge_recording_with_markers(input, rules);
  const auto read = [&](const auto& header, const auto& take) {
    return record::read(input.path, header, take);
  };
  return judge_streamed(read, input, rules);
}

Result<Judged> judge_csv(const JudgeInput& input, const verdict::Rules& rules) {
  const UniqueFd file(::open(input.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return from_errno(errno, printable(input.path));
  const record::CsvOptions options{.unit_bytes = input.unit_bytes};
  // Markers have to be sorted in among the entries, so all of them have to be there.
  record::Recording recording;
  Reading reading(rules);
  const bool merged = !input.markers.empty();
  const auto notes = record::read_series(
      file.get(), options,
      [&](const record::Header& header) {
        recording.header = header;
        reading.begin(header);
      },
      [&](const record::Entry& entry) {
        if (merged) recording.entries.push_back(entry);
        if (!merged) reading.add(entry);
      });
  if (!notes) return within(input.path, notes.error());
  if (!merged) return reading.concluded(input, notes_of(*notes));
  if (const auto done = add_markers(input.markers, recording); !done) return done.error();
  return judge_whole(input, recording, rules, notes_of(*notes));
}

}  // namespace

Result<Judged> judge_open_recording(int fd, std::uint64_t bytes, const std::string& name,
                                    const verdict::Rules& rules) {
  if (!record::looks_like_recording(fd)) {
    return Error{Reason::Malformed, printable(name) + ": this is no recording"};
  }
  const auto read = [&](const auto& header, const auto& take) {
    return record::read(fd, bytes, header, take);
  };
  return judge_streamed(read, {.path = name}, rules);
}

Result<Judged> judge_file(const JudgeInput& input, const verdict::Rules& rules) {
  if (auto good = check_readable(input.path); !good) return good.error();
  // A missing file is the same sentence whatever it would have held.
  if (!std::ifstream(input.path)) return from_errno(errno, printable(input.path));
  if (record::looks_like_recording(input.path)) return judge_recording(input, rules);
  return judge_csv(input, rules);
}

}  // namespace tidegauge::cli
