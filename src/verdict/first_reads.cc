// SPDX-License-Identifier: Apache-2.0
#include "verdict/first_reads.h"

#include <cmath>
#include <vector>

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kFewestPoints = 16;
// The two clocks tell different stories if so much of the one is not explained by the other…
constexpr double kClocksDiffer = 0.005;
// …and if what goes with the other one is known this well, as a share of all growth. Points next to
// each other err alike: so many of them count as one.
constexpr double kKnown = 0.05;
constexpr double kErrAlike = 8;
// Of all growth: what first reads must account for, and what the other clock may.
constexpr double kByFirstReads = 0.85;
constexpr double kOtherwise = 0.1;
// What neither accounts for, on average.
constexpr double kUnexplained = 0.08;

// Sums of squares about the means, of floor (y), examples (d) and the other clock (s).
struct Sums {
  double n = 0;
  double y = 0, d = 0, s = 0;
  double yy = 0, dd = 0, ss = 0, yd = 0, ys = 0, ds = 0;
};

Sums sums_of(const std::vector<double>& y, const std::vector<double>& d,
             const std::vector<double>& s) {
  Sums out{.n = static_cast<double>(y.size())};
  for (std::size_t i = 0; i < y.size(); ++i) {
    out.y += y[i] / out.n;
    out.d += d[i] / out.n;
    out.s += s[i] / out.n;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double a = y[i] - out.y;
    const double b = d[i] - out.d;
    const double c = s[i] - out.s;
    out.yy += a * a;
    out.dd += b * b;
    out.ss += c * c;
    out.yd += a * b;
    out.ys += a * c;
    out.ds += b * c;
  }
  return out;
}

}  // namespace

std::optional<FirstReads> growth_by_first_reads(const Setting& setting) {
  const PassClock& passes = *setting.material->passes;
  const CountTrack* reads = passes.reads();
  if (reads == nullptr || setting.swings.collected) return {};
  std::vector<double> y;
  std::vector<double> d;
  std::vector<double> s;
  for (std::size_t i = 0; i <= setting.last; ++i) {
    if (setting.points[i].at < reads->first_at()) continue;
    y.push_back(setting.points[i].low);
    d.push_back(reads->count_at(setting.points[i].at));
    s.push_back(setting.steps.empty() ? setting.seconds[i] : setting.steps[i]);
  }
  if (y.size() < kFewestPoints) return {};
  const Sums sums = sums_of(y, d, s);
  const double determinant = sums.dd * sums.ss - sums.ds * sums.ds;
  if (!(determinant > kClocksDiffer * sums.dd * sums.ss)) return {};
  const double per_example = (sums.yd * sums.ss - sums.ys * sums.ds) / determinant;
  const double per_other = (sums.ys * sums.dd - sums.yd * sums.ds) / determinant;
  const double by_reads = per_example * (d.back() - d.front());
  const double by_other = per_other * (s.back() - s.front());
  const double grown = by_reads + by_other;
  const double left = sums.yy - per_example * sums.yd - per_other * sums.ys;
  const double unexplained = std::sqrt(std::max(0.0, left) / sums.n);
  const double apart = sums.ss * determinant / (sums.dd * sums.ss);
  const double error = unexplained * std::sqrt(kErrAlike / apart) * (s.back() - s.front());
  if (error > kKnown * grown) return {};
  if (!(grown > setting.scale.least_growth) || by_reads < kByFirstReads * grown ||
      std::fabs(by_other) > kOtherwise * grown || unexplained > kUnexplained * grown) {
    return {};
  }
  const double now = sums.y + per_example * (d.back() - sums.d) + per_other * (s.back() - sums.s);
  const double run = setting.now() - reads->first_at();
  return FirstReads{.bytes_per_example = per_example,
                    .read = d.back(),
                    .all = passes.examples(),
                    .end_level = now + per_example * std::max(0.0, passes.examples() - d.back()),
                    .not_excluded = std::max(0.0, by_other + 2 * error) / std::max(run, 1e-9)};
}

void bound_by_first_reads(const FirstReads& reads, Analysis& analysis) {
  constexpr double kHardlyALeak = 0.15;
  constexpr double kAllButFew = 0.995;  // drawn at random, the last ones take for ever
  const auto finding = analysis.finding;
  if (finding != Finding::Growing && finding != Finding::Slowing && finding != Finding::Stopping &&
      finding != Finding::FaintResidual) {
    return;
  }
  analysis.first_reads = {reads.bytes_per_example, reads.read, reads.all};
  const bool over = reads.read >= kAllButFew * reads.all && analysis.ended;
  analysis.finding = over ? Finding::Settled : Finding::Slowing;
  if (!over) {  // what looked like an end was a pause
    analysis.ended.reset();
    analysis.settled_at.reset();
  }
  analysis.tied_to = Tie::FirstPass;
  analysis.plateau = reads.end_level;
  analysis.plateau_at.reset();
  analysis.not_excluded = reads.not_excluded;
  if (analysis.p_leak <= kHardlyALeak) return;
  analysis.rule = "what grows goes with examples read for the first time";
  analysis.p_leak = kHardlyALeak;
}

}  // namespace tidegauge::verdict
