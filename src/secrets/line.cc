// SPDX-License-Identifier: Apache-2.0
#include "secrets/line.h"

#include <algorithm>
#include <utility>

namespace tidegauge::secrets {

namespace {

bool is_operator(char c) {
  return c == '|' || c == ';' || c == '&';
}

// Splits one argument that has blanks or quotes in it.
class Splitter {
 public:
  Splitter(Line& line, std::size_t argument)
      : line_(line), argument_(argument), end_(line.arguments[argument].end) {}

  void split() { split_from(line_.arguments[argument_].begin); }

 private:
  void split_from(std::size_t at) {
    while (at < end_) {
      const char c = line_.text[at];
      if (is_blank(c) || (is_list(c) && at + 1 < end_ && begins_string(at + 1))) {
        ++at;
      } else if (is_operator(c)) {
        auto next = at;
        while (next < end_ && is_operator(line_.text[next])) ++next;
        add(at, next);
        at = next;
      } else {
        at = word(at);
      }
    }
  }

  // ['program', '-p', 'value'] of a script: what is between the strings.
  static bool is_list(char c) { return c == ',' || c == '[' || c == '(' || c == ']' || c == ')'; }
  bool begins_string(std::size_t at) const {
    return is_blank(line_.text[at]) || is_quote(line_.text[at]) || is_list(line_.text[at]);
  }

  std::size_t word(std::size_t begin) {
    if (is_quote(line_.text[begin])) {
      const auto close = line_.text.find(line_.text[begin], begin + 1);
      const bool closes = close < end_ && (close + 1 == end_ || !is_name(line_.text[close + 1]));
      if (closes) {
        add(begin + 1, close);
        split_inside(begin + 1, close);
        return close + 1;
      }
    }
    auto at = begin;
    while (at < end_ && !is_blank(line_.text[at]) && !is_operator(line_.text[at])) {
      // run(['program': the string is a word of its own.
      if (at > begin && is_quote(line_.text[at]) && is_list(line_.text[at - 1])) break;
      // a='b c': the blank is part of the word.
      const auto close =
          is_quote(line_.text[at]) ? line_.text.find(line_.text[at], at + 1) : std::string::npos;
      at = close < end_ ? close + 1 : at + 1;
    }
    add(begin, at);
    return at;
  }

  // A script in a script: ssh host "echo … | …".
  void split_inside(std::size_t begin, std::size_t end) {
    const auto text = line_.of({begin, end});
    if (nested_ || (text.find(" | ") == text.npos && text.find(" -") == text.npos)) return;
    nested_ = true;
    const auto end_outside = std::exchange(end_, end);
    split_from(begin);
    end_ = end_outside;
    nested_ = false;
  }

  void add(std::size_t begin, std::size_t end) {
    line_.words.push_back({{begin, end}, argument_, false});
  }

  Line& line_;
  std::size_t argument_;
  std::size_t end_;
  bool nested_ = false;
};

}  // namespace

Line line_of(const std::vector<std::string>& arguments, std::size_t most) {
  Line line;
  for (const auto& argument : arguments) {
    if (!line.arguments.empty()) line.text += ' ';
    const auto begin = line.text.size();
    line.text.append(argument, 0, most);
    line.arguments.push_back({begin, line.text.size()});
    const auto index = line.arguments.size() - 1;
    const auto text = line.of(line.arguments.back());
    if (text.find_first_of(" \t\r\n\"'`") == text.npos) {
      line.words.push_back({line.arguments.back(), index, true});
    } else {
      Splitter(line, index).split();
    }
    if (argument.size() + 1 >= most) break;
    most -= argument.size() + 1;
  }
  return line;
}

bool is_code(const Line& line, std::size_t argument) {
  constexpr std::string_view kBeforeCode[] = {"-c",  "-e",  "-r",        "-lc",
                                              "-ic", "-xc", "--command", "--eval"};
  if (argument > 0) {
    const auto before = line.of(line.arguments[argument - 1]);
    if (std::find(std::begin(kBeforeCode), std::end(kBeforeCode), before) !=
        std::end(kBeforeCode)) {
      return true;
    }
    // "-euxc" of a shell.
    if (before.size() > 1 && before.size() < 7 && before[0] == '-' && before[1] != '-' &&
        before.back() == 'c') {
      return true;
    }
  }
  const auto text = line.of(line.arguments[argument]);
  return text.find('\n') != text.npos || text.find("; ") != text.npos ||
         text.find(" && ") != text.npos;
}

std::optional<Span> next_value(const Line& line, std::size_t word) {
  const auto& here = line.words[word];
  if (here.whole) {
    if (here.argument + 1 == line.arguments.size()) return {};
    return line.arguments[here.argument + 1];
  }
  if (word + 1 == line.words.size() || line.words[word + 1].argument != here.argument) return {};
  return line.words[word + 1].place;
}

std::string Hidden::applied_to(std::string_view text) {
  std::sort(places_.begin(), places_.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::string out;
  out.reserve(text.size());
  std::size_t shown = 0;  // up to here it is written, or hidden
  bool after_mask = false;
  for (const auto& place : places_) {
    if (place.end <= shown) continue;
    if (place.begin > shown) {
      out += text.substr(shown, place.begin - shown);
      after_mask = false;
    }
    if (!after_mask) out += kMask;
    after_mask = true;
    shown = place.end;
  }
  return out.append(text.substr(shown));
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

}  // namespace tidegauge::secrets
