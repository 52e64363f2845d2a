// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "proc/secret_words.h"

namespace tidegauge::proc {

namespace {

enum class Alphabet { Alnum, UpperDigit, Word, Dashed };  // Word: with _; Dashed: with _ and -

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
    {"AKIA", Alphabet::UpperDigit, 16},
    {"ASIA", Alphabet::UpperDigit, 16},
    {"hf_", Alphabet::Alnum, 20},
    {"api_org_", Alphabet::Alnum, 20},
    {"ghp_", Alphabet::Alnum, 20},
    {"gho_", Alphabet::Alnum, 20},
    {"ghu_", Alphabet::Alnum, 20},
    {"ghs_", Alphabet::Alnum, 20},
    {"ghr_", Alphabet::Alnum, 20},
    {"github_pat_", Alphabet::Word, 20},
    {"glpat-", Alphabet::Dashed, 16},
    {"glptt-", Alphabet::Dashed, 16},
    {"sk-proj-", Alphabet::Dashed, 16},
    {"sk-ant-", Alphabet::Dashed, 16},
    {"sk-or-", Alphabet::Dashed, 16},
    {"sk-svcacct-", Alphabet::Dashed, 16},
    {"sk-", Alphabet::Alnum, 20},
    {"sk_live_", Alphabet::Alnum, 16},
    {"sk_test_", Alphabet::Alnum, 16},
    {"rk_live_", Alphabet::Alnum, 16},
    {"pk_live_", Alphabet::Alnum, 16},
    {"whsec_", Alphabet::Alnum, 16},
    {"xoxb-", Alphabet::Dashed, 10},
    {"xoxp-", Alphabet::Dashed, 10},
    {"xoxa-", Alphabet::Dashed, 10},
    {"xoxr-", Alphabet::Dashed, 10},
    {"xoxs-", Alphabet::Dashed, 10},
    {"xapp-", Alphabet::Dashed, 10},
    {"AIza", Alphabet::Dashed, 30},
    {"ya29.", Alphabet::Dashed, 20},
    {"npm_", Alphabet::Alnum, 30},
    {"pypi-", Alphabet::Dashed, 40},
    {"dckr_pat_", Alphabet::Dashed, 16},
    {"r8_", Alphabet::Alnum, 30},
    {"nvapi-", Alphabet::Dashed, 20},
    {"gsk_", Alphabet::Alnum, 30},
    {"dop_v1_", Alphabet::Alnum, 30},
    {"lin_api_", Alphabet::Alnum, 20},
    {"shpat_", Alphabet::Alnum, 20},
    {"hvs.", Alphabet::Dashed, 20},
    {"wandb_v1_", Alphabet::Word, 20},
    {"AGE-SECRET-KEY-1", Alphabet::UpperDigit, 20},
    {"hooks.slack.com/services/", Alphabet::Dashed, 4},
};

// Where the rest of the words, as in an address, belongs to the token.
constexpr std::string_view kSlackHook = "hooks.slack.com/services/";
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

}  // namespace

std::size_t token_length(std::string_view text) {
  for (const auto& make : kMakes) {
    if (!text.starts_with(make.prefix)) continue;
    const auto rest = text.substr(make.prefix.size());
    const auto length = run_of(make.alphabet, rest);
    if (length < make.shortest) continue;
    if (make.prefix == kSlackHook) {
      return make.prefix.size() + std::min(rest.find_first_of(" \t\n\"'"), rest.size());
    }
    // What follows without a break belongs to it, whatever its maker says.
    return make.prefix.size() + run_of(Alphabet::Dashed, rest);
  }
  if (const auto length = jwt_length(text)) return length;
  return private_key_length(text);
}

}  // namespace tidegauge::proc
