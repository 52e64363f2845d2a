// SPDX-License-Identifier: Apache-2.0
// The numbers behind a summary: for the tree, for each role and for each process, by kind of
// memory. Bounded: the largest of the processes that are gone are kept, the rest is one line.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "record/ledger.h"
#include "record/recording.h"
#include "view/history.h"
#include "view/oom_kills.h"
#include "view/progress.h"
#include "view/sites.h"
#include "view/tally.h"

namespace tidegauge::view {

// Kinds kept for each process.
enum class Part { Total, Anon, File, Shmem, Swap, Gpu };
inline constexpr std::array kParts = {Part::Total, Part::Anon, Part::File,
                                      Part::Shmem, Part::Swap, Part::Gpu};
// Kinds kept for the tree, without counting shared pages twice.
enum class Line { Total, Anon, File, Shmem, Swap, PageTables, Hugetlb, Gpu, Unexplained };
inline constexpr std::array kLines = {Line::Total,   Line::Anon, Line::File,
                                      Line::Shmem,   Line::Swap, Line::PageTables,
                                      Line::Hugetlb, Line::Gpu,  Line::Unexplained};

const char* id_of(Part part);     // "total", "anon"…
const char* id_of(Line line);     // "total", "page_tables"…
const char* label_of(Part part);  // "total", "anonymous"…
const char* label_of(Line line);  // "total", "page tables"…
// The same of so many bytes. Less than nothing is unexplained where the kinds add up to more than
// the job's cgroup is charged: pages that the job uses and somebody else paid for.
const char* label_of(Line line, double bytes);

struct ProcessAccount {
  record::Process known{};
  double first_seen = 0;
  double last_seen = 0;
  bool gone = false;
  double gone_at = 0;  // when that was noticed
  std::array<Tally, kParts.size()> tallies{};
  std::uint64_t peak_rss = 0;  // as the kernel kept it, between our samples too
  // What its rss counted twice when its page tables were last walked.
  std::optional<std::int64_t> counted_twice{};
  std::uint32_t told = 0;  // the parts that the last sample had, a bit for each

  const Tally& tally(Part part) const { return tallies[static_cast<std::size_t>(part)]; }
};

// Of one role: gone, and not kept one by one.
struct Folded {
  std::size_t count = 0;
  double largest = 0;  // bytes
};

// All processes of one role together.
struct RoleAccount {
  std::size_t now = 0;
  std::size_t most = 0;
  Tally together{};
};

struct Accounts {
  void begin(const record::Header& header);
  // `ledgers` was told of this entry and all before.
  void add(const record::Entry& entry, const record::LedgerKeeper& ledgers);
  // The same for a sample that finds all as the one before did, in two parts:
  // what is new in each such sample, and what can be done for many of them at
  // once.
  void pass(const record::Sample& sample);
  void repeat(std::uint64_t passed);

  const Tally& line(Line wanted) const { return lines[static_cast<std::size_t>(wanted)]; }
  const RoleAccount& role(record::Role wanted) const {
    return roles[static_cast<std::size_t>(wanted)];
  }

  record::Header header{};
  std::uint64_t samples = 0;
  std::uint64_t walks = 0;  // over page tables
  double first_at = 0;
  double last_at = 0;
  std::map<record::ProcessId, ProcessAccount> processes{};
  std::array<Folded, 5> folded{};  // by role
  std::array<RoleAccount, 5> roles{};
  std::array<Tally, kLines.size()> lines{};
  std::map<std::string, Tally> named{};  // series of a foreign file
  record::Ledger ledger{};               // of the last sample
  Progress progress{};
  History history{};  // of the tree; of the first series where there is no tree
  record::Machine machine{};
  std::optional<std::uint64_t> least_available{};
  std::optional<record::Cgroup> cgroup{};  // the nearest with a limit, as of the last sample
  record::Bytes cgroup_most{};  // charged to it; a limit in somebody's file says nothing of that
  OomKills oom_kills{};
  Sites sites{};  // what profiles found
  // What the guard did, lately: when, in seconds, and what.
  std::deque<std::pair<double, std::string>> guard{};

 private:
  void add(const record::Process& process);
  void add(const record::Event& event);
  void add(const record::Sample& sample, const record::LedgerKeeper& ledgers);
  void add_end(const record::Event& event);
  bool is_largest(const ProcessAccount& account) const;
  void add_process(const record::ProcessSample& seen, double at);
  void add_ledger(const record::Ledger& now, double at);
  bool only_wrappers_left() const;
  void add_named(const std::string& name, double bytes, double at);
  void add_surroundings(const record::Sample& sample);
  void retire(const record::ProcessId& id, ProcessAccount& account, double at);
  void fold_one();
  void end_without(record::Role role);

  std::map<record::ProcessId, record::Role> role_of_{};  // of the living
  std::array<std::size_t, 5> living_{};                  // how many of each role
  std::size_t gone_ = 0;
  double added_at_ = 0;  // the last sample that was not just passed
  std::uint32_t lines_told_ = 0;
};

}  // namespace tidegauge::view
