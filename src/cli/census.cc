// SPDX-License-Identifier: Apache-2.0
#include "census/census.h"

#include <poll.h>
#include <unistd.h>

#include "base/owner_only.h"
#include "census/learn_layout.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/stop_signals.h"
#include "record/census_reader.h"
#include "view/census.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge census $(pgrep -f train.py)
  tidegauge census 4711 --json > census.json
  tidegauge census 4711 --stream        stops nothing, and names no holders
  tidegauge census 4711 --tensors       every device, dtype and shape
  tidegauge census 4711 -o before.json  keeps it for later
  tidegauge census 4711 --diff before.json      what has grown since, and who holds it
  tidegauge census 4711 --follow 1m     counts every minute without a stop, and says what grows
  tidegauge census 4711 --layout-from /usr/bin/python3.17    of a version that is newer than we are

No library is put into the process. A copy of it is made as fork() does, which stops it for some
milliseconds; the copy is read and removed.
)";

struct Wanted {
  pid_t pid = 0;
  bool json = false;
  std::string keep_at{};
  std::string earlier{};
  std::string layout_from{};
  std::optional<double> follow_seconds{};
  bool show_keys = false;
  census::CensusOptions how{};
  view::CensusTextOptions text{};
};

std::string told(const record::Census& taken, const std::optional<view::Since>& since,
                 const Wanted& wanted) {
  if (wanted.json) return view::census_document(taken, since);
  auto text = view::census_text(taken, wanted.text);
  return since ? text + view::growth_text(*since, wanted.text) : text;
}

// A document stays as it is, whatever blanks a name has in it.
void tell(const record::Census& taken, const std::optional<view::Since>& since,
          const Wanted& wanted) {
  const auto text = told(taken, since, wanted);
  if (wanted.json) return put(stdout, text);
  put_words(stdout, text);
}

int take_one(const Wanted& wanted) {
  std::optional<record::Census> earlier;
  if (!wanted.keep_at.empty()) {
    std::vector<std::string> inputs;
    if (!wanted.earlier.empty()) inputs.push_back(wanted.earlier);
    if (const auto good = may_write(wanted.keep_at, OutputKind::Census, inputs); !good) {
      return fail("census", kWrongUse, good.error().what);
    }
  }
  if (!wanted.earlier.empty()) {
    auto read = record::read_census(wanted.earlier);
    if (!read) {
      const bool is_none = read.error().reason == Reason::Malformed;
      return fail("census", is_none ? kWrongUse : kCouldNotLook, read.error().what);
    }
    earlier = *std::move(read);
  }
  const auto taken = census::take_census(wanted.pid, wanted.how);
  if (!taken) return fail("census", kCouldNotLook, taken.error().what);
  std::optional<view::Since> since;
  if (earlier) since = view::Since{wanted.earlier, record::growth_between(*earlier, *taken)};
  if (!wanted.keep_at.empty()) {
    const auto kept = write_file(wanted.keep_at, view::census_document(*taken), kOwnerOnly);
    if (!kept) return fail("census", kCouldNotLook, kept.error().what);
  }
  tell(*taken, since, wanted);
  return kNothingWrong;
}

// Until it ends, or somebody wants us to.
int follow(const Wanted& wanted) {
  StopSignals stop;
  auto how = wanted.how;
  how.stream = true;  // nothing is stopped, however often
  std::optional<record::Census> first;
  while (true) {
    const auto taken = census::take_census(wanted.pid, how);
    if (!taken) {
      if (first && taken.error().reason == Reason::Gone) return kNothingWrong;
      return fail("census", kCouldNotLook, taken.error().what);
    }
    std::optional<view::Since> since;
    if (first) since = view::Since{"the first look", record::growth_between(*first, *taken)};
    if (!first || wanted.json) {
      tell(*taken, since, wanted);
    } else {
      put_words(stdout, view::growth_text(*since, wanted.text));
    }
    std::fflush(stdout);
    if (!first) first = *taken;
    pollfd ready{stop.fd(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(*wanted.follow_seconds * 1e3)) > 0 && stop.taken()) {
      return kNothingWrong;
    }
  }
}

// It is kept: `run` and `watch` read processes of that build, too.
Result<> learn(Wanted& wanted) {
  auto learned = census::learn_layout(wanted.layout_from);
  if (!learned) return learned.error();
  census::keep_layout(learned->build_id, learned->layout);
  wanted.how.named_layout = *std::move(learned);
  return Ok{};
}

}  // namespace

int census(Words words) {
  CommandLine app("What a Python process holds, and who holds it, read from outside.", "census");
  Wanted wanted;
  app.add_option("PID", wanted.pid, "the process")->required()->check(no_process_id);
  app.add_flag("--stream", wanted.how.stream, "count without stopping anything");
  app.add_flag("--json", wanted.json, "print the census document");
  app.add_flag("--tensors", wanted.text.tensors, "all tensors, arrays and images by shape");
  app.add_option("--lines", wanted.text.lines, "of each table")->type_name("N");
  add_show_keys(app, wanted.show_keys);
  app.add_option("-o,--output", wanted.keep_at, "keep the document there, too")
      ->type_name("FILE")
      ->check(no_file_name);
  auto* const diff =
      app.add_option("--diff", wanted.earlier, "what has grown since that one")->type_name("FILE");
  add_duration(app, "--follow", wanted.follow_seconds, "count again and again, without a stop")
      ->excludes(diff);
  app.add_option("--layout-from", wanted.layout_from,
                 "a Python of the same version, run to learn how it lays out its objects")
      ->type_name("PROGRAM");
  app.footer(kExamples);
  if (const auto code = app.parse(words)) return *code;

  wanted.how.keys = keys_for(wanted.show_keys);
  wanted.text.columns = static_cast<std::size_t>(paper_of(STDOUT_FILENO).columns);
  if (!wanted.layout_from.empty()) {
    if (const auto learned = learn(wanted); !learned) {
      return fail("census", kCouldNotLook, "--layout-from: " + learned.error().what);
    }
  }
  return wanted.follow_seconds ? follow(wanted) : take_one(wanted);
}

}  // namespace tidegauge::cli
