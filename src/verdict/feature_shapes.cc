// SPDX-License-Identifier: Apache-2.0
// How well each kind of curve explains the whole stretch, and what a straight line explains beyond
// the best curve that ends.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "verdict/feature_view.h"
#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr double kMisfit = 0.02;    // of what grew since half the elapsed time
constexpr double kSoftening = 0.3;  // added to each point's squared residual: no fit is perfect
constexpr double kNearBest = 2;     // log likelihood

constexpr std::array<FeatureInfo, 32> kInfos = {{
    {"min_flat", Evidence::Shape, 0},       {"min_line", Evidence::Shape, 0},
    {"min_exp", Evidence::Shape, 0},        {"min_log", Evidence::Shape, 0},
    {"min_power", Evidence::Shape, 0},      {"min_ramp", Evidence::Shape, 0},
    {"min_logistic", Evidence::Shape, 0},   {"min_sine", Evidence::Shape, 0},
    {"min_shape_line", Evidence::Shape, 0}, {"min_late_line", Evidence::Shape, 0},
    {"min_onset", Evidence::Shape, 0},      {"min_unbounded", Evidence::Shape, 1},
    {"min_fit", Evidence::Shape, 0},        {"min_least_t", Evidence::Shape, 1},
    {"min_mean_t", Evidence::Shape, 1},     {"min_sine_t", Evidence::Shape, 0},
    {"med_flat", Evidence::Shape, 0},       {"med_line", Evidence::Shape, 0},
    {"med_exp", Evidence::Shape, 0},        {"med_log", Evidence::Shape, 0},
    {"med_power", Evidence::Shape, 0},      {"med_ramp", Evidence::Shape, 0},
    {"med_logistic", Evidence::Shape, 0},   {"med_sine", Evidence::Shape, 0},
    {"med_shape_line", Evidence::Shape, 0}, {"med_late_line", Evidence::Shape, 0},
    {"med_onset", Evidence::Shape, 0},      {"med_unbounded", Evidence::Shape, 1},
    {"med_fit", Evidence::Shape, 0},        {"med_least_t", Evidence::Shape, 1},
    {"med_mean_t", Evidence::Shape, 1},     {"med_sine_t", Evidence::Shape, 0},
}};

struct Sample {
  double x = 0;
  double z = 0;
  double weight = 0;
};

std::vector<Sample> weighted(const Curve& curve, const FeatureView& view) {
  std::vector<Sample> out;
  std::size_t half = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double x = (curve.x[i] - view.begin) / view.length;
    while (half < i && (curve.x[half] - view.begin) / view.length < x / 2) ++half;
    const double lately = std::max(curve.z[i] - curve.z[half], 0.02 * view.range);
    const double misfit = kMisfit * lately;
    out.push_back({x, (curve.z[i] - curve.z.front()) / view.range,
                   view.range * view.range / (view.noise * view.noise + misfit * misfit)});
  }
  return out;
}

// Weighted least squares with up to four columns.
class Design {
 public:
  explicit Design(const std::vector<Sample>& samples) : samples_(samples) {
    add(std::vector<double>(samples.size(), 1.0));
  }
  void add(std::vector<double> column) { columns_[count_++] = std::move(column); }
  void replace(std::size_t at, std::vector<double> column) { columns_[at] = std::move(column); }

