// SPDX-License-Identifier: Apache-2.0
#include "view/history.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tidegauge::view {

namespace {

constexpr double kShortestNarrowest = 1e-3;
constexpr double kGapFollows = 0.1;  // how fast the usual gap between samples is learned
constexpr double kGapsToSilence = 2.5;

void merge(Column& column, double low, double high, double last) {
  column.low = column.known ? std::min(column.low, low) : low;
  column.high = column.known ? std::max(column.high, high) : high;
  column.last = last;
  column.known = true;
}

}  // namespace

History::History(double narrowest)
    : narrowest_(narrowest > kShortestNarrowest ? narrowest : kShortestNarrowest),
      usual_gap_(narrowest_) {
  double width = narrowest_;
  for (auto& level : levels_) {
    level.width = width;
    width *= kFactor;
  }
}

void History::Level::add(double at, float bytes, float step) {
  newest = static_cast<std::int64_t>(std::floor(at / width));
  const auto place = place_of(newest);
  if (place >= ring.size()) ring.resize(std::bit_ceil(place + 1));
  auto& block = ring[place];
  if (block.index != newest) block = {newest, bytes, bytes, bytes, step};
  block.low = std::min(block.low, bytes);
  block.high = std::max(block.high, bytes);
  block.last = bytes;
  block.step = step;
}

const History::Block* History::Level::find(std::int64_t index) const {
  const auto place = place_of(index);
  if (index < 0 || place >= ring.size()) return nullptr;
  return ring[place].index == index ? &ring[place] : nullptr;
}

std::int64_t History::Level::oldest() const {
  return std::max<std::int64_t>(0, newest - static_cast<std::int64_t>(kBlocks) + 1);
}

void History::add(double at, double bytes, std::optional<double> step) {
  if (!std::isfinite(at) || !std::isfinite(bytes) || at < 0) return;
  if (samples_ == 0) first_at_ = at;
  if (samples_ > 0) {
    at = std::max(at, last_at_);
    const double gap = std::min(at - last_at_, 10 * usual_gap_);  // one pause teaches little
    usual_gap_ += kGapFollows * (gap - usual_gap_);
  }
  last_at_ = at;
  ++samples_;
  const auto shown_step =
      step ? static_cast<float>(*step) : std::numeric_limits<float>::quiet_NaN();
  for (auto& level : levels_) level.add(at, static_cast<float>(bytes), shown_step);
}

const History::Level& History::level_for(double from, double to) const {
  for (const auto& level : levels_) {
    const bool reaches_back =
        static_cast<double>(level.oldest()) * level.width <= std::max(from, first_at_);
    if (reaches_back && (to - from) / level.width <= static_cast<double>(kBlocks)) return level;
  }
  return levels_.back();
}

double History::longest_silence(const Level& level) const {
  return std::max({kGapsToSilence * usual_gap_, kGapsToSilence * narrowest_, 2 * level.width});
}

template <class Take>
void History::each_block(const Level& level, double from, double to, Take take) const {
  const auto first =
      std::max(level.oldest(), static_cast<std::int64_t>(std::floor(from / level.width)));
  const auto last = std::min(level.newest, static_cast<std::int64_t>(std::floor(to / level.width)));
  for (auto index = first; index <= last; ++index) {
    if (const auto* block = level.find(index)) take(*block);
  }
}

