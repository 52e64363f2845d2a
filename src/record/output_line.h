// SPDX-License-Identifier: Apache-2.0
// What a line of a job's output tells about its progress. Pure functions of one line without
// escape sequences.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidegauge::record {

struct Tally {
  double number = 0;
  std::optional<double> total{};

  bool operator==(const Tally&) const = default;
};

struct Told {
  std::optional<Tally> step{};
  std::optional<Tally> epoch{};  // HF's is a fraction
  // Which of the things that count it is: "tqdm train", "keras", "iter". Numbers are taken out, so
  // that the bars of two epochs are one.
  std::string counter{};

  bool operator==(const Told&) const = default;
};

// A tqdm bar, as HF Trainer and Lightning show it too, up to its closing bracket:
//   train:  12%|█▏        | 120/1000 [00:10<01:13, 12.0it/s, loss=0.5]
// Only those that count steps or epochs: not downloads, not examples being mapped, no evaluation.
std::optional<Told> parse_bar(std::string_view line);

// Any of the forms that are known, see output_line_test.cc.
std::optional<Told> parse_output_line(std::string_view line);

}  // namespace tidegauge::record