  struct Fit {
    double residual = 0;
    std::array<double, 4> coefficient{};
    double last_t = 0;  // of the last column, for noise of one unit of weight
    bool valid = false;
  };
  Fit solve() const {
    std::array<std::array<double, 8>, 4> m{};
    double total = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const double w = samples_[i].weight;
      total += w * samples_[i].z * samples_[i].z;
      for (std::size_t a = 0; a < count_; ++a) {
        const double wa = w * columns_[a][i];
        for (std::size_t b = 0; b <= a; ++b) m[a][b] += wa * columns_[b][i];
        m[a][4] += wa * samples_[i].z;
      }
    }
    return solved(m, total);
  }

 private:
  // Cholesky with a little ridge, which keeps near-twins apart.
  Fit solved(const std::array<std::array<double, 8>, 4>& m, double total) const {
    Fit fit;
    std::array<std::array<double, 4>, 4> l{};
    std::array<double, 4> y{};
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double sum = m[a][b] + (a == b ? 1e-9 * m[a][a] + 1e-12 : 0);
        for (std::size_t k = 0; k < b; ++k) sum -= l[a][k] * l[b][k];
        if (a == b) {
          if (!(sum > 0)) return fit;
          l[a][a] = std::sqrt(sum);
        } else {
          l[a][b] = sum / l[b][b];
        }
      }
      double sum = m[a][4];
      for (std::size_t k = 0; k < a; ++k) sum -= l[a][k] * y[k];
      y[a] = sum / l[a][a];
      total -= y[a] * y[a];
    }
    fit.valid = true;
    fit.residual = std::max(0.0, total);
    fit.last_t = y[count_ - 1];
    for (std::size_t a = count_; a-- > 0;) {
      double sum = y[a];
      for (std::size_t k = a + 1; k < count_; ++k) sum -= l[k][a] * fit.coefficient[k];
      fit.coefficient[a] = sum / l[a][a];
    }
    return fit;
  }

  const std::vector<Sample>& samples_;
  std::array<std::vector<double>, 4> columns_{};
  std::size_t count_ = 0;
};

template <class Shape>
std::vector<double> column_of(const std::vector<Sample>& samples, const Shape& shape) {
  std::vector<double> out;
  out.reserve(samples.size());
  for (const auto& sample : samples) out.push_back(shape(std::max(sample.x, 0.0)));
  return out;
}

constexpr double kNone = std::numeric_limits<double>::infinity();

// What the shapes leave unexplained, by family, and what a line explains on top.
struct Contest {
  double flat = kNone;
  double line = kNone;
  double exponential = kNone;
  double logarithm = kNone;
  double power = kNone;
  double ramp = kNone;
  double logistic = kNone;
  double sine = kNone;
  double shape_and_line = kNone;
  double late_line = kNone;
  double onset = 0;
  double sine_line_t = 0;
  struct Beyond {
    double residual = 0;  // of the shape alone
    double line_t = 0;    // of a line beside it
  };
  std::vector<Beyond> beyond{};
};

class Fitter {
 public:
  explicit Fitter(const std::vector<Sample>& samples)
      : samples_(samples), line_(column_of(samples, [](double x) { return x; })) {}

  Contest run() {
    one_and_two();
    for (int i = 0; i < 12; ++i) {
      const double k = 0.02 * std::pow(1.5, i);
      bounded(contest_.exponential, [k](double x) { return 1 - std::exp(-x / k); });
    }
    for (int i = 0; i < 8; ++i) {
      const double k = 0.0005 * std::pow(2.6, i);
      bounded(contest_.logarithm, [k](double x) { return std::log1p(x / k); });
    }
    for (int i = 0; i < 8; ++i) {
      const double p = 0.15 + 0.08 * i;
      bounded(contest_.power, [p](double x) { return std::pow(x, p); });
    }
    for (int i = 0; i < 11; ++i) {
      const double end = 0.05 + 0.09 * i;
      bounded(contest_.ramp, [end](double x) { return std::min(1.0, x / end); });
    }
    for (int i = 0; i < 11; ++i) {
      const double middle = 0.05 + 0.085 * i;
      const double k = 0.02 + 0.15 * middle;
      bounded(contest_.logistic, [=](double x) { return 1 / (1 + std::exp((middle - x) / k)); });
    }
    sines();
    late_lines();
    return std::move(contest_);
  }

 private:
  void one_and_two() {
    Design flat(samples_);
    contest_.flat = flat.solve().residual;
    Design line(samples_);
    line.add(line_);
    const auto fit = line.solve();
    if (fit.valid) contest_.line = fit.coefficient[1] > 0 ? fit.residual : contest_.flat;
    contest_.beyond.push_back({contest_.flat, fit.valid ? fit.last_t : 0});
  }

