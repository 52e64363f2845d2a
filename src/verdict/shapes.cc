// SPDX-License-Identifier: Apache-2.0
#include "verdict/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

// No real growth follows a formula to better than this share of what it grew lately. Without the
// allowance a clean ramp is "significantly" curved.
constexpr double kMisfit = 0.03;
constexpr double kLeastLately = 0.02;  // of all growth
// Below this many points a second component explains anything.
constexpr std::size_t kFewestForHinge = 8;
constexpr std::size_t kFewestForCurveAndLine = 12;
constexpr double kMostPersistence = 0.85;
constexpr double kFewestEffective = 4;
constexpr double kLastThird = 2.0 / 3;

struct Sample {
  double x = 0;  // 0..1
  double z = 0;
  double weight = 0;
};

struct Fit {
  double bend = 0;  // coefficient of the shape
  double line = 0;  // coefficient of the line beside it
  double residual = 0;
  double persistence = 0;
};

struct Model {
  Fit fit{};
  int parameters = 2;
  double prior = 0;
  bool goes_on = false;
  double age_share = 1;
  BoundedShape bounded{};
};

double median_of_three(const std::vector<double>& z, std::size_t i) {
  if (i == 0 || i + 1 == z.size()) {
    const double other = i == 0 ? z[1] : z[i - 1];
    return (z[i] + other) / 2;
  }
  return std::max(std::min(z[i - 1], z[i]), std::min(std::max(z[i - 1], z[i]), z[i + 1]));
}

std::vector<Sample> weighted(const Curve& curve, double begin, double end, double deviation,
                             double least_growth) {
  const std::size_t n = curve.size();
  const std::size_t edge = std::max<std::size_t>(1, n / 12);
  const std::vector<double> head(curve.z.begin(),
                                 curve.z.begin() + static_cast<std::ptrdiff_t>(edge));
  const std::vector<double> back(curve.z.end() - static_cast<std::ptrdiff_t>(edge), curve.z.end());
  const double growth = std::max(least_growth, median(back) - median(head));
  const double length = std::max(end - begin, 1e-12);
  std::vector<Sample> out;
  std::size_t half = 0;
  for (std::size_t i = 0; i < n; ++i) {
    while (half < i && curve.x[half] < begin + (curve.x[i] - begin) / 2) ++half;
    const double lately = std::max(median_of_three(curve.z, i) - median_of_three(curve.z, half),
                                   kLeastLately * growth);
    const double misfit = kMisfit * lately;
    out.push_back({std::max(0.0, (curve.x[i] - begin) / length), curve.z[i] - curve.z.front(),
                   1 / (deviation * deviation + misfit * misfit)});
  }
  return out;
}

// Weighted least squares on {1, shape(x)} or {1, shape(x), x}; nothing where a component would have
// to shrink.
template <class Shape>
std::optional<Fit> fit_shape(const std::vector<Sample>& samples, const Shape& shape,
                             bool and_line) {
  const std::size_t size = and_line ? 3 : 2;
  std::array<std::array<double, 4>, 3> m{};
  std::vector<double> values;
  values.reserve(samples.size());
  for (const auto& s : samples) {
    values.push_back(shape(s.x));
    const std::array<double, 3> basis = {1, values.back(), s.x};
    for (std::size_t a = 0; a < size; ++a) {
      m[a][3] += s.weight * basis[a] * s.z;
      for (std::size_t b = 0; b < size; ++b) m[a][b] += s.weight * basis[a] * basis[b];
    }
  }
  double trace = 0;
  for (std::size_t a = 0; a < size; ++a) trace += m[a][a];
  for (std::size_t a = 0; a < size; ++a) m[a][a] += 1e-11 * trace;  // keeps near-twins apart
  for (std::size_t a = 0; a < size; ++a) {
    const double pivot = m[a][a];
    if (!(std::fabs(pivot) > 1e-300)) return {};
    for (auto& value : m[a]) value /= pivot;
    for (std::size_t r = 0; r < size; ++r) {
      if (r == a) continue;
      const double factor = m[r][a];
      for (std::size_t b = 0; b < 4; ++b) m[r][b] -= factor * m[a][b];
    }
  }
  Fit fit{.bend = m[1][3], .line = and_line ? m[2][3] : 0};
  if (fit.bend < 0 || (and_line && fit.line <= 0)) return {};
  double before = 0;
  double product = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& s = samples[i];
    const double r = (s.z - m[0][3] - fit.bend * values[i] - fit.line * s.x) * std::sqrt(s.weight);
    if (i > 0) product += r * before;
    fit.residual += r * r;
    before = r;
  }
  fit.persistence = product / (fit.residual + 1e-12);
  return fit;
}

struct Exponential {
  double constant;
  double operator()(double x) const { return 1 - std::exp(-x / constant); }
};
struct Logarithm {
  double constant;
  double operator()(double x) const { return std::log1p(x / constant); }
};
struct Power {
  double exponent;
  double operator()(double x) const { return std::pow(x, exponent); }
};
struct Hinge {
  double end;
  double operator()(double x) const { return std::min(1.0, x / end); }
};

