// SPDX-License-Identifier: Apache-2.0
#include "verdict/judgement.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "verdict/conclude.h"
#include "verdict/earlier.h"
#include "verdict/explain.h"
#include "verdict/features.h"
#include "verdict/readers.h"
#include "verdict/setting.h"

namespace tidegauge::verdict {

namespace {

// A kind or process matters if it came to this much, and to this share of the tree.
constexpr double kMatters = 16.0 * 1024 * 1024;
constexpr double kShareThatMatters = 0.05;
constexpr std::size_t kMostVerdicts = 32;

Kind kind_of_column(const std::string& name) {
  for (const Kind kind : {Kind::Rss, Kind::Anon, Kind::Shmem, Kind::Swap, Kind::Pss, Kind::Gpu}) {
    if (name.rfind(id_of(kind), 0) == 0) return kind;
  }
  return name.rfind("uss", 0) == 0 ? Kind::Private : Kind::Other;
}

std::vector<double> together(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

std::string processes(std::size_t count) {
  return fmt::format("{} process{}", count, count == 1 ? "" : "es");
}

void say_who_grows(const SteadyTree& tree, const Attribution& blame, Verdict& out) {
  out.grower = blame.grower;
  if (!blame.sentence.empty()) out.evidence.push_back(blame.sentence);
  if (tree.accumulates) {
    out.evidence.push_back(fmt::format(
        "{} processes were started one after the other and none has ended.", tree.joined));
  } else if (tree.adjusted) {
    const auto came = fmt::format("{} came later", processes(tree.joined));
    const auto left = fmt::format("{} left", processes(tree.left));
    out.evidence.push_back(
        fmt::format("{}; what {} brought and took is not counted as growth.",
                    tree.left == 0 ? came : (tree.joined == 0 ? left : came + " and " + left),
                    tree.joined + tree.left == 1 ? "it" : "they"));
  }
}

}  // namespace

Judgement::Judgement(const Watched& watched, const Rules& rules)
    : watched_(watched),
      rules_(rules),
      passes_(watched.marks(), rules, watched.counts_steps()),
      readers_(growing_readers(watched)),
      tree_passes_(clock_of_tree(watched, rules, readers_)) {}

Material Judgement::material(const BlockSeries& series) const {
  return {.series = &series,
          .marks = &watched_.marks(),
          .passes = &passes_,
          .rules = &rules_,
          .points = series.points(),
          .restarts = watched_.marks().restarts(),
          .clock_is_steps = watched_.counts_steps(),
          .job_ended = watched_.job_ended()};
}

Material Judgement::material(const SteadyTree& tree) const {
  Material about = material(watched_.total());
  about.passes = &tree_passes_;
  about.points = tree.points;
  about.restarts = together(about.restarts, tree.restarts);
  return about;
}

Material Judgement::first_material() const {
  if (watched_.total().count() > 0) {
    return material(steady_tree(watched_.total(), watched_.members()));
  }
  if (!watched_.columns().empty()) return material(watched_.columns().front().second);
  return material(watched_.total());
}

Verdict Judgement::judge_series(const Subject& subject, const BlockSeries& series,
                                const std::vector<double>& restarts,
                                const PassClock& passes) const {
  Material about = material(series);
  about.passes = &passes;
  about.restarts = together(about.restarts, restarts);
  return conclude(subject, about, analyse(about),
                  watched_.limits().binding(rules_, subject.kind, series.last()));
}

void Judgement::judge_tree(Verdicts& out) const {
  const BlockSeries& total = watched_.total();
  if (total.count() == 0) return;
  const SteadyTree tree = steady_tree(total, watched_.members());
  const Material about = material(tree);
  Analysis analysis = analyse(about);
  if (const auto reads = first_reads_of(watched_, rules_, readers_, analysis.level)) {
    bound_by_first_reads(*reads, analysis);
  }
  const Subject subject{.name = "tree", .kind = Kind::Total};
  Verdict verdict = conclude(subject, about, analysis,
                             watched_.limits().binding(rules_, Kind::Total, total.last()));
  say_who_grows(
      tree,
      attribute(tree, watched_.members(), analysis.began, analysis.settled_at.value_or(tree.until)),
      verdict);
  const bool may_end = verdict.klass != Class::Leak && verdict.tied_to == Tie::FirstPass;
  if (auto far = how_far(watched_, readers_); may_end && !far.empty()) {
    verdict.evidence.push_back(std::move(far));
  }
  if (auto usual = say_earlier(rules_.earlier); !usual.empty()) {
    verdict.evidence.push_back(std::move(usual));
  }
  out.explanation = explain(verdict, about, analysis);
  out.all.push_back(std::move(verdict));
}

void Judgement::judge_columns(Verdicts& out) const {
  for (const auto& [name, series] : watched_.columns()) {
    if (out.all.size() >= kMostVerdicts) return;
    const Subject subject{.name = printable(name), .kind = kind_of_column(name)};
    const Material about = material(series);
    const Analysis analysis = analyse(about);
    Verdict verdict = conclude(subject, about, analysis,
                               watched_.limits().binding(rules_, subject.kind, series.last()));
    if (out.all.empty()) out.explanation = explain(verdict, about, analysis);
    out.all.push_back(std::move(verdict));
  }
}

void Judgement::judge_members(Verdicts& out) const {
  const double matters = std::max(kMatters, kShareThatMatters * watched_.total().peak());
  for (const auto& [id, member] : watched_.members().ordered()) {
    std::optional<PassClock> own;
    if (auto reads = reads_of_each(watched_.marks(), {&id, 1})) {
      own.emplace(watched_.marks(), rules_, watched_.counts_steps(), std::move(reads));
    }
    const PassClock& clock = own ? *own : passes_;
    const auto judge_kind = [&, &id = id, &member = member](Kind kind, const std::string& column,
                                                            const BlockSeries& series) {
      const bool the_job = member->role == record::Role::Main && kind == Kind::Anon;
      if (out.all.size() >= kMostVerdicts || (series.peak() < matters && !the_job)) return;
      Subject subject{
          .process = id, .name = printable(member->name), .role = member->role, .kind = kind};
      if (!column.empty()) subject.name += (subject.name.empty() ? "" : " ") + printable(column);
      out.all.push_back(judge_series(subject, series, member->restarts, clock));
    };
    for (const auto& [kind, series] : member->kinds) judge_kind(kind, "", series);
    for (const auto& [name, series] : member->others) {
      judge_kind(kind_of_column(name), name, series);
    }
  }
}

// Where a profile saw it allocated. A cause that a census found has this place if both are about as
// large; otherwise they may well be two things, and a wrong name is worse than none.
void Judgement::name_site(Verdict& verdict, const Growth& growth) const {
  const auto& process = verdict.subject.process;
  const auto& allocations = watched_.allocations();
  const auto grower = process ? allocations.grower(*process, growth) : allocations.grower(growth);
  if (!grower) return;
  if (verdict.causes.empty()) {
    verdict.causes.push_back({.kind = "memory",
                              .bytes = static_cast<std::uint64_t>(grower->live),
                              .share = std::min(1.0, grower->grown / growth.bytes),
                              .site = grower->site,
                              .remedy = remedy_for("")});
    return;
  }
  constexpr double kAlike = 2;
  auto& first = verdict.causes.front();
  const auto bytes = static_cast<double>(first.bytes.value_or(0));
  if (bytes < kAlike * grower->live && grower->live < kAlike * bytes) first.site = grower->site;
}

const BlockSeries* Judgement::series_of(const Subject& subject) const {
  if (!subject.process) return &watched_.total();
  const auto member = watched_.members().all().find(*subject.process);
  if (member == watched_.members().all().end()) return nullptr;
  const auto series = member->second.kinds.find(subject.kind);
  return series == member->second.kinds.end() ? nullptr : &series->second;
}

// What came after the last census was not looked into: no census can explain it.
double Judgement::grown_until_census(const Verdict& verdict) const {
  constexpr double kLeastSeen = 0.25;  // of the growth: causes of an earlier one may go on
  const auto looked = watched_.holders().last_at(verdict.subject.process);
  const auto* const series = series_of(verdict.subject);
  if (!looked || series == nullptr || series->count() == 0) return verdict.grown_bytes;
  const double later = std::max(0.0, verdict.floor_bytes - series->low_at(*looked));
  return std::max(verdict.grown_bytes - later, kLeastSeen * verdict.grown_bytes);
}

// What a census found, where memory has grown: Python's heap is not in shared memory, nor on a GPU.
void Judgement::name_causes(Verdict& verdict) const {
  const bool grew = verdict.klass == Class::Leak || verdict.klass == Class::WarmUp ||
                    verdict.klass == Class::Shift || verdict.klass == Class::Undecided;
  const auto kind = verdict.subject.kind;
  if (!grew || kind == Kind::Shmem || kind == Kind::Gpu || kind == Kind::File) return;
  const auto& process = verdict.subject.process;
  const Growth growth{verdict.grown_bytes, verdict.grown_since, verdict.klass == Class::Leak};
  auto looked_into = growth;
  looked_into.bytes = grown_until_census(verdict);
  const auto& holders = watched_.holders();
  verdict.causes = process ? holders.causes(*process, looked_into) : holders.causes(looked_into);
  const double base = verdict.causes.empty() ? growth.bytes : looked_into.bytes;
  name_site(verdict, growth);
  // Of a growth that is little itself a part is nothing to act upon: one image that is open just
  // now.
  constexpr double kWorthActing = 0.02;  // of what is held
  std::erase_if(verdict.causes, [&](const Cause& cause) {
    return cause.bytes && static_cast<double>(*cause.bytes) < kWorthActing * verdict.last_bytes;
  });
  if (verdict.causes.empty()) return;
  double explained = 0;
  for (const auto& cause : verdict.causes) explained += *cause.share;
  verdict.unexplained_bytes = std::max(0.0, 1 - explained) * base;
}

Verdicts Judgement::first() const {
  Verdicts out;
  judge_tree(out);
  if (out.all.empty()) out = verdicts();
  out.all.resize(1);
  name_causes(out.all.front());
  return out;
}

Verdicts Judgement::verdicts() const {
  Verdicts out;
  judge_tree(out);
  judge_columns(out);
  const double matters = std::max(kMatters, kShareThatMatters * watched_.total().peak());
  if (watched_.shmem().count() > 0 && watched_.shmem().peak() >= matters) {
    out.all.push_back(
        judge_series({.name = "tree", .kind = Kind::Shmem}, watched_.shmem(), {}, passes_));
  }
  if (watched_.gpu().count() > 0 && watched_.gpu().peak() >= kMatters) {
    out.all.push_back(
        judge_series({.name = "tree", .kind = Kind::Gpu}, watched_.gpu(), {}, passes_));
  }
  judge_members(out);
  if (out.all.empty()) {
    Verdict nothing{.subject = {.name = "tree", .kind = Kind::Total}};
    nothing.p_leak = rules_.leak_prior;
    nothing.needs = Needs{.why = "there are no samples"};
    nothing.evidence.emplace_back("The recording holds no sample of any memory.");
    out.all.push_back(std::move(nothing));
  }
  for (auto& verdict : out.all) name_causes(verdict);
  return out;
}

Outline Judgement::outline(const std::string& name) const {
  Outline out{
      .name = name, .counts_steps = watched_.counts_steps(), .verdict = verdicts().all.front()};
  const auto* steps = watched_.marks().steps();
  for (const auto& point : first_material().points) {
    Outline::Place place{.seconds = point.at, .floor_bytes = point.low};
    if (out.counts_steps) {
      place.step = point.at;
    } else if (steps != nullptr) {
      place.step = steps->count_at(point.at);
    }
    out.places.push_back(place);
  }
  return out;
}

std::vector<float> Judgement::features() const {
  const Material about = first_material();
  const auto setting = prepare(about);
  return setting ? features_of(*setting, analyse(about)) : std::vector<float>{};
}

}  // namespace tidegauge::verdict
