// SPDX-License-Identifier: Apache-2.0
// Sorts the entries of a recording into series, in bounded memory, and judges them all.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "record/ledger.h"
#include "verdict/conclude.h"
#include "verdict/limits.h"
#include "verdict/members.h"
#include "verdict/tree.h"

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kMostColumns = 256;
// A kind or process matters if it came to this much, and to this share of the tree.
constexpr double kMatters = 16.0 * 1024 * 1024;
constexpr double kShareThatMatters = 0.05;
constexpr std::size_t kMostVerdicts = 32;
constexpr double kNanosecond = 1e-9;

Kind kind_of_column(const std::string& name) {
  for (const Kind kind : {Kind::Rss, Kind::Anon, Kind::Shmem, Kind::Swap, Kind::Pss, Kind::Gpu}) {
    if (name.rfind(id_of(kind), 0) == 0) return kind;
  }
  return name.rfind("uss", 0) == 0 ? Kind::Private : Kind::Other;
}

// What somebody's file says of a process, where it is not one of our kinds.
double foreign_bytes(const record::ProcessSample& process) {
  return process.others.empty() ? 0 : process.others.front().bytes;
}

}  // namespace

struct Gauge::State {
  Rules rules{};
  record::Header header{};
  record::LedgerKeeper keeper{};
  Limits limits{};
  Marks marks{};
  Members members{};
  std::optional<std::int64_t> origin_ns{};
  BlockSeries total{};
  BlockSeries shmem{};
  BlockSeries gpu{};
  std::vector<std::pair<std::string, BlockSeries>> columns{};

  bool counts_steps() const { return header.clock == record::Clock::Steps; }
  double since_origin(std::int64_t at_ns) {
    if (counts_steps()) return static_cast<double>(at_ns) * kNanosecond;
    if (!origin_ns) origin_ns = at_ns;
    return static_cast<double>(at_ns - *origin_ns) * kNanosecond;
  }

  void add(const record::Process& process);
  void add(const record::Event& event);
  void add(const record::Sample& sample);
  void add_column(const record::NamedBytes& column, double at);
  Material material(const BlockSeries& series, const PassClock& passes) const;
  Verdict judge_series(const Subject& subject, const BlockSeries& series, const PassClock& passes,
                       const std::vector<double>& restarts) const;
  Verdict judge_tree(const PassClock& passes) const;
  void judge_members(const PassClock& passes, std::vector<Verdict>& out) const;
  Verdicts judge() const;
};

void Gauge::State::add(const record::Process& process) {
  keeper.add(process);
  members.add(process);
}

void Gauge::State::add(const record::Event& event) {
  const double at = since_origin(event.at_ns);
  keeper.add(event);
  if (event.kind == record::EventKind::Exec) members.restart(event.process, at);
  marks.add(event, at);
}

void Gauge::State::add(const record::Sample& sample) {
  const double at = since_origin(sample.at_ns);
  const record::Ledger ledger = keeper.add(sample);
  double held = static_cast<double>(ledger.total);
  const bool foreign = ledger.total == 0;
  if (foreign) {
    for (const auto& process : sample.processes) held += foreign_bytes(process);
  }
  if (!sample.processes.empty()) total.add(at, held);
  if (ledger.shmem) shmem.add(at, static_cast<double>(*ledger.shmem));
  if (ledger.gpu) gpu.add(at, static_cast<double>(*ledger.gpu));
  limits.add(sample);
  for (const auto& process : sample.processes) {
    const double own =
        foreign ? foreign_bytes(process) : static_cast<double>(keeper.own(process.id));
    members.add(process, at, own, held);
  }
  for (const auto& column : sample.others) add_column(column, at);
}

void Gauge::State::add_column(const record::NamedBytes& column, double at) {
  auto known = std::find_if(columns.begin(), columns.end(),
                            [&](const auto& entry) { return entry.first == column.name; });
  if (known == columns.end()) {
    if (columns.size() >= kMostColumns) return;
    known = columns.emplace(columns.end(), column.name, BlockSeries{});
  }
  known->second.add(at, column.bytes);
}

Material Gauge::State::material(const BlockSeries& series, const PassClock& passes) const {
  return {.series = &series,
          .marks = &marks,
          .passes = &passes,
          .rules = &rules,
          .clock_is_steps = counts_steps()};
}

