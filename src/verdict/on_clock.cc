// SPDX-License-Identifier: Apache-2.0
#include "verdict/on_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verdict/ramp.h"
#include "verdict/rate.h"
#include "verdict/shapes.h"
#include "verdict/statistics.h"
#include "verdict/survival.h"
#include "verdict/tail.h"

namespace tidegauge::verdict {

namespace {

// A curve carries the word "slowing" if it weighs this much.
constexpr double kClearlyBent = 0.75;
// Growth before the tail is worth a word from here on.
constexpr double kEarlierDeviations = 4;
constexpr double kEarlierLeast = 3;
constexpr double kEarlierOfLevel = 0.01;
// It has ended if the tail grows by less than a fifth of that, and has lasted a fifth as long.
constexpr double kFlatAfter = 0.2;
constexpr double kLongEnough = 0.2;
// …and has settled where it is within this share of all growth.
constexpr double kSettledSlack = 0.03;
constexpr double kFaintResidual = 3.3;
constexpr double kFaintGrowth = 2.5;
// A heap that fills up is above its floor for most of the time; with spikes it is seldom.
constexpr double kTeethAboveFloor = 0.4;

// One pass over one series, on one clock.
class Pass {
 public:
  Pass(const Setting& setting, const std::vector<double>& clock)
      : setting_(setting),
        m_(*setting.material),
        clock_(clock),
        track_(setting.track(clock)),
        scale_(setting.scale),
        swings_(setting.swings),
        last_(setting.last),
        by_steps_(&clock == &setting.steps) {
    seconds_per_clock_ = (point(last_).at - point(0).at) /
                         std::max(clock_[last_] - clock_[0], std::numeric_limits<double>::min());
  }

  // Empty: too few points for a floor.
  std::optional<Analysis> run();

 private:
  const Point& point(std::size_t i) const { return track_.points[i]; }
  double now() const { return point(last_).at; }
  std::optional<double> passes_since(double since) const;
  double survival(double share_of_age) const;
  void set_rate(const Trend& trend, std::size_t first);
  void set_leak_rate();
  void growing();
  void not_growing();
  void stopped(double earlier, double earlier_length);
  std::size_t first_settled_piece(double earlier) const;
  double end_of_growth(std::size_t settled, double earlier) const;
  bool ended_by_pass(double earlier) const;
  double parting(const Segment& before, const Segment& after) const;
  double begin_of_piece(std::size_t piece) const;
  void look_again_at_survival();

