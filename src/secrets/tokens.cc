// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "secrets/finders.h"
#include "secrets/values.h"

namespace tidegauge::secrets {

namespace {

// Word: with _; Dashed: with _ and -; Token: with dots as well.
enum class Alphabet { Alnum, UpperDigit, Word, Dashed, Token };

bool is_in(Alphabet alphabet, char c) {
  const bool upper_digit = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  const bool alnum = upper_digit || (c >= 'a' && c <= 'z');
  switch (alphabet) {
    case Alphabet::UpperDigit:
      return upper_digit;
    case Alphabet::Alnum:
      return alnum;
    case Alphabet::Word:
      return alnum || c == '_';
    case Alphabet::Dashed:
      return alnum || c == '_' || c == '-';
    case Alphabet::Token:
      return alnum || c == '_' || c == '-' || c == '.';
  }
  return false;
}

std::size_t run_of(Alphabet alphabet, std::string_view text) {
  const auto end =
      std::find_if(text.begin(), text.end(), [&](char c) { return !is_in(alphabet, c); });
  return static_cast<std::size_t>(end - text.begin());
}

// A prefix that its maker gave to all its tokens, and what follows it.
struct Make {
  std::string_view prefix;
  Alphabet alphabet;
  std::size_t shortest;  // without the prefix
};
constexpr Make kMakes[] = {
    {"AKIA", Alphabet::UpperDigit, 16},  {"ASIA", Alphabet::UpperDigit, 16},
    {"hf_", Alphabet::Alnum, 20},        {"api_org_", Alphabet::Alnum, 20},
    {"ghp_", Alphabet::Alnum, 20},       {"gho_", Alphabet::Alnum, 20},
    {"ghu_", Alphabet::Alnum, 20},       {"ghs_", Alphabet::Alnum, 20},
    {"ghr_", Alphabet::Alnum, 20},       {"github_pat_", Alphabet::Word, 20},
    {"glpat-", Alphabet::Dashed, 16},    {"glptt-", Alphabet::Dashed, 16},
    {"sk-proj-", Alphabet::Dashed, 16},  {"sk-ant-", Alphabet::Dashed, 16},
    {"sk-or-", Alphabet::Dashed, 16},    {"sk-svcacct-", Alphabet::Dashed, 16},
    {"sk-", Alphabet::Alnum, 20},        {"sk_live_", Alphabet::Alnum, 16},
    {"sk_test_", Alphabet::Alnum, 16},   {"rk_live_", Alphabet::Alnum, 16},
    {"pk_live_", Alphabet::Alnum, 16},   {"whsec_", Alphabet::Alnum, 16},
    {"xoxb-", Alphabet::Dashed, 10},     {"xoxp-", Alphabet::Dashed, 10},
    {"xoxa-", Alphabet::Dashed, 10},     {"xoxr-", Alphabet::Dashed, 10},
    {"xoxs-", Alphabet::Dashed, 10},     {"xapp-", Alphabet::Dashed, 10},
    {"AIza", Alphabet::Dashed, 30},      {"ya29.", Alphabet::Dashed, 20},
    {"npm_", Alphabet::Alnum, 30},       {"pypi-", Alphabet::Dashed, 40},
    {"dckr_pat_", Alphabet::Dashed, 16}, {"r8_", Alphabet::Alnum, 30},
    {"nvapi-", Alphabet::Dashed, 20},    {"gsk_", Alphabet::Alnum, 30},
    {"dop_v1_", Alphabet::Alnum, 30},    {"lin_api_", Alphabet::Alnum, 20},
    {"shpat_", Alphabet::Alnum, 20},     {"hvs.", Alphabet::Dashed, 20},
    {"wandb_v1_", Alphabet::Word, 20},   {"AGE-SECRET-KEY-1", Alphabet::UpperDigit, 20},
    {"SG.", Alphabet::Dashed, 16},       {"GOCSPX-", Alphabet::Dashed, 16},
    {"glsa_", Alphabet::Word, 20},       {"tskey-", Alphabet::Dashed, 16},
    {"dapi", Alphabet::Alnum, 32},       {"PMAK-", Alphabet::Dashed, 20},
    {"xkeysib-", Alphabet::Dashed, 20},  {"shpss_", Alphabet::Alnum, 20},
    {"sbp_", Alphabet::Alnum, 20},       {"ATATT3", Alphabet::Dashed, 20},
    {"EAAC", Alphabet::Alnum, 60},
};

constexpr std::string_view kPrivateKey = "-----BEGIN ";
constexpr std::string_view kKeyEnd = "-----END ";

// Header, payload and signature, each base64 and the first one JSON: "eyJ" is '{"'.
std::size_t jwt_length(std::string_view text) {
  constexpr std::size_t kShortestPart = 8;
  if (!text.starts_with("eyJ")) return 0;
  std::size_t length = run_of(Alphabet::Dashed, text);
  if (length < kShortestPart || length >= text.size() || text[length] != '.') return 0;
  const auto payload = run_of(Alphabet::Dashed, text.substr(length + 1));
  if (payload < kShortestPart) return 0;
  length += 1 + payload;
  while (length < text.size() && text[length] == '.') {
    length += 1 + run_of(Alphabet::Dashed, text.substr(length + 1));
  }
  return length;
}

std::size_t private_key_length(std::string_view text) {
  if (!text.starts_with(kPrivateKey)) return 0;
  const auto title = text.substr(0, text.find("-----", kPrivateKey.size()));
  if (title.find("PRIVATE KEY") == title.npos) return 0;
  const auto end = text.find(kKeyEnd);
  if (end == text.npos) return text.size();
  const auto line_end = text.find("-----", end + kKeyEnd.size());
  return line_end == text.npos ? text.size() : line_end + 5;
}

// A part between slashes that is a word: it is a path.
bool has_word(std::string_view path) {
  constexpr std::size_t kShortest = 2;
  if (path.find('/') == path.npos) return false;
  while (true) {
    const auto end = std::min(path.find('/'), path.size());
    const auto part = path.substr(0, end);
    if (part.size() >= kShortest && std::all_of(part.begin(), part.end(), is_lower)) return true;
    if (end == path.size()) return false;
    path.remove_prefix(end + 1);
  }
}

// A run of the letters of base64, with slashes only where it cannot be a path.
void hide_if_random(std::string_view text, Span run, Hidden& hidden) {
  const auto word = text.substr(run.begin, run.end - run.begin);
  constexpr std::size_t kShortest = 20;
  if (word.size() < kShortest) return;
  const auto slashes = static_cast<std::size_t>(std::count(word.begin(), word.end(), '/'));
  constexpr std::size_t kOften = 8;  // in base64 a slash is one of 64 characters
  // "--x-TOKEN": the name of an option is shown.
  const bool one = word[0] != '-' && slashes * kOften < word.size() && !has_word(word);
  if (one && is_random(word)) return hidden.add(run);
  // Behind words: "service-account-…"; and in a path.
  for (auto begin = run.begin; begin < run.end;) {
    const auto end = std::min(text.find_first_of("/-_", begin), run.end);
    if (is_random(text.substr(begin, end - begin))) hidden.add({begin, end});
    begin = end + 1;
  }
}

bool is_base64(char c) {
  return is_in(Alphabet::Dashed, c) || c == '/' || c == '+';
}

// Words as a script, a call or a list has them.
bool ends_word(char c) {
  return is_blank(c) || is_quote(c) ||
         std::string_view(",;()[]{}<>|&=:/\\?").find(c) != std::string_view::npos;
}

void hide_typed(std::string_view text, Hidden& hidden) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto begin = at;
    while (at < text.size() && !ends_word(text[at])) ++at;
    if (is_typed_password(text.substr(begin, at - begin))) hidden.add({begin, at});
  }
}

}  // namespace

