// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "view/ink.h"
#include "view/width.h"

namespace tidegauge::cli {

namespace {

using proc::Finding;
using State = Finding::State;

constexpr std::size_t kWidestName = 40;
constexpr std::size_t kNarrowestText = 20;
constexpr std::size_t kBeforeName = 4;  // two blanks, the sign, a blank

std::string_view sign_of(State state, bool unicode) {
  if (state == State::Limited) return "!";
  if (state == State::Good) return unicode ? "✓" : "+";
  return unicode ? "✗" : "x";
}

view::Tone tone_of(State state) {
  if (state == State::Good) return view::Tone::Good;
  return state == State::Limited ? view::Tone::Wait : view::Tone::Bad;
}

std::string_view word_of(State state) {
  if (state == State::Good) return "good";
  return state == State::Limited ? "limited" : "missing";
}

class Page {
 public:
  Page(std::span<const Finding> findings, const Paper& paper) : paper_(paper) {
    for (const auto& finding : findings) {
      name_ = std::max(name_, std::min(view::columns_of(finding.what), kWidestName));
    }
    const auto columns = static_cast<std::size_t>(paper.columns);
    const auto before = kBeforeName + name_ + 2;
    text_ = columns > before + kNarrowestText ? columns - before : kNarrowestText;
  }

  void add(const Finding& finding) {
    if (finding.section != section_) {
      if (!section_.empty()) out_ += '\n';
      section_ = finding.section;
      out_ += ink().bold(section_) + '\n';
    }
    const auto sign = ink().tinted(tone_of(finding.state), sign_of(finding.state, paper_.unicode));
    auto head = fmt::format("  {} {}  ", sign, view::padded_right(finding.what, name_));
    for (const auto& line : view::wrapped(finding.found, text_)) put(head, line);
    if (finding.advice.empty()) return;
    head = fmt::format("{:{}}{} ", "", kBeforeName + name_, paper_.unicode ? " →" : "->");
    for (const auto& line : view::wrapped(finding.advice, text_)) put(head, ink().bold(line));
  }

  std::string take() { return std::move(out_); }

 private:
  view::Ink ink() const { return {.colour = paper_.colour, .few = paper_.few_colours}; }

  // `head` is used up by the first line.
  void put(std::string& head, const std::string& line) {
    out_ += head + line + '\n';
    head.assign(kBeforeName + name_ + 3, ' ');
    head.pop_back();
  }

  Paper paper_;
  std::size_t name_ = 0;  // columns
  std::size_t text_ = 0;
  std::string section_;
  std::string out_;
};

std::string conclusion(std::span<const Finding> findings) {
  const auto count = [&](State state) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const Finding& finding) { return finding.state == state; });
  };
  const auto limited = count(State::Limited);
  const auto missing = count(State::Missing);
  if (limited + missing == 0) return "Nothing stands in the way.\n";
  if (missing == 0) return fmt::format("{} of {} limited.\n", limited, findings.size());
  return fmt::format("{} of {} limited, {} missing.\n", limited, findings.size(), missing);
}

}  // namespace

std::string to_text(std::span<const Finding> findings, const Paper& paper) {
  Page page(findings, paper);
  for (const auto& finding : findings) page.add(finding);
  auto text = page.take() + "\n" + conclusion(findings);
  return paper.unicode ? text : view::to_ascii(text);
}

std::string to_json(std::span<const Finding> findings, std::optional<pid_t> pid) {
  std::string out = "{\"schema\": \"tidegauge/doctor/1\", \"tool\": ";
  append_json_string(out, kTool);
  out += fmt::format(", \"pid\": {}, \"findings\": [", pid ? std::to_string(*pid) : "null");
  const auto member = [&](std::string_view name, std::string_view value) {
    out += fmt::format("\"{}\": ", name);
    append_json_string(out, value);
  };
  for (const auto& finding : findings) {
    if (&finding != findings.data()) out += ',';
    out += "\n  {";
    member("section", finding.section);
    out += ", ";
    member("what", finding.what);
    out += ", ";
    member("state", word_of(finding.state));
    out += ", ";
    member("found", finding.found);
    out += ", ";
    if (finding.advice.empty()) {
      out += "\"advice\": null";
    } else {
      member("advice", finding.advice);
    }
    out += '}';
  }
  return out + "\n]}\n";
}

}  // namespace tidegauge::cli
