// SPDX-License-Identifier: Apache-2.0
#include "census/learn_layout.h"

#include <fmt/format.h>

#include "base/text.h"
#include "census/calibrate.h"
#include "census/layout_search.h"
#include "census/locate.h"
#include "census/model.h"
#include "census/reader_process.h"
#include "census/wire.h"

namespace tidegauge::census {

namespace {

constexpr double kPatienceSeconds = 60;

std::optional<Layout> nearest_to(const FoundRuntime& found, const Memory& memory,
                                 std::span<const Layout> known) {
  if (const auto* const fitting = fitting_layout(memory, found.runtime, known)) return *fitting;
  if (!found.version) return {};
  return newest_before(known, *found.version, found.free_threaded);
}

// In the process without rights. The build's number, and the facts.
void read_model(const Target& target, const ModelFacts& facts, std::span<const Layout> known,
                const ReaderLine& line) {
  const auto refuse = [&](const char* why) {
    line.say(Word::Failed, wire::to_bytes(Error{Reason::Unsupported, why}));
  };
  const FileMemory memory(target.memory.get(), devices_in(target.regions));
  const auto found = find_cpython(target, memory);
  if (!found) return refuse("it runs no CPython");
  const auto before = nearest_to(*found, memory, known);
  if (!before) return refuse("its version is not told");
  const auto go_on = [&] {
    line.say(Word::Ready);
    const auto heard = line.hear();
    return heard && heard->word == Word::Ask;
  };
  const auto row = calibrate(facts, memory, found->runtime, *before, go_on);
  if (!row || !layout_fits(memory, found->runtime, *row)) {
    return refuse("how it lays out its objects could not be found");
  }
  line.say(Word::Layout, fmt::format("{}\n{}", found->build_id, layout_as_text(*row)));
}

}  // namespace

Result<KeptLayout> learn_layout(const std::string& program, std::span<const Layout> known) {
  auto model = Model::start(program);
  if (!model) return model.error();
  const auto about = [&](const Error& error) {
    return Error{error.reason, fmt::format("{}: {}", printable(program), error.what)};
  };
  const auto target = open_target(model->pid());
  if (!target) return about(target.error());
  const auto reader = ReaderProcess::start(
      *target, [&](const ReaderLine& line) { read_model(*target, model->facts(), known, line); });
  if (!reader) return about(reader.error());
  auto said = reader->hear(kPatienceSeconds);
  if (said && said->word == Word::Ready) {
    if (model->go_on_to_a_collection())
      (void)reader->say(Word::Ask);
    else
      (void)reader->say(Word::Failed);
    said = reader->hear(kPatienceSeconds);
  }
  if (!said) return about(said.error());
  std::string_view text(said->text);
  const auto build_id = next_line(text);
  const auto row = parse_layout(text);
  if (said->word != Word::Layout || !row) {
    return about({Reason::Failed, "the process that read it said what makes no sense"});
  }
  return KeptLayout{.build_id = std::string(build_id), .layout = *row, .is_named = true};
}

}  // namespace tidegauge::census