  const Setting& setting_;
  const Material& m_;
  const std::vector<double>& clock_;
  Track track_;
  const Scale& scale_;
  Swings swings_;  // our own: a floor may have to be found without the collector's teeth
  std::size_t last_;
  bool by_steps_;
  double seconds_per_clock_ = 1;
  Floor floor_{};
  Tail tail_{};
  Ramp ramp_{};
  Analysis out_{};
};

std::optional<double> Pass::passes_since(double since) const {
  if (!m_.passes->known()) return {};
  // Growth that began with the job, or soon after, began with the first pass.
  constexpr double kWithTheJob = 0.05;
  const double begun = m_.passes->passes_at(since);
  const bool with_the_job = since <= point(0).at || begun < kWithTheJob;
  // One sample of grace: sub-sampled steps know only that the pass ended since the last one.
  const double spacing =
      last_ > 0 ? m_.passes->passes_at(now()) - m_.passes->passes_at(point(last_ - 1).at) : 0;
  return m_.passes->passes_at(now()) - (with_the_job ? 0 : begun) - std::max(0.0, spacing);
}

double Pass::survival(double share_of_age) const {
  if (out_.passes) return survival_by_pass(*out_.passes * share_of_age);
  const double age = out_.age * share_of_age;
  if (m_.clock_is_steps) return survival_by_length(age, m_.rules->longest_warm_up_steps);
  return survival_by_length(age, m_.rules->longest_warm_up_minutes * 60);
}

void Pass::set_rate(const Trend& trend, std::size_t first) {
  out_.rate.reset();
  out_.per_step.reset();
  if (!std::isfinite(trend.error)) return;
  const Interval rate = rate_of(track_, first, last_, trend, scale_, swings_.collected);
  const auto interval = [&](double per) {
    return Interval{rate.value / per, rate.low / per, rate.high / per};
  };
  out_.rate = interval(seconds_per_clock_);
  // A falling floor excludes a leak only down to what could be seen at all.
  const double seen = scale_.noise_floor / std::max(now() - point(first).at, 1e-9);
  out_.not_excluded = std::max(seen, out_.rate->high);
  if (by_steps_ || m_.clock_is_steps) {
    out_.per_step = interval(1);
  } else if (const auto* steps = m_.marks->steps()) {
    const double walked = steps->count_at(now()) - steps->count_at(point(first).at);
    const double seconds = now() - point(first).at;
    if (walked > 0 && seconds > 0) out_.per_step = interval(walked / seconds);
  }
}

// Growth that the last piece does not show by itself: the shortest stretch up to now that does, or
// the one that shows it best.
void Pass::set_leak_rate() {
  const double alpha = level_of_test(m_.series->count());
  Trend best;
  std::size_t best_first = 0;
  for (const double share : {0.125, 0.25, 0.5, 1.0}) {
    const double from = clock_[last_] - share * (clock_[last_] - clock_[0]);
    const std::size_t first = share < 1 ? point_at(track_, last_, from) : 0;
    const Trend trend = zoom_in(track_, first, last_, scale_, swings_, alpha).trend;
    if (trend.points < 4 || trend.t() <= best.t()) continue;
    best = trend;
    best_first = first;
    if (trend.t() > tail_.bar) break;
  }
  if (!(best.slope > 0)) return;
  const auto tail_rate = out_.rate;
  const auto tail_per_step = out_.per_step;
  const double tail_not_excluded = out_.not_excluded;
  set_rate(best, best_first);
  out_.leak_rate = out_.rate;
  out_.leak_per_step = out_.per_step;
  out_.leak_began = point(best_first).at;
  out_.rate = tail_rate;
  out_.per_step = tail_per_step;
  out_.not_excluded = tail_not_excluded;
}

std::optional<Analysis> Pass::run() {
  auto floor = find_floor(track_, last_, scale_, swings_);
  if (!floor && swings_.collected) {
    swings_.collected = false;
    floor = find_floor(track_, last_, scale_, swings_);
  }
  if (!floor) return {};
  floor_ = std::move(*floor);
  tail_ = find_tail(track_, floor_, last_, scale_, swings_, m_.series->count());
  out_.t = tail_.trend.t();
  out_.bar = tail_.bar;
  set_rate(tail_.trend, tail_.first);
  ramp_ = find_ramp(track_, floor_, tail_, last_, scale_, swings_);
  out_.tail_length = tail_.length * seconds_per_clock_;
  out_.below_high_water = ramp_.below_high_water;
  std::vector<double> recent;
  const std::size_t few = std::max<std::size_t>(1, track_.size() / 20);
  for (std::size_t i = last_ + 1 - std::min(few, last_ + 1); i <= last_; ++i) {
    recent.push_back(point(i).low);
  }
  out_.level = median(recent);
  // The last moments may lie within a spike; a floor that stays is where its last piece is.
  if (!tail_.grows && !swings_.peaks.empty()) {
    out_.level = std::min(out_.level, floor_.pieces.back().last_value);
  }
  if (tail_.grows && !ramp_.below_high_water) {
    growing();
  } else {
    not_growing();
    set_leak_rate();
  }
  out_.floor = floor_;
  return out_;
}

void Pass::look_again_at_survival() {
  const double needed = survival_needed(*m_.rules, leak_bar(m_));
  if (out_.passes) {
    const double missing = passes_at_survival(needed) - *out_.passes;
    const auto first = m_.passes->first_pass_ends();
    const double begun = m_.passes->passes_at(point(0).at);
    const double walked = m_.passes->passes_at(now()) - begun;
    const double length = first && *first > now() ? *first - point(0).at
                          : walked > 0            ? (now() - point(0).at) / walked
                                                  : now() - point(0).at;
    // The sample that shows it comes up to one spacing later.
    const double spacing =
        (now() - point(0).at) / static_cast<double>(std::max<std::size_t>(1, last_));
    out_.look_again = now() + std::max(0.05, missing) * length + spacing;
    out_.look_again_why =
        "growth that ends with the first pass over the data would have ended then";
    return;
  }
  const double longest =
      m_.clock_is_steps ? m_.rules->longest_warm_up_steps : m_.rules->longest_warm_up_minutes * 60;
  out_.look_again = out_.began + age_at_survival(needed, longest);
  out_.look_again_why = "a warm-up would most likely have ended by then";
  if (*out_.look_again <= now()) out_.look_again = now() + 0.3 * (now() - point(0).at);
}

void Pass::growing() {
  const Zoom zoom =
      zoom_in(track_, ramp_.first, last_, scale_, swings_, level_of_test(m_.series->count()));
  set_rate(zoom.trend, ramp_.first);
  out_.began = ramp_.since;
  out_.age = std::max(0.0, now() - ramp_.since);
  out_.passes = passes_since(point(ramp_.first).at);
  const double per_second = zoom.trend.slope / seconds_per_clock_;
  if (setting_.regime.previous_slope > 0 && per_second > 0.5 * setting_.regime.previous_slope &&
      per_second < 2 * setting_.regime.previous_slope) {
    out_.age = std::max(out_.age, setting_.regime.previous_length);
  }
  const bool curved = ramp_.concave_first != ramp_.first;
  const Channel channel = floor_.channel == Channel::Trough ? Channel::Minimum : floor_.channel;
  const Curve curve = curved
                          ? read_channel(track_, ramp_.concave_first, last_, channel,
                                         std::min<std::size_t>(48, last_ - ramp_.concave_first + 1))
                          : zoom.curve;
  const ShapePosterior shapes =
      weigh_shapes(curve, clock_[ramp_.concave_first], clock_[last_],
                   std::max(floor_.deviation, scale_.noise_floor), scale_.least_growth,
                   [this](double share) { return survival(share); });
  const double wandering = chance_of_wandering(track_, floor_, ramp_, zoom.trend.slope, scale_);
  double leak = 0;
  double not_leak = shapes.bounded;
  for (const auto& line : shapes.lines) {
    const double share = curved ? 1 : line.age_share;
    leak += line.weight;
    not_leak += line.weight * kStraightWarmUps * (survival(share) + wandering);
  }
  out_.plain = leak / std::max(leak + not_leak, std::numeric_limits<double>::min());
  out_.survival = survival(1);
  out_.line_weight = shapes.line_weight();
  out_.bent_weight = shapes.bounded;
  const bool bent = shapes.bounded > kClearlyBent * (leak + not_leak);
  out_.finding = bent ? Finding::Slowing : Finding::Growing;
  if (bent && std::isfinite(shapes.best_bounded.length)) {
    out_.plateau = curve.z.front() + shapes.best_bounded.plateau_growth;
    out_.plateau_at =
        point(ramp_.concave_first).at + shapes.best_bounded.length * seconds_per_clock_;
  }
  if (!bent) look_again_at_survival();
}

// Where the lines of a piece and of the one before it meet, if that is near their common end; not
// later than the curve has left the one for the other, as it has where it jumped.
double Pass::parting(const Segment& before, const Segment& after) const {
  constexpr double kOff = 2;       // deviations
  constexpr double kBeyond = 0.5;  // parts: so far two lines may miss each other by chance
  const auto& x = floor_.curve.x;
  const auto& z = floor_.curve.z;
  if (before.slope == after.slope) return x[after.begin];
  const double meet = (after.intercept - before.intercept) / (before.slope - after.slope);
  const std::size_t latest = std::min(x.size() - 1, after.begin + 2);
  if (!(meet > x[before.begin] && meet < x[latest])) return x[after.begin];
  const auto off = [&](const Segment& line, std::size_t i) {
    return std::fabs(z[i] - line.at(x[i])) > kOff * floor_.deviation;
  };
  std::size_t left = after.begin;
  while (left < latest && (off(after, left) || !off(before, left))) ++left;
  const double part = (x.back() - x.front()) / static_cast<double>(x.size());
  return meet > x[left] + kBeyond * part ? x[left] : meet;
}

double Pass::begin_of_piece(std::size_t piece) const {
  const auto& pieces = floor_.pieces;
  const double place =
      piece > 0 ? parting(pieces[piece - 1], pieces[piece]) : floor_.curve.x[pieces[piece].begin];
  const std::size_t i = std::max<std::size_t>(1, point_at(track_, last_, place));
  const double span = std::max(clock_[i] - clock_[i - 1], std::numeric_limits<double>::min());
  return point(i - 1).at + (place - clock_[i - 1]) / span * (point(i).at - point(i - 1).at);
}

// From it on the floor is never again clearly below where it settled; a long spike in between, or a
// slow decline, does not make growth end later.
std::size_t Pass::first_settled_piece(double earlier) const {
  const auto& pieces = floor_.pieces;
  const double level = std::min(pieces.back().first_value, pieces.back().last_value) -
                       std::max(kSettledSlack * earlier, 2 * floor_.deviation);
  std::size_t first = pieces.size() - 1;
  while (first > 0 &&
         std::min(pieces[first - 1].first_value, pieces[first - 1].last_value) > level) {
    --first;
  }
  return first;
}

// Growth that was over within a few of the floor's parts (imports, a pool) is looked up in the
// points themselves.
double Pass::end_of_growth(std::size_t settled, double earlier) const {
  constexpr double kFewParts = 3;
  const double coarse = settled > 0 ? begin_of_piece(settled) : *out_.ended;
  if (settled == 0 || coarse - point(0).at > kFewParts * out_.part) return coarse;
  const double reached =
      floor_.pieces[settled].first_value - std::max(kSettledSlack * earlier, 2 * floor_.deviation);
  const auto until = std::find_if(track_.points.begin(), track_.points.end(), [&](const Point& p) {
    return p.low >= reached || p.at >= coarse;
  });
  return until == track_.points.end() ? coarse : std::min(until->at, coarse);
}

// Growth that ended where the first pass over the data did, and did not come back in a whole pass
// since: later passes may be so much faster that few samples saw them, but all the data was read.
bool Pass::ended_by_pass(double earlier) const {
  constexpr double kNearPassEnd = 0.12;  // of the pass
  constexpr double kPassesSince = 0.9;   // a sample may be missing at either end
  constexpr double kNoGrowth = 0.05;     // of what grew before
  const auto pass = m_.passes->known() ? m_.passes->first_pass_ends() : std::nullopt;
  if (!pass || !out_.settled_at) return false;
  const bool near = std::fabs(*out_.settled_at - *pass) < kNearPassEnd * std::max(*pass, 1e-9);
  const auto& tail = floor_.pieces.back();
  return near && m_.passes->passes_at(now()) - 1 >= kPassesSince &&
         tail.last_value - tail.first_value < kNoGrowth * earlier;
}

// Chance of a leak that is too slow to be seen: it rises with the slope's t.
double chance_of_hidden_leak(double t) {
  return 0.03 + 0.3 * logistic(1.5 * (t - 2.2));
}

void Pass::stopped(double earlier, double earlier_length) {
  const auto& pieces = floor_.pieces;
  double steepest = earlier / earlier_length;
  double jump = 0;
  // Of the piece that brought the most.
  double typical_slope = earlier / earlier_length;
  double most = 0;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    steepest = std::max(steepest, pieces[i].slope);
    const double grown = pieces[i].last_value - pieces[i].first_value;
    if (grown > most) {
      most = grown;
      typical_slope = pieces[i].slope;
    }
    jump = std::max(jump, pieces[i + 1].first_value - pieces[i].last_value);
  }
  const double run = floor_.curve.x.back() - floor_.curve.x.front();
  const bool one_jump = pieces.size() == 2 && jump > 0.7 * earlier && earlier_length > 0.15 * run;
  const bool flat = tail_.trend.slope + tail_.trend.half_width(0.95) < kFlatAfter * steepest;
  const bool long_enough = tail_.length >= kLongEnough * earlier_length;
  out_.part = run / static_cast<double>(floor_.curve.x.size()) * seconds_per_clock_;
  out_.ended = begin_of_piece(pieces.size() - 1);
  const auto settled = first_settled_piece(earlier);
  out_.settled_at = end_of_growth(settled, earlier);
  out_.growth_before = earlier;
  const double slope_before = one_jump ? earlier / earlier_length : typical_slope;
  out_.rate_before = slope_before / seconds_per_clock_;
  if (by_steps_ && *out_.settled_at > point(0).at) {
    // Steps were slower, or faster, then than they are on the whole.
    out_.per_step_before = slope_before;
    out_.rate_before = slope_before * earlier_length / (*out_.settled_at - point(0).at);
  }
  if (flat && long_enough && out_.t > kFaintResidual && tail_.growth > scale_.least_growth) {
    out_.finding = Finding::FaintResidual;
    out_.plain = 0.4;
    const double run_seconds = now() - point(0).at;
    out_.look_again =
        now() +
        run_seconds * std::max(0.1, std::pow(out_.bar / std::max(0.5, out_.t), 2.0 / 3) - 1);
    out_.look_again_why = "what growth is left would stand out of the noise by then";
  } else if (flat && long_enough) {
    out_.finding = one_jump ? Finding::Shifted : Finding::Settled;
    out_.plain = chance_of_hidden_leak(out_.t);
  } else if (ended_by_pass(earlier)) {
    out_.finding = Finding::Settled;
    out_.plain = chance_of_hidden_leak(out_.t);
    out_.ended_by_pass = true;
  } else {
    out_.finding = Finding::Stopping;
    out_.plain = 0.25;
    out_.look_again =
        now() + std::max(kLongEnough * earlier_length - tail_.length, 0.1 * earlier_length) *
                    seconds_per_clock_;
    out_.look_again_why = "a pause would have ended by then";
  }
}

void Pass::not_growing() {
  const auto& pieces = floor_.pieces;
  const std::vector<double> tail_values(
      floor_.curve.z.begin() + static_cast<std::ptrdiff_t>(pieces.back().begin),
      floor_.curve.z.end());
  const double earlier = median(tail_values) - pieces.front().first_value;
  const double earlier_length =
      std::max(floor_.curve.x[pieces.back().begin] - floor_.curve.x.front(), 1e-12);
  const bool several = pieces.size() > 1;
  if (several &&
      earlier > std::max({kEarlierDeviations * floor_.long_deviation,
                          kEarlierLeast * scale_.least_growth, kEarlierOfLevel * scale_.level})) {
    stopped(earlier, earlier_length);
    return;
  }
  const bool moved =
      several &&
      std::fabs(earlier) > std::max({kEarlierDeviations * floor_.long_deviation,
                                     kEarlierOfLevel * scale_.level, 2 * scale_.least_growth});
  const double duration = now() - point(0).at;
  if (setting_.regime.restarts > 0) {
    out_.finding = Finding::Shifted;
  } else if (draws_teeth(m_.series->swings(), duration) && swings_.above_floor > kTeethAboveFloor) {
    out_.finding = Finding::Toothed;
  } else if (!swings_.peaks.empty() || m_.series->swings().rises() > 0) {
    out_.finding = Finding::Spiky;
  } else {
    out_.finding = moved ? Finding::Shifted : Finding::Flat;
  }
  out_.otherwise = out_.finding;
  if (moved) out_.settled_at = out_.ended = begin_of_piece(pieces.size() - 1);
  out_.plain = chance_of_hidden_leak(out_.t);
  if (out_.t > kFaintGrowth && tail_.growth > scale_.least_growth && out_.t <= out_.bar) {
    out_.finding = Finding::FaintGrowth;
    out_.plain = 0.3;
    out_.look_again =
        now() + (now() - point(0).at) * (std::pow(out_.bar / std::max(0.5, out_.t), 2.0 / 3) - 1);
    out_.look_again_why = "growth this faint would stand out of the noise by then";
  }
}

}  // namespace

std::optional<Analysis> judge_on_clock(const Setting& setting, const std::vector<double>& clock) {
  return Pass(setting, clock).run();
}

}  // namespace tidegauge::verdict
