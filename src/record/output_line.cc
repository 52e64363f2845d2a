// SPDX-License-Identifier: Apache-2.0
#include "record/output_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/text.h"

namespace tidegauge::record {

namespace {

using Text = std::string_view;

constexpr double kLargestCount = 1e12;  // beyond that it is no count of steps

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string lower(Text text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

void skip_blanks(Text& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Takes a whole number off the front. One with a fraction or a unit ("1.2k") is none.
std::optional<double> take_count(Text& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = to_number<double>(text.substr(0, end));
  if (end == 0 || !number || *number > kLargestCount) return {};
  const auto after = text.substr(end);
  if (!after.empty() && is_word(after[0])) return {};
  if (after.size() > 1 && (after[0] == '.' || after[0] == ',') && is_digit(after[1])) return {};
  text = after;
  return number;
}

// "120/1000", "120 / 1000", "120 of 1000" or "120".
std::optional<Tally> take_tally(Text& text) {
  const auto number = take_count(text);
  if (!number) return {};
  Tally tally{*number, {}};
  auto rest = text;
  skip_blanks(rest);
  if (!rest.starts_with("/") && !rest.starts_with("of ")) return tally;
  rest.remove_prefix(rest[0] == '/' ? 1 : 3);
  skip_blanks(rest);
  const auto total = take_count(rest);
  if (!total || *total < *number) return {};
  text = rest;
  tally.total = total;
  return tally;
}

// The number behind the first `word` that stands alone: "step 12", "Step: 12/40", "[epoch 2]".
std::optional<Tally> tally_after(Text line, Text lowered, Text word) {
  for (auto at = lowered.find(word); at != Text::npos; at = lowered.find(word, at + 1)) {
    if (at > 0 && is_word(lowered[at - 1])) continue;
    auto rest = line.substr(at + word.size());
    const auto gap = std::min(rest.find_first_not_of(" :=#[\"'"), rest.size());
    if (gap == 0 || gap > 4) continue;
    rest.remove_prefix(gap);
    if (const auto tally = take_tally(rest)) return tally;
  }
  return {};
}

bool has_any(Text text, std::initializer_list<Text> words) {
  return std::any_of(words.begin(), words.end(),
                     [text](Text word) { return text.find(word) != Text::npos; });
}

bool is_evaluation(Text label) {
  const auto words = " " + std::string(label) + " ";
  return has_any(words, {"valid", "eval", "sanity", "test", "predict", "infer", " val "});
}

// Work that is not training, by what it calls itself.
bool is_other_work(Text label) {
  return is_evaluation(label) ||
         has_any(label, {"load",    "map",    "token",   "filter",  "generat", "fetch",
                         "extract", "prepar", "sav",     "convert", "resolv",  "cach",
                         "creat",   "copy",   "process", "cast",    "flatten", "group",
                         "pack",    "index",  "shard",   "quanti",  "merg"});
}

// A bar's name without its numbers.
std::string without_numbers(Text label) {
  std::string result;
  for (const char c : label) {
    if (!is_digit(c) && c != '/' && c != '[' && c != ']' && c != ':') result += c;
  }
  return std::string(trimmed(result));
}

enum class Counts { Steps, Epochs, Else };

// What "12.0it/s", " 1.2s/it", "?step/s" count.
Counts unit_of(Text rate) {
  const auto slash = rate.rfind('/');
  if (slash == Text::npos) return Counts::Else;
  auto before = trimmed(rate.substr(0, slash));
  auto after = trimmed(rate.substr(slash + 1));
  before.remove_prefix(std::min(before.find_first_not_of("0123456789.?"), before.size()));
  const auto unit = lower(after == "s" ? before : after);
  constexpr std::array<Text, 7> kSteps = {"it",    "step",  "steps",  "iter",
                                          "iters", "batch", "batches"};
  if (std::find(kSteps.begin(), kSteps.end(), unit) != kSteps.end()) return Counts::Steps;
  return unit == "epoch" || unit == "epochs" ? Counts::Epochs : Counts::Else;
}

// The rate in "[00:10<01:13, 12.0it/s, loss=0.5]" or "[00:10, 12.0it/s]", without the brackets.
Counts unit_of_times(Text times) {
  const auto comma = times.find(", ");
  if (comma == Text::npos) return Counts::Else;
  const auto rest = times.substr(comma + 2);
  return unit_of(rest.substr(0, rest.find(',')));
}

struct Bar {
  Text label;
  Tally tally;
  Text times;
};

// "label:  12%|███   | 120/1000 [times]"
std::optional<Bar> split_bar(Text line) {
  const auto percent = line.find("%|");
  if (percent == Text::npos) return {};
  auto start = percent;
  while (start > 0 && is_digit(line[start - 1])) --start;
  const auto share = to_number<double>(line.substr(start, percent - start));
  const auto close = line.find("| ", percent + 2);
  if (!share || close == Text::npos) return {};
  auto rest = line.substr(close + 2);
  skip_blanks(rest);
  const auto tally = take_tally(rest);
  if (!tally || !tally->total || *tally->total <= 0) return {};
  if (std::abs(*share - 100 * tally->number / *tally->total) > 1) return {};
  if (!rest.starts_with(" [") || !rest.ends_with("]")) return {};
  return Bar{trimmed(line.substr(0, start)), *tally, rest.substr(2, rest.size() - 3)};
}

// "label: 120it [00:10, 12.0it/s]": nobody knows how many there will be.
std::optional<Bar> split_endless_bar(Text line) {
  const auto open = line.rfind(" [");
  if (open == Text::npos || !line.ends_with("]")) return {};
  const auto head = line.substr(0, open);
  auto end = head.size();
  while (end > 0 && !is_digit(head[end - 1])) --end;
  auto start = end;
  while (start > 0 && is_digit(head[start - 1])) --start;
  auto digits = head.substr(start, end - start);
  const auto unit = head.substr(end);
  const auto number = take_count(digits);
  const bool alone = start == 0 || head[start - 1] == ' ';
  if (!number || !alone || unit.empty() || unit_of(std::string(unit) + "/s") == Counts::Else)
    return {};
  const auto times = line.substr(open + 2, line.size() - open - 3);
  return Bar{trimmed(head.substr(0, start)), {*number, {}}, times};
}

// Keras: " 120/1875 [=>......] - ETA: 5s" and " 120/1875 ━━━━━━ 5s 3ms/step - loss: 0.3"
std::optional<Told> parse_keras(Text line) {
  auto rest = trimmed(line);
  const auto tally = take_tally(rest);
  if (!tally || !tally->total) return {};
  skip_blanks(rest);
  const auto after_arrow = rest.find_first_not_of("=>.", 1);
  const bool arrow = rest.starts_with("[") && after_arrow != Text::npos && after_arrow > 5 &&
                     rest[after_arrow] == ']';
  if (!arrow && !rest.starts_with("\u2501")) return {};
  return Told{.step = tally, .counter = "keras"};
}

// HF Trainer: {'loss': 1.23, 'grad_norm': 0.5, 'learning_rate': 5e-05, 'epoch': 0.12}
std::optional<Told> parse_trainer_log(Text line) {
  if (!line.starts_with("{'") || line.find("loss'") == Text::npos) return {};
  constexpr Text kKey = "'epoch': ";
  const auto at = line.find(kKey);
  if (at == Text::npos) return {};
  auto value = line.substr(at + kKey.size());
  value = value.substr(0, value.find_first_of(",}"));
  if (value.size() > 2 && value.front() == '\'' && value.back() == '\'') {
    value = value.substr(1, value.size() - 2);
  }
  const auto epoch = to_number<double>(value);
  if (!epoch || !(*epoch >= 0 && *epoch < kLargestCount)) return {};
  return Told{.epoch = Tally{*epoch, {}}, .counter = "trainer"};
}

// "step 120/1000", "iter 300: loss 2.1", "[epoch 2][step 40]", "Epoch: [2][ 40/5005]", "Epoch 2/10"
std::optional<Told> parse_words(Text line) {
  const auto lowered = lower(line);
  if (is_evaluation(lowered.substr(0, lowered.find_first_of("0123456789")))) return {};
  Told told;
  told.epoch = tally_after(line, lowered, "epoch");
  for (const Text word : {"global_step", "step", "iteration", "iter", "steps"}) {
    if (told.step) break;
    told.step = tally_after(line, lowered, word);
    if (told.step) told.counter = word;
  }
  const auto both = lowered.find("][");
  if (told.epoch && !told.step && both != Text::npos) {
    auto rest = line.substr(both + 2);
    skip_blanks(rest);
    told.step = take_tally(rest);
    if (told.step) told.counter = "epoch step";
  }
  if (!told.step && !told.epoch) return {};
  if (told.counter.empty()) told.counter = "epoch";
  return told;
}

}  // namespace

std::optional<Told> parse_bar(Text line) {
  line = trimmed(line);
  auto bar = split_bar(line);
  if (!bar) bar = split_endless_bar(line);
  if (!bar) return {};
  const auto label = lower(trimmed(bar->label.substr(0, bar->label.rfind(':'))));
  const auto counts = unit_of_times(bar->times);
  if (counts == Counts::Else || is_other_work(label)) return {};
  Told told;
  told.counter = "bar " + without_numbers(label);
  told.epoch = tally_after(bar->label, label, "epoch");
  // "Epochs:  30%|███  | 3/10": three are done, and the one with number 3 begins.
  const bool of_epochs = counts == Counts::Epochs || (label.starts_with("epoch") && !told.epoch);
  if (of_epochs && bar->tally.number == bar->tally.total) return {};  // none is left to begin
  (of_epochs ? told.epoch : told.step) = bar->tally;
  return told;
}

std::optional<Told> parse_output_line(Text line) {
  line = trimmed(line);
  if (auto told = parse_bar(line)) return told;
  if (line.find("%|") != Text::npos) return {};  // a bar that is not for us is not words either
  if (auto told = parse_trainer_log(line)) return told;
  if (auto told = parse_keras(line)) return told;
  return parse_words(line);
}

}  // namespace tidegauge::record
