// SPDX-License-Identifier: Apache-2.0
// Sorts the entries of a recording into series, in bounded memory, and judges them all.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "record/ledger.h"
#include "verdict/conclude.h"
#include "verdict/limits.h"

namespace tidegauge::verdict {

namespace {

using record::ProcessId;

// Processes beyond the largest so many are part of the tree only.
constexpr std::size_t kMostProcesses = 64;
constexpr std::size_t kMostColumns = 256;
// A kind or process matters if it came to this much, and to this share of the tree.
constexpr double kMatters = 16.0 * 1024 * 1024;
constexpr double kShareThatMatters = 0.05;
constexpr std::size_t kMostVerdicts = 32;
constexpr double kNanosecond = 1e-9;

struct Member {
  std::string name{};
  record::Role role = record::Role::Other;
  std::map<Kind, BlockSeries> kinds{};
  std::map<std::string, BlockSeries> others{};
  double held = 0;  // at the last sample in which it was seen
  std::vector<double> restarts{};
};

double value_of(const record::Bytes& bytes) {
  return static_cast<double>(*bytes);
}

Kind kind_of_column(const std::string& name) {
  for (const Kind kind : {Kind::Rss, Kind::Anon, Kind::Shmem, Kind::Swap, Kind::Pss, Kind::Gpu}) {
    if (name.rfind(id_of(kind), 0) == 0) return kind;
  }
  if (name.rfind("uss", 0) == 0) return Kind::Private;
  return Kind::Other;
}

}  // namespace

struct Gauge::State {
  Rules rules{};
  record::Header header{};
  record::LedgerKeeper keeper{};
  Limits limits{};
  Marks marks{};
  std::optional<std::int64_t> origin_ns{};
  BlockSeries total{};
  BlockSeries gpu{};
  bool has_processes = false;
  std::map<ProcessId, Member> members{};
  std::vector<std::pair<std::string, BlockSeries>> columns{};

  double since_origin(std::int64_t at_ns) {
    if (header.clock == record::Clock::Steps) return static_cast<double>(at_ns) * kNanosecond;
    if (!origin_ns) origin_ns = at_ns;
    return static_cast<double>(at_ns - *origin_ns) * kNanosecond;
  }