  template <class Shape>
  void bounded(double& best, const Shape& shape) {
    auto column = column_of(samples_, shape);
    Design alone(samples_);
    alone.add(column);
    const auto fit = alone.solve();
    if (!fit.valid || fit.coefficient[1] <= 0) return;
    best = std::min(best, fit.residual);
    Design both(samples_);
    both.add(std::move(column));
    both.add(line_);
    const auto with_line = both.solve();
    if (!with_line.valid) return;
    contest_.beyond.push_back({fit.residual, with_line.last_t});
    if (with_line.coefficient[1] >= 0 && with_line.coefficient[2] > 0) {
      contest_.shape_and_line = std::min(contest_.shape_and_line, with_line.residual);
    }
  }

  void sines() {
    for (int i = 0; i < 10; ++i) {
      const double turns = 2 * M_PI / (0.12 * std::pow(1.3, i));
      Design wave(samples_);
      wave.add(column_of(samples_, [turns](double x) { return std::sin(turns * x); }));
      wave.add(column_of(samples_, [turns](double x) { return std::cos(turns * x); }));
      const auto fit = wave.solve();
      wave.add(line_);
      const auto with_line = wave.solve();
      if (!fit.valid || !with_line.valid || fit.residual >= contest_.sine) continue;
      contest_.sine = fit.residual;
      contest_.sine_line_t = with_line.last_t;
    }
  }

  void late_lines() {
    for (int i = 1; i <= 14; ++i) {
      const double onset = i / 16.0;
      Design late(samples_);
      late.add(column_of(samples_, [onset](double x) { return std::max(0.0, x - onset); }));
      const auto fit = late.solve();
      if (!fit.valid || fit.coefficient[1] <= 0 || fit.residual >= contest_.late_line) continue;
      contest_.late_line = fit.residual;
      contest_.onset = onset;
    }
  }

  const std::vector<Sample>& samples_;
  std::vector<double> line_;
  Contest contest_{};
};

void add_contest(const Curve& curve, const FeatureView& view, std::vector<float>& out) {
  const auto samples = weighted(curve, view);
  const Contest c = Fitter(samples).run();
  const auto n = static_cast<double>(samples.size());
  const double ends =
      std::min({c.flat, c.exponential, c.logarithm, c.power, c.ramp, c.logistic, c.sine});
  const double goes_on = std::min({c.line, c.shape_and_line, c.late_line});
  const double best = std::min(ends, goes_on);
  const auto worse = [&](double residual) {
    if (!std::isfinite(residual)) return squashed(n);
    return squashed(n / 2 * std::log((residual + kSoftening * n) / (best + kSoftening * n)));
  };
  for (const double residual : {c.flat, c.line, c.exponential, c.logarithm, c.power, c.ramp,
                                c.logistic, c.sine, c.shape_and_line, c.late_line}) {
    out.push_back(worse(residual));
  }
  out.push_back(static_cast<float>(c.onset));
  out.push_back(squashed(n / 2 * std::log((ends + kSoftening * n) / (goes_on + kSoftening * n))));
  out.push_back(static_cast<float>(std::log(best / n + 1e-3)));

  const double noise = std::sqrt(std::max(best / n, 0.05));
  double least = std::numeric_limits<double>::infinity();
  double sum = 0;
  double weights = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& one : c.beyond) nearest = std::min(nearest, one.residual);
  for (const auto& one : c.beyond) {
    const double behind =
        n / 2 * std::log((one.residual + kSoftening * n) / (nearest + kSoftening * n));
    const double t = one.line_t / noise;
    if (behind < kNearBest) least = std::min(least, t);
    sum += std::exp(-behind) * t;
    weights += std::exp(-behind);
  }
  out.push_back(squashed(least));
  out.push_back(squashed(sum / weights));
  out.push_back(squashed(c.sine_line_t / noise));
}

}  // namespace

std::span<const FeatureInfo> shape_infos() {
  return kInfos;
}

void add_shapes(const FeatureView& view, std::vector<float>& out) {
  add_contest(view.coarse_minimum, view, out);
  add_contest(view.coarse_median, view, out);
}

}  // namespace tidegauge::verdict
