// SPDX-License-Identifier: Apache-2.0
#include "verdict/segments.h"

#include <algorithm>
#include <limits>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

// Sums from the start, so that the best line through any stretch costs a few additions.
class LineCosts {
 public:
  explicit LineCosts(const Curve& curve)
      : x0_(curve.x.front()),
        scale_(std::max(curve.x.back() - curve.x.front(), 1e-12)),
        z0_(mean(curve.z)),
        sums_(curve.size() + 1) {
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const double x = (curve.x[i] - x0_) / scale_;
      const double z = curve.z[i] - z0_;
      const Sums& s = sums_[i];
      sums_[i + 1] = {s.x + x, s.z + z, s.xx + x * x, s.xz + x * z, s.zz + z * z};
    }
  }

  double residual(std::size_t begin, std::size_t end) const {
    const Moments m = moments(begin, end);
    return std::max(0.0, m.zz - slope(m) * m.xz);
  }

  Segment line(const Curve& curve, std::size_t begin, std::size_t end) const {
    const Moments m = moments(begin, end);
    Segment out{.begin = begin, .end = end};
    out.slope = slope(m) / scale_;
    out.intercept = m.mean_z + z0_ - out.slope * (x0_ + m.mean_x * scale_);
    out.first_value = out.at(curve.x[begin]);
    out.last_value = out.at(curve.x[end - 1]);
    return out;
  }

 private:
  struct Sums {
    double x = 0;
    double z = 0;
    double xx = 0;
    double xz = 0;
    double zz = 0;
  };
  struct Moments {
    double mean_x = 0;
    double mean_z = 0;
    double xx = 0;
    double xz = 0;
    double zz = 0;
  };
  Moments moments(std::size_t begin, std::size_t end) const {
    const Sums& a = sums_[begin];
    const Sums& b = sums_[end];
    const auto n = static_cast<double>(end - begin);
    const double x = (b.x - a.x) / n;
    const double z = (b.z - a.z) / n;
    return {x, z, b.xx - a.xx - n * x * x, b.xz - a.xz - n * x * z, b.zz - a.zz - n * z * z};
  }
  static double slope(const Moments& m) { return m.xx > 1e-300 ? m.xz / m.xx : 0; }

  double x0_;
  double scale_;
  double z0_;
  std::vector<Sums> sums_;
};

// best[k][j]: least residual of k + 1 pieces over the first j points, and where the last began.
struct Table {
  std::vector<std::vector<double>> best;
  std::vector<std::vector<std::size_t>> began;
};

Table fill(const LineCosts& costs, std::size_t n, const SegmentRules& rules) {
  const auto pieces = static_cast<std::size_t>(rules.most_pieces);
  const auto least = static_cast<std::size_t>(rules.fewest_points);
  const auto least_last = std::max(least, static_cast<std::size_t>(rules.fewest_points_last));
  Table table{std::vector(pieces, std::vector(n + 1, kImpossible)),
              std::vector(pieces, std::vector<std::size_t>(n + 1, 0))};
  for (std::size_t j = least; j <= n; ++j) table.best[0][j] = costs.residual(0, j);
  for (std::size_t j = 2 * least; j <= n; ++j) {
    const std::size_t own = j == n ? least_last : least;
    for (std::size_t i = least; i + own <= j; ++i) {
      const double cost = costs.residual(i, j);
      for (std::size_t k = 1; k < pieces; ++k) {
        const double total = table.best[k - 1][i] + cost;
        if (total < table.best[k][j]) {
          table.best[k][j] = total;
          table.began[k][j] = i;
        }
      }
    }
  }
  return table;
}

}  // namespace

std::vector<Segmentation> segment(const Curve& curve, const SegmentRules& rules) {
  std::vector<Segmentation> out;
  const std::size_t n = curve.size();
  if (n == 0) return out;
  const LineCosts costs(curve);
  const Table table = fill(costs, n, rules);
  for (std::size_t k = 0; k < table.best.size() && table.best[k][n] < kImpossible; ++k) {
    Segmentation found{.residual = table.best[k][n], .pieces = {}};
    std::size_t end = n;
    for (std::size_t piece = k + 1; piece-- > 0;) {
      const std::size_t begin = piece == 0 ? 0 : table.began[piece][end];
      found.pieces.push_back(costs.line(curve, begin, end));
      end = begin;
    }
    std::reverse(found.pieces.begin(), found.pieces.end());
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace tidegauge::verdict
