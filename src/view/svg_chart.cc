// SPDX-License-Identifier: Apache-2.0
#include "view/svg_chart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "view/axis.h"
#include "view/outlook.h"
#include "view/phrases.h"
#include "view/words.h"

namespace tidegauge::view {

namespace {

constexpr double kWidth = 900;
constexpr double kHeight = 320;
constexpr double kLeft = 62;
constexpr double kRight = 30;
constexpr double kTop = 26;
constexpr double kBottom = 34;
constexpr double kHeadroom = 1.14;
// A limit this many times above everything else would press the curve flat: it is named instead.
constexpr double kLimitWithin = 3.5;
constexpr std::size_t kMostPoints = 900;  // one for each pixel
constexpr int kTicks = 9;

constexpr const char* kStyle =
    "<style>text{font:600 11.5px system-ui,sans-serif}.axis{font-weight:500;fill:#475B66}"
    ".grid{stroke:#E7EDF0}.floor{fill:none;stroke:#0A6078;stroke-width:2.5}"
    ".stays{fill:#0A6078;fill-opacity:.16}.above{fill:#4F97AD;fill-opacity:.34}"
    ".limit{stroke:#A3102F;stroke-width:1.5}.bad{fill:#A3102F}.ok{fill:#0A6B5C}"
    ".ring{fill:#FFF;stroke:#0A6B5C;stroke-width:2.5}.fan{stroke:#C27A00;stroke-width:2;"
    "stroke-dasharray:6 4}.wait{fill:#8A6100}.phase{fill:#6E54A8;fill-opacity:.13}"
    ".card{fill:#FFF}.mark{stroke:#475B66;stroke-dasharray:2 3}"
    "@media(prefers-color-scheme:dark){.card{fill:#101C23}.axis{fill:#9FB3BE}.grid{stroke:#1A2932}"
    ".floor{stroke:#56C4DE}.stays{fill:#56C4DE}.above{fill:#6FA3B5}.limit{stroke:#FF8F7D}"
    ".bad{fill:#FF8F7D}.ok{fill:#5CCDB6}.ring{fill:#101C23;stroke:#5CCDB6}.fan{stroke:#F0BC55}"
    ".wait{fill:#F0BC55}.phase{fill:#A48CE2}.mark{stroke:#9FB3BE}}</style>";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

class Picture {
 public:
  Picture(const Report& report, Outlook outlook)
      : report_(report),
        outlook_(outlook),
        columns_(tree_columns(report.timeline, report.accounts.progress)) {
    from_ = report.timeline.tree().rows().front().from;
    to_ = std::max(outlook_.until, from_ + 1e-3);
    double highest = 1;
    for (const auto& column : columns_) highest = std::max(highest, column.high);
    if (outlook_.bounded) highest = std::max(highest, outlook_.bounded_level);
    if (outlook_.limit_bytes) {
      outlook_.limit_shown = *outlook_.limit_bytes <= kLimitWithin * highest ||
                             (outlook_.fan && outlook_.p50 <= outlook_.until);
      if (outlook_.limit_shown) highest = std::max(highest, *outlook_.limit_bytes);
    }
    top_ = highest * kHeadroom;
  }

  std::string drawn() {
    open();
    draw_phases();
    draw_axes();
    draw_curves();
    if (!report_.verdicts.all.empty()) draw_verdict(report_.verdicts.all.front());
    return out_ + "</svg>\n";
  }

 private:
  double x(double seconds) const {
    return kLeft +
           std::clamp((seconds - from_) / (to_ - from_), 0.0, 1.0) * (kWidth - kLeft - kRight);
  }
  double y(double bytes) const {
    return kHeight - kBottom - std::clamp(bytes / top_, 0.0, 1.0) * (kHeight - kTop - kBottom);
  }
  void open() {
    const auto& verdicts = report_.verdicts.all;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\" aria-label=\"{2}\">{3}<rect class=\"card\" width=\"{0}\" "
        "height=\"{1}\" rx=\"12\"/>\n",
        kWidth, kHeight,
        verdicts.empty() ? "Memory of the job" : escaped(words(verdicts.front()).headline), kStyle);
  }
  void text(double at_x, double at_y, const char* kind, const char* anchor, std::string_view what) {
    out_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n",
                    at_x, at_y, kind, anchor, escaped(what));
  }
  void line(double x0, double y0, double x1, double y1, const char* kind) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x0, y0,
        x1, y1, kind);
  }
  void draw_phases();
  void draw_axes();
  void draw_curves();
  void draw_verdict(const verdict::Verdict& verdict);
  template <class Value>
  std::vector<std::string> points(Value value) const;

  const Report& report_;
  Outlook outlook_;
  std::vector<Column> columns_;
  double from_ = 0;
  double to_ = 1;
  double top_ = 1;
  std::string out_{};
};

