// SPDX-License-Identifier: Apache-2.0
#include "cli/guard_config.h"

#include <fmt/format.h>

// toml++ 3.3 takes a part of what a file may hold ("[$") for a mistake of its caller's: it ends the
// program, or lets the compiler count upon it. It shall say what is wrong instead.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "base/units.h"

namespace tidegauge::cli {

namespace {

// A person writes it; one that is larger is another file.
constexpr std::size_t kLongest = 64 << 10;

// One setting after the other; the first that is wrong is what is said.
class Settings {
 public:
  explicit Settings(const toml::table& table) : table_(table) {}

  void take(std::string_view name, std::string& text) {
    if (const auto* node = find(name)) {
      if (const auto value = node->value_exact<std::string>()) {
        text = *value;
      } else {
        refuse(*node, name, "is a text in quotes");
      }
    }
  }
  void take(std::string_view name, bool& flag) {
    if (const auto* node = find(name)) {
      if (const auto value = node->value_exact<bool>()) {
        flag = *value;
      } else {
        refuse(*node, name, "is true or false");
      }
    }
  }
  void take(std::string_view name, int& count, int if_true) {
    const auto* node = find(name);
    if (node == nullptr) return;
    if (const auto on = node->value_exact<bool>()) {
      count = *on ? if_true : 0;
    } else if (const auto value = node->value_exact<std::int64_t>();
               value && *value >= 0 && *value <= kMostRestarts) {
      count = static_cast<int>(*value);
    } else {
      refuse(*node, name, "is true, false or a number of times");
    }
  }
  void take(std::string_view name, std::vector<std::string>& words) {
    const auto* node = find(name);
    if (node == nullptr) return;
    const auto* const list = node->as_array();
    if (list == nullptr) return refuse(*node, name, "is a list of rungs");
    for (const auto& one : *list) {
      if (const auto word = one.value_exact<std::string>()) {
        words.push_back(*word);
      } else {
        refuse(one, name, "is a list of rungs");
      }
    }
  }
  template <class Seconds>
  void take_time(std::string_view name, Seconds& seconds) {
    const auto parse = [](std::string_view text) { return parse_duration(text); };
    if (const auto value = number(name, parse, "is a time like \"10m\"")) seconds = *value;
  }
  void take_bytes(std::string_view name, std::optional<double>& bytes) {
    const auto parse = [](std::string_view text) -> std::optional<double> {
      if (const auto value = parse_bytes(text)) return static_cast<double>(*value);
      return {};
    };
    if (const auto value = number(name, parse, "is a size like \"4GB\"")) bytes = *value;
  }

  // Empty: nothing is wrong.
  std::string wrong() {
    for (const auto& [key, node] : table_) {
      bool known = false;
      for (const auto name : known_) known = known || key.str() == name;
      if (!known) refuse(node, key.str(), "is no setting of the guard's");
    }
    return wrong_;
  }

 private:
  static constexpr std::int64_t kMostRestarts = 1'000'000;

  const toml::node* find(std::string_view name) {
    known_.push_back(name);
    return table_.get(name);
  }
  void refuse(const toml::node& node, std::string_view name, std::string_view expected) {
    if (!wrong_.empty()) return;
    wrong_ = fmt::format("line {}: {} {}", node.source().begin.line, printable(name), expected);
  }
  template <class Parse>
  std::optional<double> number(std::string_view name, Parse parse, std::string_view expected) {
    const auto* node = find(name);
    if (node == nullptr) return {};
    std::optional<double> value;
    if (const auto text = node->value_exact<std::string>()) {
      value = parse(*text);
    } else if (const auto plain = node->value_exact<std::int64_t>(); plain && *plain >= 0) {
      value = static_cast<double>(*plain);
    }
    if (!value) refuse(*node, name, expected);
    return value;
  }

  const toml::table& table_;
  std::vector<std::string_view> known_{};
  std::string wrong_{};
};

std::string take_all(Settings& file, GuardOptions& options) {
  auto& settings = options.settings;
  file.take("guard-without", options.without);
  file.take_bytes("lend", settings.lend_bytes);
  file.take_bytes("reserve", settings.reserve_bytes);
  file.take_time("look-time", settings.evidence_seconds);
  file.take_time("ask-every", settings.ask_every_seconds);
  file.take_time("save-time", settings.save_seconds);
  file.take_time("grace", settings.grace_seconds);
  file.take_time("chunk", settings.chunk_seconds);
  file.take("notify", options.notify);
  file.take("webhook", options.webhook);
  file.take("desktop", options.desktop);
  file.take("restart-on-limit", options.restarts, kUsualRestarts);
  file.take("resume-with", options.resume_with);
  return file.wrong();
}

// toml++ 3.3 does not look at other letters with the care that a file needs: there are some,
// outside of quotes, upon which it does anything.
Result<> only_plain_letters(std::string_view text) {
  const auto other = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x7f || (byte < ' ' && c != '\n' && c != '\r' && c != '\t');
  });
  if (other == text.end()) return Ok{};
  return Error{Reason::Malformed,
               fmt::format("line {}: only ASCII letters are understood here; others are written as "
                           "\"\\u00e9\", in quotes",
                           1 + std::count(text.begin(), other, '\n'))};
}

}  // namespace

Result<GuardOptions> parse_guard_config(std::string_view text) {
  if (const auto plain = only_plain_letters(text); !plain) return plain.error();
  GuardOptions options;
  options.on = true;
  try {
    const auto table = toml::parse(text);
    Settings file(table);
    if (const auto wrong = take_all(file, options); !wrong.empty()) {
      return Error{Reason::Malformed, wrong};
    }
  } catch (const toml::parse_error& error) {
    return Error{Reason::Malformed, fmt::format("line {}: {}", error.source().begin.line,
                                                printable(error.description()))};
  }
  return options;
}

Result<GuardOptions> read_guard_config(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return from_errno(errno, printable(path));
  std::string text(kLongest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLongest) return Error{Reason::Malformed, printable(path) + ": is too large"};
  auto options = parse_guard_config(text);
  if (options) return options;
  return Error{options.error().reason, printable(path) + ": " + options.error().what};
}

}  // namespace tidegauge::cli
