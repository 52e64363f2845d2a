// SPDX-License-Identifier: Apache-2.0
#include "view/doubts.h"

#include <fmt/format.h>

#include "view/phrases.h"

namespace tidegauge::view {

namespace {

using verdict::Class;
using verdict::Verdict;

Phrase slower_leak(const Verdict& verdict) {
  const auto rate = verdict.duration_seconds > 0 ? per_time_phrase(verdict.not_excluded)
                                                 : per_step_phrase(verdict.not_excluded);
  if (!rate) return {};
  return fmt::format(
      "A leak slower than {} would not have shown in this time; a longer recording lowers that "
      "bound.",
      *rate);
}

std::vector<std::string> open_questions(const Verdict& verdict) {
  std::vector<std::string> out;
  const auto& needs = verdict.needs;
  if (needs && needs->if_bounded) {
    const auto level = size_phrase(needs->if_bounded->level_bytes);
    const auto step = step_phrase(needs->if_bounded->at_step);
    if (level || step) {
      out.push_back(fmt::format("If growth ends{}{}, it was bounded and not a leak.",
                                step ? " at " + *step : "", level ? " near " + *level : ""));
    }
  }
  out.push_back(
      "If it goes on past the point where every bounded explanation would have ended, it is a "
      "leak.");
  if (needs && !as_sentence(needs->why).empty()) out.push_back(as_sentence(needs->why));
  return out;
}

}  // namespace

std::vector<std::string> doubts(const Verdict& verdict) {
  std::vector<std::string> out;
  switch (verdict.klass) {
    case Class::Undecided:
      return open_questions(verdict);
    case Class::Leak:
      out = {
          "Growth that ends by itself, for example with a first pass over the data that takes "
          "longer "
          "than was watched, would make it a warm-up."};
      if (verdict.tied_to == verdict::Tie::None || verdict.tied_to == verdict::Tie::Time) {
        out.push_back(
            "Marks of steps and epochs from the job would tell a long first pass from a leak.");
      }
      return out;
    case Class::WarmUp:
      out = {verdict.settled ? "Growth that begins again and does not end would make it a leak."
                             : "Growth that stops slowing down would make it a leak."};
      break;
    case Class::Spikes:
    case Class::Sawtooth:
      out = {"A floor that rises from one low point to the next would make it a leak."};
      break;
    case Class::Shift:
      out = {"More jumps of the same kind would make it a leak in steps."};
      break;
    case Class::Steady:
      out = {"Steady growth of the floor would make it a leak."};
      break;
  }
  if (auto slower = slower_leak(verdict)) out.push_back(*std::move(slower));
  return out;
}

}  // namespace tidegauge::view
