// SPDX-License-Identifier: Apache-2.0
// The lists of tests/secrets: command lines in which secrets are marked. The notation is in their
// README.
#pragma once

#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::secrets {

struct ShapeLine {
  std::string written{};  // in the list
  std::vector<std::string> arguments{};
  std::vector<std::string> hidden{};  // must not be shown
};

class ShapeReader {
 public:
  explicit ShapeReader(unsigned seed) : random_(seed) {}

  std::vector<ShapeLine> read(const std::string& path) {
    std::vector<ShapeLine> lines;
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
      if (text.empty() || text[0] == '#') continue;
      lines.push_back(parse(text));
    }
    return lines;
  }

  ShapeLine parse(const std::string& written) {
    ShapeLine line{.written = written};
    text_ = with_random(written);
    at_ = 0;
    while (at_ < text_.size()) {
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      if (at_ < text_.size()) line.arguments.push_back(argument(line));
    }
    return line;
  }

 private:
  std::string argument(ShapeLine& line) {
    std::string out;
    std::size_t secret = 0;
    bool in_secret = false;
    char quote = '\0';
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const auto rest = std::string_view(text_).substr(at_);
      if (rest.starts_with("{{") && !in_secret) {
        in_secret = true;
        secret = out.size();
        ++at_;
      } else if (rest.starts_with("}}") && in_secret) {
        in_secret = false;
        line.hidden.push_back(out.substr(secret));
        ++at_;
      } else if (quote == '\0' && c == ' ' && !in_secret) {
        break;
      } else if (c == quote || (quote == '\0' && (c == '\'' || c == '"'))) {
        quote = c == quote ? '\0' : c;
      } else if (c == '\\' && quote != '\'' && at_ + 1 < text_.size()) {
        const char next = text_[++at_];
        out += quote == '"' && next == 'n' ? '\n' : next;
      } else {
        out += c;
      }
    }
    return out;
  }

  // <base62:40>
  std::string with_random(std::string_view text) {
    static constexpr std::pair<std::string_view, std::string_view> kAlphabets[] = {
        {"hex", "0123456789abcdef"},
        {"digits", "0123456789"},
        {"lower", "abcdefghijklmnopqrstuvwxyz0123456789"},
        {"upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"},
        {"base62", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"},
        {"base64url", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"},
        {"base64", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"},
    };
    std::string out;
    while (!text.empty()) {
      const auto end = text.find('>');
      const auto colon = text.find(':');
      std::string_view letters;
      if (text[0] == '<' && end != text.npos && colon < end) {
        for (const auto& [name, all] : kAlphabets) {
          if (text.substr(1, colon - 1) == name) letters = all;
        }
      }
      if (letters.empty()) {
        out += text[0];
        text.remove_prefix(1);
        continue;
      }
      const auto count = std::stoul(std::string(text.substr(colon + 1, end - colon - 1)));
      for (std::size_t i = 0; i < count; ++i) out += letters[random_() % letters.size()];
      text.remove_prefix(end + 1);
    }
    return out;
  }

  std::mt19937 random_;
  std::string text_{};
  std::size_t at_ = 0;
};

// Of a long secret, not even a part of it.
inline bool shows(std::string_view shown, std::string_view secret) {
  constexpr std::size_t kPart = 12;
  if (secret.size() <= kPart) return shown.find(secret) != shown.npos;
  for (std::size_t i = 0; i + kPart <= secret.size(); ++i) {
    if (shown.find(secret.substr(i, kPart)) != shown.npos) return true;
  }
  return false;
}

}  // namespace tidegauge::secrets
