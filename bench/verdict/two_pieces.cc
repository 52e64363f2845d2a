// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

#include "bench/verdict/baselines.h"
#include "bench/verdict/regression.h"

namespace tidegauge::bench {
namespace {

constexpr double kBlocks = 60;
constexpr std::size_t kFewestBlocks = 12;
constexpr std::size_t kShortestPiece = 4;
constexpr double kLeastVariance = 1e6;  // byte²: a series without noise is not infinitely certain

struct Piece {
  double constant_residuals = 0;
  double line_residuals = 0;
  double t = 0;  // of the line, if it rises
};

Piece fit_piece(const Points& points, std::size_t from, std::size_t to) {
  const auto line = fit_line(points.xs(from, to), points.ys(from, to));
  Piece piece;
  piece.line_residuals = line.squared_residuals;
  // Around the mean: what a line leaves, divided by its share.
  double mean = 0;
  for (std::size_t i = from; i < to; ++i) mean += points.y[i] / static_cast<double>(to - from);
  for (std::size_t i = from; i < to; ++i)
    piece.constant_residuals += (points.y[i] - mean) * (points.y[i] - mean);
  if (line.slope > 0 && line.slope_error > 0) piece.t = line.slope / line.slope_error;
  return piece;
}

// Keeps the best model so far.
struct Contest {
  double blocks;
  double best;
  double score = 0;

  double bic(double residuals, double parameters) const {
    return blocks * std::log(residuals / blocks + kLeastVariance) + parameters * std::log(blocks);
  }
  void enter(double residuals, double parameters, double t) {
    const double value = bic(residuals, parameters);
    if (value >= best) return;
    best = value;
    score = t;
  }
};

}  // namespace

double best_of_two_pieces(const Prefix& p) {
  const double width = (p.seconds.back() - p.seconds.front()) / kBlocks;
  if (width <= 0) return 0;
  const auto points = block_medians(p.seconds, p.bytes, width);
  const auto count = points.size();
  if (count < kFewestBlocks) return 0;
  const auto whole = fit_piece(points, 0, count);
  Contest contest{static_cast<double>(count), 0};
  contest.best = contest.bic(whole.constant_residuals, 1);
  contest.enter(whole.line_residuals, 2, whole.t);
  for (std::size_t cut = kShortestPiece; cut + kShortestPiece <= count; ++cut) {
    const auto left = fit_piece(points, 0, cut);
    const auto right = fit_piece(points, cut, count);
    contest.enter(left.line_residuals + right.constant_residuals, 4, 0);
    contest.enter(left.constant_residuals + right.constant_residuals, 3, 0);
    contest.enter(left.constant_residuals + right.line_residuals, 4, right.t);
    contest.enter(left.line_residuals + right.line_residuals, 5, right.t);
  }
  return contest.score;
}

}  // namespace tidegauge::bench