std::size_t token_length(std::string_view text) {
  constexpr std::string_view kFirst = "ADEGPSaghdklnprswxyt-";
  if (text.empty() || kFirst.find(text[0]) == kFirst.npos) {
    return text.starts_with("eyJ") ? jwt_length(text) : 0;
  }
  for (const auto& make : kMakes) {
    if (!text.starts_with(make.prefix)) continue;
    const auto rest = text.substr(make.prefix.size());
    const auto length = run_of(make.alphabet, rest);
    if (length < make.shortest) continue;
    // What follows without a break belongs to it, whatever its maker says.
    return make.prefix.size() + run_of(Alphabet::Token, rest);
  }
  if (const auto length = jwt_length(text)) return length;
  return private_key_length(text);
}

void hide_tokens(std::string_view text, Hidden& hidden) {
  std::size_t at = 0;
  while (at < text.size()) {
    const bool boundary = at == 0 || !is_alnum(text[at - 1]);
    if (const auto length = boundary ? token_length(text.substr(at)) : 0) {
      hidden.add({at, at + length});
      at += length;
    } else {
      ++at;
    }
  }
  hide_typed(text, hidden);
  for (at = 0; at < text.size();) {
    const auto begin = at;
    while (at < text.size() && is_base64(text[at])) ++at;
    const auto end = at;
    // Of base64, the padding at its end.
    while (at > begin && at < text.size() && text[at] == '=') ++at;
    if (begin < end) hide_if_random(text, {begin, end}, hidden);
    if (at == begin) ++at;
  }
}

}  // namespace tidegauge::secrets
