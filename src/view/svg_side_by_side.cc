// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "view/svg_canvas.h"
#include "view/svg_chart.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kColours = 4;  // as many as the canvas has
constexpr double kNameLine = 15;
constexpr double kSwatch = 20;

struct Point {
  double at = 0;
  double floor = 0;
};

// The least of what stays, of each stretch that falls on one pixel.
std::vector<Point> course_of(const Report& report, bool by_step) {
  const auto& rows = report.timeline.tree().rows();
  const auto columns = tree_columns(report.timeline, report.accounts.progress);
  const std::size_t stride = rows.size() / SvgCanvas::kMostPoints + 1;
  std::vector<Point> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double at = by_step ? static_cast<double>(rows[i].step) : rows[i].from;
    if (!columns[i].known || !std::isfinite(at)) continue;
    if (out.empty() || i % stride == 0) {
      out.push_back({at, columns[i].floor});
    } else {
      out.back().floor = std::min(out.back().floor, columns[i].floor);
    }
  }
  return out;
}

void draw(SvgCanvas& canvas, const std::vector<Point>& course, const std::string& name,
          std::size_t index) {
  const auto colour = fmt::format("r{}", index % kColours);
  std::vector<std::string> points;
  points.reserve(course.size());
  for (const auto& point : course) {
    points.push_back(fmt::format("{:.1f},{:.1f}", canvas.x(point.at), canvas.y(point.floor)));
  }
  canvas.add(
      fmt::format("<polyline class=\"run {}\" points=\"{}\"/>\n", colour, fmt::join(points, " ")));
  // In the corner where curves have not come to yet.
  const double line = SvgCanvas::kTop + kNameLine * (static_cast<double>(index) + 1);
  const double left = SvgCanvas::kLeft + 10;
  canvas.line(left, line - 4, left + kSwatch, line - 4, ("run " + colour).c_str());
  canvas.text(left + kSwatch + 7, line, ("name " + colour).c_str(), "start", name);
}

}  // namespace

std::string svg_side_by_side(std::span<const Report> reports, std::span<const std::string> names,
                             bool by_step) {
  std::vector<std::vector<Point>> courses;
  double to = 0;
  double most = 1;
  for (const auto& report : reports) {
    courses.push_back(course_of(report, by_step));
    for (const auto& point : courses.back()) {
      to = std::max(to, point.at);
      most = std::max(most, point.floor);
    }
  }
  if (!(to > 0)) return "";
  SvgCanvas canvas(fmt::format("What stays: {}", fmt::join(names, ", ")), 0, to,
                   most * SvgCanvas::kHeadroom);
  canvas.draw_axes(plain_ticks(0, to, by_step, SvgCanvas::kTicks));
  for (std::size_t i = 0; i < courses.size(); ++i) draw(canvas, courses[i], names[i], i);
  return canvas.taken();
}

}  // namespace tidegauge::view
