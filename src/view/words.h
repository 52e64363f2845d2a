// SPDX-License-Identifier: Apache-2.0
// The sentences that terminal, page, Markdown and JSON all show: written once, here.
#pragma once

#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace tidegauge::view {

enum class Tone { Good, Wait, Bad };  // colour of the tag; never the only sign

struct Fact {
  std::string label;   // "How fast"
  std::string value;   // "171 MiB per step"
  std::string detail;  // "since step 10"
  // Which of them it is, whatever it is called: "rate", "limit", "stays", "spikes", "cause",
  // "remedy".
  std::string id{};
};

struct Words {
  Tone tone = Tone::Good;
  std::string tag;       // "Leak", "Not a leak", "Cannot tell yet", "Steady"
  std::string note;      // beside the tag: what kind of growth and how sure; when to look again
  std::string headline;  // one sentence
  std::string lead;      // one to three sentences
  std::vector<Fact> facts;
};

// "Leak", "Not a leak": what a verdict of this class is called everywhere.
const char* tag_of(verdict::Class klass);

Words words(const verdict::Verdict& verdict);

}  // namespace tidegauge::view
