// SPDX-License-Identifier: Apache-2.0
#include "view/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>

#include "view/phrases.h"

namespace tidegauge::view {

namespace {

constexpr const char* kStyle =
    "<style>text{font:600 11.5px system-ui,sans-serif}.axis{font-weight:500;fill:#475B66}"
    ".grid{stroke:#E7EDF0}.floor{fill:none;stroke:#0A6078;stroke-width:2.5}"
    ".stays{fill:#0A6078;fill-opacity:.16}.above{fill:#4F97AD;fill-opacity:.34}"
    ".limit{stroke:#A3102F;stroke-width:1.5}.bad{fill:#A3102F}.ok{fill:#0A6B5C}"
    ".ring{fill:#FFF;stroke:#0A6B5C;stroke-width:2.5}.fan{stroke:#C27A00;stroke-width:2;"
    "stroke-dasharray:6 4}.wait{fill:#8A6100}.phase{fill:#6E54A8;fill-opacity:.13}"
    ".card{fill:#FFF}.mark{stroke:#475B66;stroke-dasharray:2 3}"
    ".run{fill:none;stroke-width:2.5}.r0{stroke:#0A6078}.r1{stroke:#B5541C}.r2{stroke:#8E2FD6}"
    ".r3{stroke:#3A2A1A}.name.r0{fill:#0A6078;stroke:none}.name.r1{fill:#B5541C;stroke:none}"
    ".name.r2{fill:#8E2FD6;stroke:none}.name.r3{fill:#3A2A1A;stroke:none}"
    "@media(prefers-color-scheme:dark){.card{fill:#101C23}.axis{fill:#9FB3BE}.grid{stroke:#1A2932}"
    ".floor{stroke:#56C4DE}.stays{fill:#56C4DE}.above{fill:#6FA3B5}.limit{stroke:#FF8F7D}"
    ".bad{fill:#FF8F7D}.ok{fill:#5CCDB6}.ring{fill:#101C23;stroke:#5CCDB6}.fan{stroke:#F0BC55}"
    ".wait{fill:#F0BC55}.phase{fill:#A48CE2}.mark{stroke:#9FB3BE}"
    ".r0{stroke:#56C4DE}.r1{stroke:#F2935C}.r2{stroke:#9580F7}.r3{stroke:#EDE64A}"
    ".name.r0{fill:#56C4DE}.name.r1{fill:#F2935C}.name.r2{fill:#9580F7}.name.r3{fill:#EDE64A}}"
    "</style>";

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

// "16 GiB", "1.5 GiB": a tick is a round number and needs no zeros after the point.
std::string tick_size(double bytes) {
  if (bytes <= 0) return "0";
  auto text = size_or_dash(bytes);
  const auto point = text.find('.');
  const auto end = text.find_first_not_of("0123456789", point + 1);
  if (point == text.npos || end == text.npos) return text;
  auto last = text.find_last_not_of('0', end - 1);
  if (last == point) --last;
  return text.erase(last + 1, end - last - 1);
}

}  // namespace

SvgCanvas::SvgCanvas(std::string_view label, double from, double to, double top)
    : from_(from), to_(to), top_(top) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-label=\"{2}\">{3}<rect class=\"card\" width=\"{0}\" "
      "height=\"{1}\" rx=\"12\"/>\n",
      kWidth, kHeight, escaped(label), kStyle);
}

double SvgCanvas::x(double at) const {
  return kLeft + std::clamp((at - from_) / (to_ - from_), 0.0, 1.0) * (kWidth - kLeft - kRight);
}

double SvgCanvas::y(double bytes) const {
  return kHeight - kBottom - std::clamp(bytes / top_, 0.0, 1.0) * (kHeight - kTop - kBottom);
}

void SvgCanvas::text(double at_x, double at_y, const char* kind, const char* anchor,
                     std::string_view what) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n",
                      at_x, at_y, kind, anchor, escaped(what));
}

void SvgCanvas::line(double x0, double y0, double x1, double y1, const char* kind) {
  out_ +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
                  x0, y0, x1, y1, kind);
}

void SvgCanvas::ring(double at_x, double at_y, const char* kind) {
  out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5.5\" class=\"{}\"/>\n", at_x, at_y,
                      kind);
}

void SvgCanvas::draw_axes(const std::vector<Tick>& along) {
  for (const auto& tick : y_ticks(top_, kTicks / 2)) {
    const double at = y(tick.place * top_);
    line(kLeft, at, kWidth - kRight, at, "grid");
    text(kLeft - 6, at + 4, "axis", "end", tick_size(tick.place * top_));
  }
  for (const auto& tick : along) {
    const double at = kLeft + tick.place * (kWidth - kLeft - kRight);
    line(at, kTop, at, kHeight - kBottom, "grid");
    text(at, kHeight - kBottom + 15, "axis", "middle", tick.label);
    text(at, kHeight - kBottom + 29, "axis", "middle", tick.second);
  }
}

}  // namespace tidegauge::view
