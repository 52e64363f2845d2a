// SPDX-License-Identifier: Apache-2.0
#include "view/svg_chart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "view/axis.h"
#include "view/outlook.h"
#include "view/svg_canvas.h"
#include "view/words.h"

namespace tidegauge::view {

namespace {

// A limit this many times above everything else would press the curve flat: it is named instead.
constexpr double kLimitWithin = 3.5;
constexpr auto kWidth = SvgCanvas::kWidth;
constexpr auto kHeight = SvgCanvas::kHeight;
constexpr auto kLeft = SvgCanvas::kLeft;
constexpr auto kRight = SvgCanvas::kRight;
constexpr auto kTop = SvgCanvas::kTop;
constexpr auto kBottom = SvgCanvas::kBottom;

std::string label_of(const Report& report) {
  const auto& verdicts = report.verdicts.all;
  return verdicts.empty() ? "Memory of the job" : words(verdicts.front()).headline;
}

class Picture {
 public:
  Picture(const Report& report, Outlook outlook, std::vector<Column> columns)
      : report_(report),
        outlook_(outlook),
        columns_(std::move(columns)),
        from_(report.timeline.tree().rows().front().from),
        to_(std::max(outlook_.until, from_ + 1e-3)),
        canvas_(label_of(report), from_, to_, choose_top()) {}

  std::string drawn() {
    draw_phases();
    const auto& history = report_.accounts.history;
    const bool counts_steps = report_.accounts.header.clock == record::Clock::Steps;
    canvas_.draw_axes(x_ticks(XAxis(history, from_, to_, outlook_.now, false), history,
                              counts_steps, SvgCanvas::kTicks * 10, 10));
    draw_curves();
    if (!report_.verdicts.all.empty()) draw_verdict(report_.verdicts.all.front());
    return canvas_.taken();
  }

 private:
  // Also settles whether the limit is drawn.
  double choose_top() {
    double highest = 1;
    for (const auto& column : columns_) highest = std::max(highest, column.high);
    if (outlook_.bounded) highest = std::max(highest, outlook_.bounded_level);
    if (outlook_.limit_bytes) {
      outlook_.limit_shown = *outlook_.limit_bytes <= kLimitWithin * highest ||
                             (outlook_.fan && outlook_.p50 <= outlook_.until);
      if (outlook_.limit_shown) highest = std::max(highest, *outlook_.limit_bytes);
    }
    return highest * SvgCanvas::kHeadroom;
  }
  double x(double seconds) const { return canvas_.x(seconds); }
  double y(double bytes) const { return canvas_.y(bytes); }
  void draw_phases();
  void draw_curves();
  void draw_verdict(const verdict::Verdict& verdict);
  template <class Value>
  std::vector<std::string> points(Value value) const;

  const Report& report_;
  Outlook outlook_;
  std::vector<Column> columns_;
  double from_ = 0;
  double to_ = 1;
  SvgCanvas canvas_;
};

void Picture::draw_phases() {
  for (const auto& phase : report_.accounts.progress.phases()) {
    const double begin = x(phase.begin);
    const double end = x(phase.end.value_or(outlook_.now));
    canvas_.add(fmt::format(
        "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"phase\"/>\n", begin,
        kTop, std::max(1.0, end - begin), kHeight - kTop - kBottom));
  }
}

// The highest of each stretch that falls on one pixel.
template <class Value>
std::vector<std::string> Picture::points(Value value) const {
  const auto& rows = report_.timeline.tree().rows();
  const std::size_t stride = (rows.size() + SvgCanvas::kMostPoints - 1) / SvgCanvas::kMostPoints;
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
  canvas_.add(fmt::format("<polygon class=\"above\" points=\"{}\"/>\n", fmt::join(above, " ")));
  canvas_.add(fmt::format("<polygon class=\"stays\" points=\"{:.1f},{:.1f} {} {:.1f},{:.1f}\"/>\n",
                          x(from_), y(0), line_of, last, y(0)));
  canvas_.add(fmt::format("<polyline class=\"floor\" points=\"{}\"/>\n", line_of));
}

void Picture::draw_verdict(const verdict::Verdict& verdict) {
  if (outlook_.limit_bytes) {
    const auto words = limit_label(verdict);
    if (outlook_.limit_shown) {
      const double at = y(*outlook_.limit_bytes);
      canvas_.line(kLeft, at, kWidth - kRight, at, "limit");
      canvas_.text(kLeft + 6, at - 6, "bad", "start", words);
    } else {
      canvas_.text(kLeft + 6, kTop + 12, "bad", "start", "↑ " + words);
    }
  }
  if (outlook_.fan && outlook_.until > outlook_.now) {
    const double share =
        std::min(1.0, (outlook_.until - outlook_.now) / (outlook_.p50 - outlook_.now));
    const double reached = outlook_.level + share * (*outlook_.limit_bytes - outlook_.level);
    canvas_.line(x(outlook_.now), y(outlook_.level), x(std::min(outlook_.p50, outlook_.until)),
                 y(reached), "fan");
    canvas_.text(kWidth - kRight, kTop - 8, "wait", "end", full_label(outlook_, verdict));
  }
  if (const auto at = settled_at(verdict, report_.accounts.history)) {
    const double level = y(verdict.settled->level_bytes);
    canvas_.ring(x(*at), level, "ring");
    const bool left = x(*at) > kWidth / 2;
    canvas_.text(x(*at) + (left ? -9 : 9), level - 14, "ok", left ? "end" : "start",
                 settled_label(*verdict.settled));
  }
}

}  // namespace

std::string svg_chart(const Report& report) {
  const auto& history = report.accounts.history;
  const auto& rows = report.timeline.tree().rows();
  if (rows.empty() || history.empty() || !(rows.back().to > rows.front().from)) return "";
  return Picture(report, page_outlook(report),
                 tree_columns(report.timeline, report.accounts.progress))
      .drawn();
}

}  // namespace tidegauge::view
