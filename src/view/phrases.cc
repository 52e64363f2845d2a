// SPDX-License-Identifier: Apache-2.0
#include "view/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "view/width.h"

namespace tidegauge::view {

namespace {

using verdict::Kind;
using verdict::Tie;

// Beyond these a number is a mistake somewhere, and no help to anybody.
constexpr double kLargestBytes = 1e18;
constexpr double kLargestSeconds = 100 * 365 * 86400.0;
constexpr double kLargestStep = 1e15;
constexpr double kMebibyte = 1 << 20;

constexpr std::size_t kNameColumns = 40;
constexpr std::size_t kSentenceColumns = 240;

bool within(double value, double largest) {
  return std::isfinite(value) && value >= 0 && value <= largest;
}

Phrase rate_phrase(double bytes, std::string_view per) {
  if (!within(bytes, kLargestBytes) || bytes < 0.5) return {};
  return fmt::format("{} per {}", format_bytes(bytes), per);
}

}  // namespace

Phrase size_phrase(double bytes) {
  if (!within(bytes, kLargestBytes)) return {};
  return format_bytes(bytes + 0.0);
}

std::string size_or_dash(double bytes) {
  return size_phrase(bytes).value_or("-");
}

Phrase duration_phrase(double seconds) {
  if (!within(seconds, kLargestSeconds)) return {};
  return format_duration(seconds + 0.0);  // + 0.0: no "-0"
}

Phrase step_phrase(std::optional<double> step) {
  if (!step || !within(*step, kLargestStep)) return {};
  return fmt::format("step {}", std::llround(*step));
}

Phrase place_phrase(const verdict::Settled& settled) {
  if (const auto step = step_phrase(settled.at_step)) return "at " + *step;
  if (settled.at_seconds) {
    if (const auto time = duration_phrase(*settled.at_seconds)) return "after " + *time;
  }
  return {};
}

Phrase per_step_phrase(std::optional<double> bytes_per_step) {
  if (!bytes_per_step) return {};
  return rate_phrase(*bytes_per_step, "step");
}

Phrase per_time_phrase(std::optional<double> bytes_per_minute) {
  if (!bytes_per_minute || !std::isfinite(*bytes_per_minute)) return {};
  const double per_minute = *bytes_per_minute;
  if (per_minute >= kMebibyte) return rate_phrase(per_minute, "minute");
  if (per_minute * 60 >= kMebibyte) return rate_phrase(per_minute * 60, "hour");
  return rate_phrase(per_minute * 60 * 24, "day");
}

Phrase growth_phrase(const verdict::Verdict& verdict) {
  if (verdict.bytes_per_step) {
    if (auto phrase = per_step_phrase(verdict.bytes_per_step->value)) return phrase;
  }
  if (!verdict.bytes_per_minute) return {};
  return per_time_phrase(verdict.bytes_per_minute->value);
}

Phrase ahead_phrase(const verdict::Verdict& verdict, double amount) {
  if (verdict.duration_seconds > 0) return duration_phrase(amount);
  if (!within(amount, kLargestStep)) return {};
  const auto steps = std::llround(amount);
  return fmt::format("{} step{}", steps, steps == 1 ? "" : "s");
}

std::string limit_kind_phrase(std::string_view limit_kind) {
  if (limit_kind == "ram") return "RAM";
  if (limit_kind == "cgroup") return "cgroup limit";
  if (limit_kind == "dev_shm") return "/dev/shm";
  if (limit_kind == "given") return "given limit";
  return limit_kind.empty() ? "limit" : shown(limit_kind, kNameColumns);
}

Phrase limit_phrase(const verdict::Verdict& verdict) {
  const bool own = verdict.limit_bytes.has_value();
  if (!own && !verdict.forecast) return {};
  const auto size = size_phrase(own ? *verdict.limit_bytes : verdict.forecast->limit_bytes);
  if (!size) return {};
  const auto& kind = own ? verdict.limit_kind : verdict.forecast->limit_kind;
  return fmt::format("{} ({})", *size, limit_kind_phrase(kind));
}

std::string subject_phrase(const verdict::Subject& subject) {
  const auto name = shown(subject.name, kNameColumns);
  const bool whole = !subject.process && name == "tree";  // as the gauge calls it
  return name.empty() || whole ? "The job" : name;
}

std::string memory_phrase(verdict::Kind kind) {
  switch (kind) {
    case Kind::Anon:
      return "Anonymous memory";
    case Kind::File:
      return "File-backed memory";
    case Kind::Shmem:
      return "Shared memory";
    case Kind::Swap:
      return "Swapped memory";
    case Kind::Gpu:
      return "GPU memory";
    case Kind::Total:
    case Kind::Rss:
    case Kind::Private:
    case Kind::Pss:
    case Kind::Other:
      break;
  }
  return "Memory";
}

Phrase tie_phrase(verdict::Tie tie, std::string_view phase) {
  switch (tie) {
    case Tie::Eval:
      return "evaluation";
    case Tie::Save:
      return "saving";
    case Tie::Compile:
      return "compilation";
    case Tie::Epoch:
      return "the end of an epoch";
    case Tie::Phase: {
      const auto name = shown(phase, kNameColumns);
      return name.empty() ? "a phase of the job" : fmt::format("the phase “{}”", name);
    }
    case Tie::None:
    case Tie::Time:
    case Tie::Step:
    case Tie::FirstPass:
      break;
  }
  return {};
}

std::string confidence_phrase(double confidence) {
  if (!std::isfinite(confidence)) return "Confidence unknown.";
  // Never "100 %": no amount of looking gives that.
  const auto percent = std::clamp(std::llround(confidence * 100), 0LL, 99LL);
  return fmt::format("Confidence {}\u00A0%.", percent);
}

const char* stays(const verdict::Verdict& verdict) {
  return verdict.job_ended ? "stayed" : "stays";
}

const char* come_and_go(const verdict::Verdict& verdict) {
  return verdict.job_ended ? "came and went" : "come and go";
}

std::string shown(std::string_view text, std::size_t columns) {
  return clipped(trimmed(printable(text)), columns);
}

std::string shown_way(std::string_view text, std::size_t columns) {
  return clipped_inside(trimmed(printable(text)), columns);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (auto& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string as_sentence(std::string_view text) {
  auto sentence = shown(text, kSentenceColumns);
  while (!sentence.empty() &&
         std::string_view(".;:, ").find(sentence.back()) != std::string::npos) {
    sentence.pop_back();
  }
  if (sentence.empty()) return sentence;
  // A sentence that begins with a small letter and tells of a process begins with its name.
  const bool has_name = sentence.find(" (pid ") != std::string::npos;
  return (has_name ? sentence : capitalised(std::move(sentence))) + ".";
}

}  // namespace tidegauge::view