// Weights of the shapes before looking; a family's weight is shared by its members.
constexpr double kLinePrior = 1.0;
constexpr double kHingeAndLinePrior = 0.35 / 7;
constexpr double kExponentialAndLinePrior = 0.35 / 5;
constexpr double kLawAndLinePrior = 0.1 / 8;
constexpr double kExponentialPrior = 0.30 / 20;
constexpr double kPowerPrior = 0.10 / 24;
constexpr double kLogarithmPrior = 0.10 / 20;

class Contest {
 public:
  explicit Contest(std::vector<Sample> samples) : samples_(std::move(samples)) {}

  void line() {
    add(fit_shape(
            samples_, [](double x) { return x; }, false),
        2, kLinePrior, 1);
  }

  // A warm-up first, then a line: the line must carry the last third.
  template <class Shape>
  void shape_and_line(const Shape& shape, double prior, double age_share) {
    const auto fit = fit_shape(samples_, shape, true);
    if (!fit) return;
    const double bend_lately = fit->bend * (shape(1) - shape(kLastThird));
    if (fit->line * (1 - kLastThird) > bend_lately) add(fit, 4, prior, age_share);
  }

  template <class Shape>
  void bounded(const Shape& shape, double prior, double end) {
    const auto fit = fit_shape(samples_, shape, false);
    if (!fit) return;
    Model model{.fit = *fit, .parameters = 3, .prior = prior};
    model.bounded = {fit->bend, end};
    models_.push_back(model);
  }

  ShapePosterior decide() const;

 private:
  void add(const std::optional<Fit>& fit, int parameters, double prior, double age_share) {
    if (!fit) return;
    models_.push_back({.fit = *fit,
                       .parameters = parameters,
                       .prior = prior,
                       .goes_on = true,
                       .age_share = age_share});
  }
  std::vector<Sample> samples_;
  std::vector<Model> models_{};
};

// Neighbours resemble each other, so there are fewer independent points than points. Measured on
// the best model: what another one leaves over is its own fault, not the noise's.
double effective_points(const std::vector<Model>& models, double points) {
  const auto best = std::min_element(
      models.begin(), models.end(),
      [](const Model& a, const Model& b) { return a.fit.residual < b.fit.residual; });
  double rho = std::clamp(best->fit.persistence + 2 / points, 0.0, kMostPersistence);
  if (best->fit.residual < 0.7 * points) rho = std::min(rho, 0.4);
  return std::max(kFewestEffective, points * (1 - rho) / (1 + rho));
}

ShapePosterior Contest::decide() const {
  ShapePosterior out;
  if (models_.empty()) return out;
  const auto points = static_cast<double>(samples_.size());
  const double effective = effective_points(models_, points);
  std::vector<double> scores;
  for (const auto& model : models_) {
    scores.push_back(-0.5 * effective * std::log1p(model.fit.residual / points) -
                     0.5 * model.parameters * std::log(effective));
  }
  const double top = *std::max_element(scores.begin(), scores.end());
  double best_bounded = 0;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    const auto& model = models_[i];
    const double weight = model.prior * std::exp(scores[i] - top);
    if (model.goes_on) {
      out.lines.push_back({weight, model.age_share});
    } else {
      out.bounded += weight;
      if (weight > best_bounded) {
        best_bounded = weight;
        out.best_bounded = model.bounded;
      }
    }
  }
  return out;
}

}  // namespace

double ShapePosterior::line_weight() const {
  double sum = 0;
  for (const auto& line : lines) sum += line.weight;
  return sum;
}

ShapePosterior weigh_shapes(const Curve& curve, double begin, double end, double deviation,
                            double least_growth, const std::function<double(double)>& survival) {
  if (curve.size() < 3) return {};
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  constexpr double kTimeConstants = 3;  // of an exponential, until it is done
  const double length = end - begin;
  Contest contest(weighted(curve, begin, end, deviation, least_growth));
  contest.line();
  if (curve.size() >= kFewestForHinge) {
    for (const double k : {0.004, 0.012, 0.03, 0.06, 0.12, 0.25}) {
      contest.shape_and_line(Exponential{k}, kExponentialAndLinePrior,
                             std::max(0.1, 1 - kTimeConstants * k));
    }
    for (const double knee : {0.03, 0.08, 0.15, 0.25, 0.35, 0.5, 0.65}) {
      contest.shape_and_line(Hinge{knee}, kHingeAndLinePrior, 1 - knee);
    }
  }
  if (curve.size() >= kFewestForCurveAndLine) {
    for (const double k : {0.001, 0.004, 0.016, 0.06}) {
      contest.shape_and_line(Logarithm{k}, kLawAndLinePrior, 1);
    }
    for (const double p : {0.2, 0.3, 0.4, 0.5}) {
      contest.shape_and_line(Power{p}, kLawAndLinePrior, 1);
    }
  }
  // Finely graded: with a coarse grid a curve plus a line fits better than any curve alone.
  for (int i = 0; i < 30; ++i) {
    const double k = 0.05 * std::pow(1.15, i);
    contest.bounded(Exponential{k}, kExponentialPrior * std::min(1.0, 3 * survival(k)),
                    kTimeConstants * k * length);
  }
  for (int i = 0; i < 20; ++i) contest.bounded(Power{0.12 + 0.03 * i}, kPowerPrior, kEndless);
  for (int i = 0; i < 14; ++i) {
    contest.bounded(Logarithm{0.0003 * std::pow(1.7, i)}, kLogarithmPrior, kEndless);
  }
  return contest.decide();
}

}  // namespace tidegauge::verdict
