// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "record/ring.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples, in a script that 'tidegauge run' started:
  tidegauge mark step=12
  tidegauge mark epoch=2 note='second pass'
  tidegauge mark begin=eval && ./evaluate; tidegauge mark end=eval

Without a gauge it does nothing and returns 0; with --strict it says so and returns 3.
Programs that mark often use the C header <tidegauge/mark.h>: docs/marks.md.
)";

enum class Takes { Number, Text };

struct Word {
  std::string_view name;
  tidegauge_kind kind;
  Takes takes;
};

constexpr std::array kWords = {
    Word{"step", TIDEGAUGE_STEP, Takes::Number},
    Word{"epoch", TIDEGAUGE_EPOCH, Takes::Number},
    Word{"begin", TIDEGAUGE_PHASE_BEGIN, Takes::Text},
    Word{"end", TIDEGAUGE_PHASE_END, Takes::Text},
    Word{"note", TIDEGAUGE_NOTE, Takes::Text},
};

struct Mark {
  tidegauge_slot slot{};
  std::string text{};
  bool has_text = false;
};

Result<Mark> parse_mark(const std::string& word) {
  const auto equals = word.find('=');
  const std::string_view name = std::string_view(word).substr(0, equals);
  for (const auto& known : kWords) {
    if (known.name != name || equals == word.npos) continue;
    Mark mark;
    mark.slot.kind = static_cast<std::uint16_t>(known.kind);
    mark.slot.source = TIDEGAUGE_EXPLICIT;
    // The script that calls us is the job; we are gone in a moment.
    mark.slot.pid = static_cast<std::uint32_t>(::getppid());
    mark.has_text = known.takes == Takes::Text;
    mark.text = word.substr(equals + 1);
    if (mark.has_text && !mark.text.empty()) return mark;
    const auto number = to_number<std::int64_t>(mark.text);
    if (!mark.has_text && number && *number >= 0) {
      mark.slot.a = *number;
      return mark;
    }
    return Error{Reason::Malformed,
                 fmt::format("'{}' needs {}", printable(word),
                             mark.has_text ? "a text after '='" : "a whole number after '='")};
  }
  return Error{Reason::Malformed,
               fmt::format("'{}' is no mark like step=12, epoch=1, begin=eval, end=eval, note=text",
                           printable(word))};
}

struct CloseRing {
  void operator()(tidegauge_ring* ring) const { tidegauge_ring_close(ring); }
};

}  // namespace

int mark(Words words) {
  CommandLine app("Tell the gauge about a step, an epoch, a phase or anything else, from a script.",
                  "mark");
  std::vector<std::string> given;
  bool strict = false;
  app.add_option("NAME=VALUE", given, "step=N, epoch=N, begin=PHASE, end=PHASE, note=TEXT")
      ->required();
  app.add_flag("--strict", strict, "fail where no gauge listens");
  app.footer(kExamples);
  if (const auto code = app.parse(words)) return *code;

  std::vector<Mark> marks;
  for (const auto& word : given) {
    auto parsed = parse_mark(word);
    if (!parsed) return fail("mark", kWrongUse, parsed.error().what);
    marks.push_back(*std::move(parsed));
  }
  const std::unique_ptr<tidegauge_ring, CloseRing> ring(
      tidegauge_ring_open(std::getenv(tidegauge_ring_variable())));
  if (!ring) {
    return strict ? fail("mark", kCouldNotLook,
                         "no gauge listens: start the script with 'tidegauge run'")
                  : kNothingWrong;
  }
  for (const auto& one : marks) {
    if (one.has_text) {
      tidegauge_ring_write_text(ring.get(), one.slot, one.text.c_str());
    } else {
      tidegauge_ring_write(ring.get(), one.slot);
    }
  }
  return kNothingWrong;
}

}  // namespace tidegauge::cli