  void add(const record::Process& process);
  void add(const record::Event& event);
  void add(const record::Sample& sample);
  void add_member(const record::ProcessSample& process, double at);
  Member* member(const ProcessId& id, double held);
  Verdict judge_one(const Subject& subject, const BlockSeries& series, const PassClock& passes,
                    const std::vector<double>& restarts) const;
  Verdicts judge() const;
};

void Gauge::State::add(const record::Process& process) {
  const auto found = members.find(process.id);
  if (found == members.end() && members.size() >= kMostProcesses) return;
  Member& known = members[process.id];
  known.name = process.name;
  known.role = process.role;
}

void Gauge::State::add(const record::Event& event) {
  const double at = since_origin(event.at_ns);
  if (event.kind == record::EventKind::Exec) {
    const auto found = members.find(event.process);
    if (found != members.end()) found->second.restarts.push_back(at);
    return;
  }
  marks.add(event, at);
}

// The series of a process, if it is among the largest. A newcomer takes the place of one that holds
// less than half as much.
Member* Gauge::State::member(const ProcessId& id, double held) {
  const auto found = members.find(id);
  if (found != members.end()) return &found->second;
  if (members.size() >= kMostProcesses) {
    const auto smallest = std::min_element(
        members.begin(), members.end(),
        [](const auto& a, const auto& b) { return a.second.held < b.second.held; });
    if (smallest->second.held >= held / 2) return nullptr;
    members.erase(smallest);
  }
  return &members[id];
}

void Gauge::State::add_member(const record::ProcessSample& process, double at) {
  const auto& memory = process.memory;
  double held = memory.rss ? value_of(memory.rss) : memory.anon ? value_of(memory.anon) : 0;
  for (const auto& column : process.others) held = std::max(held, column.bytes);
  Member* one = member(process.id, held);
  if (one == nullptr) return;
  one->held = held;
  if (memory.anon) {
    const double swapped = memory.swap ? value_of(memory.swap) : 0;
    one->kinds[Kind::Anon].add(at, value_of(memory.anon) + swapped);
    if (memory.file) one->kinds[Kind::File].add(at, value_of(memory.file));
    if (memory.shmem) one->kinds[Kind::Shmem].add(at, value_of(memory.shmem));
  } else if (memory.rss) {
    one->kinds[Kind::Rss].add(at, value_of(memory.rss));
  } else if (memory.uss) {
    one->kinds[Kind::Private].add(at, value_of(memory.uss));
  } else if (memory.pss) {
    one->kinds[Kind::Pss].add(at, value_of(memory.pss));
  }
  if (memory.gpu) one->kinds[Kind::Gpu].add(at, value_of(memory.gpu));
  for (const auto& column : process.others) one->others[column.name].add(at, column.bytes);
}

void Gauge::State::add(const record::Sample& sample) {
  const double at = since_origin(sample.at_ns);
  const record::Ledger ledger = keeper.add(sample);
  double held = static_cast<double>(ledger.total);
  if (ledger.total == 0) {  // somebody else's numbers: add up what there is
    for (const auto& process : sample.processes) {
      if (!process.others.empty()) held += process.others.front().bytes;
    }
  }
  if (!sample.processes.empty()) {
    has_processes = true;
    total.add(at, held);
  }
  if (ledger.gpu) gpu.add(at, value_of(ledger.gpu));
  limits.add(sample, held);
  for (const auto& process : sample.processes) add_member(process, at);
  for (const auto& column : sample.others) {
    auto known = std::find_if(columns.begin(), columns.end(),
                              [&](const auto& entry) { return entry.first == column.name; });
    if (known == columns.end()) {
      if (columns.size() >= kMostColumns) continue;
      columns.emplace_back(column.name, BlockSeries{});
      known = columns.end() - 1;
    }
    known->second.add(at, column.bytes);
  }
}

Verdict Gauge::State::judge_one(const Subject& subject, const BlockSeries& series,
                                const PassClock& passes,
                                const std::vector<double>& restarts) const {
  const Material material{.series = &series,
                          .marks = &marks,
                          .passes = &passes,
                          .rules = &rules,
                          .restarts = restarts,
                          .clock_is_steps = header.clock == record::Clock::Steps};
  return conclude(subject, material, analyse(material),
                  limits.binding(rules, subject.kind, series.last()));
}

Verdicts Gauge::State::judge() const {
  const PassClock passes(marks, rules, header.clock == record::Clock::Steps);
  Verdicts out;
  const auto judge_series = [&](const Subject& subject, const BlockSeries& series,
                                const std::vector<double>& restarts) {
    if (out.all.size() < kMostVerdicts) {
      out.all.push_back(judge_one(subject, series, passes, restarts));
    }
  };
  if (has_processes) {
    judge_series({.name = "tree", .kind = Kind::Total}, total, marks.restarts());
  }
  for (const auto& [name, series] : columns) {
    judge_series({.name = printable(name), .kind = kind_of_column(name)}, series, marks.restarts());
  }
  std::vector<std::pair<ProcessId, const Member*>> ordered;
  for (const auto& [id, one] : members) ordered.emplace_back(id, &one);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    const bool a_main = a.second->role == record::Role::Main;
    const bool b_main = b.second->role == record::Role::Main;
    return a_main != b_main ? a_main : a.second->held > b.second->held;
  });
  const double matters = std::max(kMatters, kShareThatMatters * total.peak());
  for (const auto& [id, one] : ordered) {
    const Subject who{.process = id, .name = printable(one->name), .role = one->role};
    const auto judge_kind = [&, &id = id, &one = one](Kind kind, const std::string& name,
                                                      const BlockSeries& series) {
      if (series.peak() < matters && !(one->role == record::Role::Main && kind == Kind::Anon))
        return;
      Subject subject = who;
      subject.kind = kind;
      if (!name.empty()) subject.name += (subject.name.empty() ? "" : " ") + printable(name);
      std::vector<double> restarts = one->restarts;
      restarts.insert(restarts.end(), marks.restarts().begin(), marks.restarts().end());
      std::sort(restarts.begin(), restarts.end());
      judge_series(subject, series, restarts);
    };
    for (const auto& [kind, series] : one->kinds) judge_kind(kind, "", series);
    for (const auto& [name, series] : one->others) judge_kind(kind_of_column(name), name, series);
  }
  if (gpu.count() > 0) judge_series({.name = "tree", .kind = Kind::Gpu}, gpu, marks.restarts());
  if (out.all.empty()) {
    Verdict nothing{.subject = {.name = "tree", .kind = Kind::Total}};
    nothing.needs = Needs{.why = "there are no samples"};
    nothing.evidence.push_back("The recording holds no sample of any memory.");
    out.all.push_back(std::move(nothing));
  }
  return out;
}

Gauge::Gauge(const Rules& rules) : state_(std::make_unique<State>()) {
  state_->rules = rules;
}
Gauge::Gauge(Gauge&&) noexcept = default;
Gauge& Gauge::operator=(Gauge&&) noexcept = default;
Gauge::~Gauge() = default;

void Gauge::begin(const record::Header& header) {
  state_->header = header;
}

void Gauge::add(const record::Entry& entry) {
  std::visit([this](const auto& value) { state_->add(value); }, entry);
}

Verdicts Gauge::judge() const {
  return state_->judge();
}

Verdicts judge(const record::Recording& recording, const Rules& rules) {
  Gauge gauge(rules);
  gauge.begin(recording.header);
  for (const auto& entry : recording.entries) gauge.add(entry);
  return gauge.judge();
}

}  // namespace tidegauge::verdict
