// SPDX-License-Identifier: Apache-2.0
// What the groups of features share: curves of the whole stretch and their scale.
#pragma once

#include "verdict/features.h"
#include "verdict/segments.h"

namespace tidegauge::verdict {

struct FeatureView {
  const Setting* setting = nullptr;
  Track track{};
  std::size_t last = 0;
  double begin = 0;
  double length = 0;       // of the judged stretch
  Curve coarse_median{};   // 32 parts, lone spikes removed
  Curve coarse_minimum{};  // the same
  double range = 0;        // of coarse_median, at least the noise floor
  double noise = 0;        // of coarse_median, from its second differences
};

FeatureView view_of(const Setting& setting);

// A feature's value where there is none.
inline constexpr float kAbsent = -9;

float squashed(double value);         // asinh, so that a t of 1000 is not ten times one of 100
float log_ratio(double a, double b);  // ln(a / b) of positive numbers, bounded

// Each appends its features in the order of its infos.
std::span<const FeatureInfo> slope_infos();
void add_slopes(const FeatureView& view, std::vector<float>& out);
std::span<const FeatureInfo> record_infos();
void add_records(const FeatureView& view, std::vector<float>& out);
std::span<const FeatureInfo> shape_infos();
void add_shapes(const FeatureView& view, std::vector<float>& out);
std::span<const FeatureInfo> event_infos();
void add_events(const FeatureView& view, const Analysis& analysis, std::vector<float>& out);
std::span<const FeatureInfo> piece_infos();
void add_pieces(const FeatureView& view, const Analysis& analysis, std::vector<float>& out);

}  // namespace tidegauge::verdict
