// SPDX-License-Identifier: Apache-2.0
#include "view/timeline_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "view/packed.h"
#include "view/phrases.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;
using Cells = std::span<const ThinTable::Cell>;

constexpr double kMsPerSecond = 1000;
// Steps of this size in what is stored: a page of memory at 32 GiB, a byte below 8 MiB.
constexpr double kMostUnits = 1 << 23;
constexpr std::size_t kMostBands = 8;  // more cannot be told apart
constexpr std::size_t kNameColumns = 64;

// Columns of whole numbers: 0 where nothing is known, else the value in units and 1 more.
class Packer {
 public:
  explicit Packer(const ThinTable& table) : table_(table) {
    double most = 1;
    for (std::size_t i = 0; i < table.columns(); ++i) {
      for (const auto& cell : table.cells(i)) {
        if (!std::isnan(cell.high)) most = std::fmax(most, static_cast<double>(cell.high));
      }
    }
    while (most / unit_ >= kMostUnits) unit_ *= 2;
  }

  template <class Number>  // row -> int64
  void add(Json about, Number number) {
    numbers_.clear();
    for (std::size_t row = 0; row < table_.rows().size(); ++row) numbers_.push_back(number(row));
    append_column(bytes_, numbers_);
    columns_.push_back(std::move(about));
  }
  void add_value(Json about, Cells cells, float ThinTable::Cell::*which) {
    add(std::move(about), [&](std::size_t row) { return units(cells[row].*which); });
  }
  // What `more` is above `less`.
  std::int64_t above(float more, float less) const {
    return std::max<std::int64_t>(0, units(more) - units(less));
  }
  std::int64_t units(float bytes) const {
    if (std::isnan(bytes) || bytes < 0) return 0;
    return std::llround(static_cast<double>(bytes) / unit_) + 1;
  }
  void add_times() {
    add({{"id", "time"}},
        [this](std::size_t row) { return std::llround(table_.rows()[row].from * kMsPerSecond); });
  }
  Json take() {
    return {{"rows", table_.rows().size()},
            {"unit", unit_},
            {"columns", columns_},
            {"data", base64(deflated(bytes_))}};
  }

 private:
  const ThinTable& table_;
  double unit_ = 1;
  std::string bytes_{};
  Json columns_ = Json::array();
  std::vector<std::int64_t> numbers_{};
};

bool any_known(Cells cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const auto& cell) { return !std::isnan(cell.high) && cell.high > 0; });
}

float most_of(Cells cells) {
  float most = 0;
  for (const auto& cell : cells) most = std::fmax(most, cell.high);
  return most;
}

void add_kinds(Packer& packer, const Timeline& timeline) {
  for (std::size_t i = 1; timeline.has_kinds() && i < kLines.size(); ++i) {
    const auto cells = timeline.tree().cells(i);
    if (kLines[i] == Line::Unexplained || !any_known(cells)) continue;
    packer.add_value({{"id", "kind"}, {"kind", id_of(kLines[i])}, {"label", label_of(kLines[i])}},
                     cells, &ThinTable::Cell::at_peak);
  }
}

// The largest bands, the rest as one.
void add_bands(Packer& packer, const Timeline& timeline) {
  if (!timeline.has_kinds()) return;
  const auto cells_of = [&timeline](std::size_t band) {
    return timeline.tree().cells(timeline.first_band() + band);
  };
  std::vector<std::size_t> order(timeline.bands().size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return most_of(cells_of(a)) > most_of(cells_of(b));
  });
  const std::size_t alone = order.size() <= kMostBands ? order.size() : kMostBands - 1;
  for (std::size_t i = 0; i < alone; ++i) {
    packer.add_value({{"id", "band"}, {"label", label_of(timeline.bands()[order[i]])}},
                     cells_of(order[i]), &ThinTable::Cell::at_peak);
  }
  if (alone == order.size()) return;
  packer.add({{"id", "band"}, {"label", "others"}}, [&](std::size_t row) {
    float sum = 0;
    for (std::size_t i = alone; i < order.size(); ++i) {
      const float value = cells_of(order[i])[row].at_peak;
      if (!std::isnan(value)) sum += value;
    }
    return packer.units(sum);
  });
}

void add_named(Packer& packer, const Timeline& timeline) {
  for (std::size_t i = 1; !timeline.has_kinds() && i < timeline.named().size(); ++i) {
    packer.add_value({{"id", "named"}, {"label", shown(timeline.named()[i], kNameColumns)}},
                     timeline.tree().cells(i), &ThinTable::Cell::at_peak);
  }
}

}  // namespace

Json tree_series(const Timeline& timeline, const Progress& progress) {
  const auto& table = timeline.tree();
  if (table.rows().empty()) return nullptr;
  Packer packer(table);
  const auto& rows = table.rows();
  packer.add_times();
  if (progress.step()) {
    packer.add({{"id", "step"}}, [&rows](std::size_t row) -> std::int64_t {
      return std::isnan(rows[row].step) ? 0 : std::llround(rows[row].step) + 1;
    });
  }
  const auto total = table.cells(0);
  const auto floors = tree_columns(timeline, progress);
  packer.add_value({{"id", "low"}}, total, &ThinTable::Cell::low);
  packer.add({{"id", "high_above_low"}},
             [&](std::size_t row) { return packer.above(total[row].high, total[row].low); });
  packer.add({{"id", "low_above_floor"}}, [&](std::size_t row) {
    return packer.above(total[row].low, static_cast<float>(floors[row].floor));
  });
  add_kinds(packer, timeline);
  add_bands(packer, timeline);
  add_named(packer, timeline);
  auto out = packer.take();
  out["end"] = rows.back().to;
  return out;
}

Json process_series(const Timeline& timeline) {
  const auto& table = timeline.processes();
  if (table.rows().empty()) return nullptr;
  Packer packer(table);
  packer.add_times();
  for (std::size_t i = 0; i < timeline.process_ids().size(); ++i) {
    const auto& id = timeline.process_ids()[i];
    const auto cells = table.cells(i);
    const Json about = {{"id", "low"}, {"pid", id.pid}, {"start_ticks", id.start_ticks}};
    packer.add_value(about, cells, &ThinTable::Cell::low);
    packer.add({{"id", "high_above_low"}},
               [&](std::size_t row) { return packer.above(cells[row].high, cells[row].low); });
  }
  return packer.take();
}

}  // namespace tidegauge::view