std::vector<Column> History::by_time(double from, double to, std::size_t count) const {
  std::vector<Column> columns(count);
  if (count == 0 || !(to > from) || empty()) return columns;
  const double width = (to - from) / static_cast<double>(count);
  const auto& level = level_for(from, to);
  const auto column_of = [&](double at) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((at - from) / width)), 0,
                                    static_cast<std::int64_t>(count) - 1);
  };
  const double silence = longest_silence(level);
  double seen_until = -silence;
  // One block more on the left, so that the first columns have something to continue.
  each_block(level, from - silence - level.width, to, [&](const Block& block) {
    const double begin = std::max(static_cast<double>(block.index) * level.width, first_at_);
    const double end = std::min(begin + level.width, last_at_ + narrowest_ / 2);
    if (begin - seen_until <= silence && begin > from) {
      for (auto i = column_of(seen_until); i < column_of(begin); ++i) {
        auto& column = columns[static_cast<std::size_t>(i)];
        const auto before = i > 0 ? columns[static_cast<std::size_t>(i) - 1] : Column{};
        if (!column.known && before.known) merge(column, before.last, before.last, before.last);
      }
    }
    seen_until = end;
    if (end <= from || begin >= to) return;
    for (auto i = column_of(begin); i <= column_of(std::nextafter(end, begin)); ++i) {
      merge(columns[static_cast<std::size_t>(i)], block.low, block.high, block.last);
    }
  });
  return columns;
}

std::vector<Column> History::by_step(double from, double to, std::size_t count) const {
  std::vector<Column> columns(count);
  if (count == 0 || !(to > from) || empty()) return columns;
  const double width = (to - from) / static_cast<double>(count);
  const auto begin = time_of(from).value_or(first_at_);
  const auto end = time_of(to).value_or(last_at_);
  double before = from;
  each_block(level_for(begin, end), begin, end, [&](const Block& block) {
    const auto step = static_cast<double>(block.step);
    if (std::isnan(step) || step < from || before > to) return;
    const auto first = std::max(0.0, std::floor((before - from) / width));
    const auto last = std::min(static_cast<double>(count) - 1, std::floor((step - from) / width));
    for (auto i = first; i <= last; i += 1) {
      merge(columns[static_cast<std::size_t>(i)], block.low, block.high, block.last);
    }
    before = std::max(before, step);
  });
  return columns;
}

std::optional<double> History::step_at(double at) const {
  if (!(at >= 0)) return {};
  for (const auto& level : levels_) {
    // Compared before it is a whole number: a window may reach to any time, even to no end.
    const auto asked = std::min(static_cast<double>(level.newest), at / level.width);
    for (auto index = static_cast<std::int64_t>(std::floor(asked));
         index >= level.oldest() && index >= 0; --index) {
      const auto* block = level.find(index);
      if (!block) continue;
      if (std::isnan(block->step)) return {};
      return static_cast<double>(block->step);
    }
  }
  return {};
}

std::optional<double> History::time_of(double step) const {
  for (const auto& level : levels_) {
    std::optional<double> found;
    bool covered = level.oldest() == 0 || &level == &levels_.back();
    each_block(level, 0, last_at_, [&](const Block& block) {
      if (std::isnan(block.step) || found) return;
      if (static_cast<double>(block.step) < step) {
        covered = true;
      } else if (covered) {
        found = std::clamp(static_cast<double>(block.index) * level.width, first_at_, last_at_);
      }
    });
    if (found) return found;
  }
  return {};
}

void mark_floor(std::span<Column> columns, std::size_t reach) {
  // The least of the next `reach` columns, by a look back from the right for each.
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].known) continue;
    columns[i].floor = columns[i].low;
    for (std::size_t k = i + 1; k < columns.size() && k <= i + reach && columns[k].known; ++k) {
      columns[i].floor = std::min(columns[i].floor, columns[k].low);
    }
  }
  for (std::size_t i = 0; i < columns.size();) {
    if (!columns[i].in_phase) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < columns.size() && columns[end].in_phase) ++end;
    const bool has_before = i > 0 && columns[i - 1].known;
    const bool has_after = end < columns.size() && columns[end].known;
    double level = std::numeric_limits<double>::infinity();
    if (has_before) level = columns[i - 1].floor;
    if (has_after) level = has_before ? std::max(level, columns[end].floor) : columns[end].floor;
    for (; i < end; ++i) columns[i].floor = std::min(columns[i].floor, level);
  }
}

}  // namespace tidegauge::view
