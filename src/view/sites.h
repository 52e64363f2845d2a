// SPDX-License-Identifier: Apache-2.0
// What the profiles of a recording found: of each process the first, the last, and some of those
// between, so that the places that grew in a stretch of time can be told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"

namespace tidegauge::view {

class Sites {
 public:
  struct OfProcess {
    record::ProcessId process{};
    std::size_t profiles = 0;             // that there were
    std::vector<record::Profile> kept{};  // never empty, in order, each with its largest sites
  };
  static constexpr std::size_t kMostProcesses = 8;
  static constexpr std::size_t kMostSites = 512;  // of a profile
  // Of a process; when there are more, every second one between is forgotten.
  static constexpr std::size_t kMostProfiles = 12;

  void add(const record::Profile& profile);
  const std::vector<OfProcess>& all() const { return all_; }

 private:
  std::vector<OfProcess> all_{};
};

// The sites of one process over all profiles that were kept. Numbers of places are of `places`.
struct SiteCourses {
  struct Course {
    std::vector<std::uint32_t> stack{};
    record::Telling telling{};
    std::vector<double> live_at{};  // 0 where a profile does not have it
    // As of the last profile.
    record::Count live_count{};
    record::Bytes allocated{};
    record::Count allocated_count{};

    double live() const { return live_at.back(); }
    double grown() const { return live_at.back() - live_at.front(); }
  };
  std::vector<record::CodePlace> places{};
  std::vector<Course> courses{};  // what has grown most first, then what is largest
};
SiteCourses courses_of(const Sites::OfProcess& of);

// Sites with the same place in code, for a table.
struct SiteRow {
  std::string where{};  // "load (data.py:12)"
  std::string from{};   // the code of one's own that calls it; empty: it is that itself
  double live = 0;
  std::optional<double> grown{};  // since the first profile; empty: there is only one
  std::optional<double> count{};
};
// What grew most first; where there is one profile, the largest.
std::vector<SiteRow> rows_of(const Sites::OfProcess& of, std::size_t most);

// "By tracemalloc, every allocation", "By tidegauge, one in 512 KiB"
std::string sampling_phrase(const record::Profile& profile);

}  // namespace tidegauge::view