Verdict Gauge::State::judge_series(const Subject& subject, const BlockSeries& series,
                                   const PassClock& passes,
                                   const std::vector<double>& restarts) const {
  Material about = material(series, passes);
  about.points = series.points();
  about.restarts = restarts;
  return conclude(subject, about, analyse(about),
                  limits.binding(rules, subject.kind, series.last()));
}

Verdict Gauge::State::judge_tree(const PassClock& passes) const {
  SteadyTree tree = steady_tree(total, members);
  Material about = material(total, passes);
  about.points = tree.points;
  about.restarts = marks.restarts();
  about.restarts.insert(about.restarts.end(), tree.restarts.begin(), tree.restarts.end());
  std::sort(about.restarts.begin(), about.restarts.end());
  const Subject subject{.name = "tree", .kind = Kind::Total};
  const Analysis analysis = analyse(about);
  Verdict verdict =
      conclude(subject, about, analysis, limits.binding(rules, Kind::Total, total.last()));
  const Attribution blame =
      attribute(tree, members, analysis.began, analysis.ended.value_or(total.last_at()));
  verdict.grower = blame.grower;
  if (!blame.sentence.empty()) verdict.evidence.push_back(blame.sentence);
  if (tree.accumulates) {
    verdict.evidence.push_back(fmt::format(
        "{} processes were started one after the other and none has ended.", tree.joined));
  } else if (tree.adjusted) {
    verdict.evidence.push_back(fmt::format(
        "{} processes came later and {} have left; what they brought and took is not counted as "
        "growth.",
        tree.joined, tree.left));
  }
  return verdict;
}

void Gauge::State::judge_members(const PassClock& passes, std::vector<Verdict>& out) const {
  const double matters = std::max(kMatters, kShareThatMatters * total.peak());
  for (const auto& [id, member] : members.ordered()) {
    const auto judge_kind = [&, &id = id, &member = member](Kind kind, const std::string& column,
                                                            const BlockSeries& series) {
      const bool the_job = member->role == record::Role::Main && kind == Kind::Anon;
      if (out.size() >= kMostVerdicts || (series.peak() < matters && !the_job)) return;
      Subject subject{
          .process = id, .name = printable(member->name), .role = member->role, .kind = kind};
      if (!column.empty()) subject.name += (subject.name.empty() ? "" : " ") + printable(column);
      std::vector<double> restarts = member->restarts;
      restarts.insert(restarts.end(), marks.restarts().begin(), marks.restarts().end());
      std::sort(restarts.begin(), restarts.end());
      out.push_back(judge_series(subject, series, passes, restarts));
    };
    for (const auto& [kind, series] : member->kinds) judge_kind(kind, "", series);
    for (const auto& [name, series] : member->others) {
      judge_kind(kind_of_column(name), name, series);
    }
  }
}

Verdicts Gauge::State::judge() const {
  const PassClock passes(marks, rules, counts_steps());
  Verdicts out;
  if (total.count() > 0) out.all.push_back(judge_tree(passes));
  for (const auto& [name, series] : columns) {
    if (out.all.size() >= kMostVerdicts) break;
    const Subject subject{.name = printable(name), .kind = kind_of_column(name)};
    out.all.push_back(judge_series(subject, series, passes, marks.restarts()));
  }
  const double matters = std::max(kMatters, kShareThatMatters * total.peak());
  if (shmem.count() > 0 && shmem.peak() >= matters) {
    out.all.push_back(
        judge_series({.name = "tree", .kind = Kind::Shmem}, shmem, passes, marks.restarts()));
  }
  if (gpu.count() > 0 && gpu.peak() >= kMatters) {
    out.all.push_back(
        judge_series({.name = "tree", .kind = Kind::Gpu}, gpu, passes, marks.restarts()));
  }
  judge_members(passes, out.all);
  if (out.all.empty()) {
    Verdict nothing{.subject = {.name = "tree", .kind = Kind::Total}};
    nothing.needs = Needs{.why = "there are no samples"};
    nothing.evidence.emplace_back("The recording holds no sample of any memory.");
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

Verdicts Gauge::judge(Rules::Mode mode) const {
  const auto usual = std::exchange(state_->rules.mode, mode);
  auto verdicts = state_->judge();
  state_->rules.mode = usual;
  return verdicts;
}

Verdicts judge(const record::Recording& recording, const Rules& rules) {
  Gauge gauge(rules);
  gauge.begin(recording.header);
  for (const auto& entry : recording.entries) gauge.add(entry);
  return gauge.judge();
}

}  // namespace tidegauge::verdict
