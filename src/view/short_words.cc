// SPDX-License-Identifier: Apache-2.0
#include "view/short_words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "view/phrases.h"

namespace tidegauge::view {

std::string short_verdict(const verdict::Verdict& verdict) {
  using verdict::Class;
  switch (verdict.klass) {
    case Class::Leak:
      return "leak";
    case Class::WarmUp:
      return verdict.settled ? "warm-up, ended" : "warm-up";
    case Class::Spikes:
      return "spikes";
    case Class::Sawtooth:
      return "sawtooth";
    case Class::Steady:
      return "steady";
    case Class::Shift:
      return "one jump";
    case Class::Undecided:
      break;
  }
  return "cannot tell";
}

const char* role_word(record::Role role) {
  switch (role) {
    case record::Role::Main:
      return "main";
    case record::Role::Wrapper:
      return "wrapper";
    case record::Role::CompileWorker:
      return "compile worker";
    case record::Role::LoaderWorker:
      return "loader worker";
    case record::Role::Other:
      break;
  }
  return "";
}

std::string role_count(record::Role role, std::size_t count) {
  const std::string word = role == record::Role::Other  ? "other process"
                           : role == record::Role::Main ? "main process"
                                                        : role_word(role);
  const char* plural = word.ends_with("s") ? "es" : "s";
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : plural);
}

std::string job_name(const record::Process& process) {
  if (process.role == record::Role::Wrapper) return process.name;  // the script is another's
  std::string_view rest = process.command;
  for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
    if (word.ends_with(".py") || word.ends_with(".sh")) {
      return std::string(word.substr(word.rfind('/') + 1));
    }
  }
  return process.name;
}

std::string signed_size(double bytes, double noise) {
  if (!std::isfinite(bytes) || std::fabs(bytes) < noise) return "0";
  const auto size = size_phrase(std::fabs(bytes));
  return size ? (bytes < 0 ? "-" : "+") + *size : "0";
}

std::string growth_of(const Tally& tally) {
  constexpr double kFlutter = 0.001;  // of the whole
  return signed_size(tally.growth(), std::fmax(64 << 10, kFlutter * tally.max()));
}

const verdict::Verdict* verdict_on(const verdict::Verdicts& verdicts, const record::ProcessId& id) {
  const verdict::Verdict* found = nullptr;
  for (const auto& verdict : verdicts.all) {
    if (verdict.subject.process != id) continue;
    if (!found) found = &verdict;
    if (verdict.subject.kind == verdict::Kind::Total) return &verdict;
  }
  return found;
}

std::string short_verdict_on(const verdict::Verdicts& verdicts, const record::ProcessId& id,
                             bool gone) {
  const auto* verdict = verdict_on(verdicts, id);
  if (verdict && !(gone && verdict->klass == verdict::Class::Undecided)) {
    return short_verdict(*verdict);
  }
  return gone ? "gone" : "";
}

}  // namespace tidegauge::view