void Picture::draw_phases() {
  for (const auto& phase : report_.accounts.progress.phases()) {
    const double begin = x(phase.begin);
    const double end = x(phase.end.value_or(outlook_.now));
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"phase\"/>\n", begin,
        kTop, std::max(1.0, end - begin), kHeight - kTop - kBottom);
  }
}

void Picture::draw_axes() {
  for (const auto& tick : y_ticks(top_, kTicks / 2)) {
    const double at = y(tick.place * top_);
    line(kLeft, at, kWidth - kRight, at, "grid");
    text(kLeft - 6, at + 4, "axis", "end", size_or_dash(tick.place * top_));
  }
  const auto& history = report_.accounts.history;
  const bool counts_steps = report_.accounts.header.clock == record::Clock::Steps;
  const XAxis axis(history, from_, to_, outlook_.now, false);
  for (const auto& tick : x_ticks(axis, history, counts_steps, kTicks * 10, 10)) {
    const double at = kLeft + tick.place * (kWidth - kLeft - kRight);
    line(at, kTop, at, kHeight - kBottom, "grid");
    text(at, kHeight - kBottom + 15, "axis", "middle", tick.label);
    text(at, kHeight - kBottom + 29, "axis", "middle", tick.second);
  }
}

// The highest of each stretch that falls on one pixel.
template <class Value>
std::vector<std::string> Picture::points(Value value) const {
  const auto& rows = report_.timeline.tree().rows();
  const std::size_t stride = (rows.size() + kMostPoints - 1) / kMostPoints;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < rows.size(); i += stride) {
    double most = value(i);
    for (std::size_t k = i; k < std::min(rows.size(), i + stride); ++k) {
      most = std::fmax(most, value(k));
    }
    out.push_back(fmt::format("{:.1f},{:.1f}", x(rows[i].from), y(most)));
  }
  return out;
}

void Picture::draw_curves() {
  auto above = points([this](std::size_t i) { return columns_[i].high; });
  const auto floor = points([this](std::size_t i) { return columns_[i].floor; });
  above.insert(above.end(), floor.rbegin(), floor.rend());
  const auto line_of = fmt::format("{}", fmt::join(floor, " "));
  const double last = x(report_.timeline.tree().rows().back().from);
  out_ += fmt::format("<polygon class=\"above\" points=\"{}\"/>\n", fmt::join(above, " "));
  out_ += fmt::format("<polygon class=\"stays\" points=\"{:.1f},{:.1f} {} {:.1f},{:.1f}\"/>\n",
                      x(from_), y(0), line_of, last, y(0));
  out_ += fmt::format("<polyline class=\"floor\" points=\"{}\"/>\n", line_of);
}

void Picture::draw_verdict(const verdict::Verdict& verdict) {
  if (outlook_.limit_bytes) {
    const auto words = limit_label(verdict);
    if (outlook_.limit_shown) {
      const double at = y(*outlook_.limit_bytes);
      line(kLeft, at, kWidth - kRight, at, "limit");
      text(kLeft + 6, at - 6, "bad", "start", words);
    } else {
      text(kLeft + 6, kTop + 12, "bad", "start", "↑ " + words);
    }
  }
  if (outlook_.fan && outlook_.until > outlook_.now) {
    const double share =
        std::min(1.0, (outlook_.until - outlook_.now) / (outlook_.p50 - outlook_.now));
    const double reached = outlook_.level + share * (*outlook_.limit_bytes - outlook_.level);
    line(x(outlook_.now), y(outlook_.level), x(std::min(outlook_.p50, outlook_.until)), y(reached),
         "fan");
    text(kWidth - kRight, kTop - 8, "wait", "end", full_label(outlook_, verdict));
  }
  if (const auto at = settled_at(verdict, report_.accounts.history)) {
    const double level = y(verdict.settled->level_bytes);
    out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5.5\" class=\"ring\"/>\n", x(*at),
                        level);
    const bool left = x(*at) > kWidth / 2;
    text(x(*at) + (left ? -9 : 9), level - 14, "ok", left ? "end" : "start",
         settled_label(*verdict.settled));
  }
}

}  // namespace

std::string svg_chart(const Report& report) {
  const auto& history = report.accounts.history;
  const auto& rows = report.timeline.tree().rows();
  if (rows.empty() || history.empty() || !(rows.back().to > rows.front().from)) return "";
  return Picture(report, page_outlook(report)).drawn();
}

}  // namespace tidegauge::view
