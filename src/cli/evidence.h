// SPDX-License-Identifier: Apache-2.0
// A process beside us that looks into the job while the guard holds it still: what it is full of
// when it comes to its limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "cli/paragraphs.h"
#include "guard/evidence.h"
#include "record/census.h"
#include "record/sample.h"
#include "secrets/shown.h"

namespace tidegauge::cli {

// What was found.
struct Evidence {
  record::ProcessId process{};
  double seconds = 0;  // that it took
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::vector<record::Census::Type> types{};  // the largest, largest first
  std::vector<record::Census::Holder> holders{};
  bool holders_known = false;  // there was time to find them
  bool buffers_known = false;  // the bytes of tensors, arrays and images are counted, too
};
// Between the two processes.
std::string to_lines(const Evidence& evidence);
std::optional<Evidence> parse_evidence(std::string_view lines);
// For people: one line.
std::string words_of(const Evidence& evidence);

class EvidenceTaker {
 public:
  // Nothing if there is no process to be had: then nobody looks. Before the job begins.
  static std::optional<EvidenceTaker> start(const guard::EvidenceDesk& desk, secrets::Keys keys);

  struct Answer {
    std::optional<Evidence> found{};  // nothing: no Python that we know, no time or no room
  };
  // The next; one for each time that the guard has asked. Waits that long at most.
  std::optional<Answer> take(double wait_seconds);

 private:
  explicit EvidenceTaker(UniqueFd line) : line_(std::move(line)) {}

  UniqueFd line_;
  Paragraphs heard_{};
};

}  // namespace tidegauge::cli
