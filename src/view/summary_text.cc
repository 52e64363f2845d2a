// SPDX-License-Identifier: Apache-2.0
#include "view/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "view/ink.h"
#include "view/kills.h"
#include "view/phrases.h"
#include "view/short_words.h"
#include "view/sparkline.h"
#include "view/table.h"
#include "view/width.h"
#include "view/words.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kWidest = 120;     // longer lines are hard to read
constexpr std::size_t kWideTable = 160;  // where there is no screen
constexpr std::size_t kMostProcessRows = 12;
constexpr std::size_t kAlike = 3;  // gone, of one name: told in one row
constexpr std::size_t kMostSiteRows = 8;
constexpr std::size_t kMostEvidence = 5;
constexpr std::size_t kNameColumns = 32;
// A kind has a line where it is at least this share of the whole.
constexpr double kWorthALine = 0.03;

// Gathers lines that are no wider than the paper.
class Page {
 public:
  Page(const Summary::Paint& paint)
      : ink_{paint.colour, paint.few_colours},
        all_kinds_(paint.all_kinds),
        terminal_(paint.terminal),
        unicode_(paint.unicode),
        columns_(std::clamp(static_cast<std::size_t>(std::max(paint.columns, 1)), kNarrowest,
                            kWidest)) {}

  const Ink& ink() const { return ink_; }
  std::size_t columns() const { return columns_; }
  // Of a table: lines of words are hard to read where they are long, rows of numbers are not.
  std::size_t table_columns() const {
    return terminal_ ? columns_ : std::max(columns_, kWideTable);
  }
  bool unicode() const { return unicode_; }
  bool all_kinds() const { return all_kinds_; }
  void line(std::string_view text = {}) { out_ += std::string(text) + "\n"; }
  // Text of ours or of others, broken into lines, the later ones indented.
  void paragraph(std::string_view text, std::size_t indent = 0) {
    for (const auto& part : wrapped(text, columns_ - indent)) line(std::string(indent, ' ') + part);
  }
  void heading(std::string_view text) {
    line();
    line(ink_.bold(clipped(text, columns_)));
  }
  std::string take() {
    if (!unicode_) return to_ascii(out_);
    return terminal_ ? std::move(out_) : with_plain_blanks(std::move(out_));
  }

 private:
  Ink ink_;
  bool all_kinds_;
  bool terminal_;
  bool unicode_;
  std::size_t columns_;
  std::string out_;
};

void put_verdict(Page& page, const verdict::Verdict& verdict, const std::string& killed) {
  const auto said = words(verdict);
  const auto tag = page.ink().tag(said.tone, said.tag);
  const auto tag_columns = said.tag.size() + 2;
  const auto lines =
      wrapped(said.headline, page.columns() - std::min(tag_columns + 1, page.columns() / 2));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    page.line((i == 0 ? tag + " " : std::string(tag_columns + 1, ' ')) + page.ink().bold(lines[i]));
  }
  for (const auto& line : wrapped(killed, page.columns())) {
    page.line(page.ink().tinted(Tone::Bad, line));
  }
  page.paragraph(said.note);
  page.line();
  page.paragraph(said.lead);
  page.line();
  std::size_t label = 0;
  for (const auto& fact : said.facts) label = std::max(label, columns_of(fact.label));
  for (const auto& fact : said.facts) {
    const auto text =
        fact.detail.empty() ? fact.value : fmt::format("{}; {}", fact.value, fact.detail);
    const auto indent = label + 4;
    const auto parts = wrapped(text, page.columns() - std::min(indent, page.columns() - 10));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto left =
          i == 0 ? page.ink().dim(padded_right(fact.label, label)) : std::string(label, ' ');
      page.line("  " + left + "  " + parts[i]);
    }
  }
}

std::vector<std::string> tally_cells(const Tally& tally) {
  return {size_or_dash(tally.min()), size_or_dash(tally.average()), size_or_dash(tally.max()),
          size_or_dash(tally.floor()), growth_of(tally)};
}

std::vector<TableColumn> tally_columns() {
  return {{.title = "MIN", .right = true, .importance = 3},
          {.title = "AVERAGE", .right = true, .importance = 2},
          {.title = "MAX", .right = true, .importance = 6},
          {.title = "FLOOR", .right = true, .importance = 8},
          {.title = "GREW", .right = true, .importance = 7}};
}

std::vector<std::string> row(std::vector<std::string> head, std::vector<std::string> middle,
                             std::vector<std::string> tail = {}) {
  head.insert(head.end(), middle.begin(), middle.end());
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

void put_process(Table& table, const ProcessAccount& account, const verdict::Verdicts& verdicts,
                 bool all_kinds) {
  const auto name = shown(account.known.name, kNameColumns);
  const auto& total = account.tally(Part::Total);
  table.add(row({name.empty() ? "?" : name, std::to_string(account.known.id.pid),
                 role_word(account.known.role)},
                tally_cells(total),
                {account.peak_rss > 0 ? size_or_dash(static_cast<double>(account.peak_rss)) : "",
                 short_verdict_on(verdicts, account.known.id, account.gone)}));
  if (account.known.role != record::Role::Main && !all_kinds) return;
  std::vector<Part> worth;
  for (const auto part : kParts) {
    const auto& tally = account.tally(part);
    if (part != Part::Total && tally.max() > kWorthALine * total.max()) worth.push_back(part);
  }
  if (worth.size() < 2) return;  // then it is the total
  for (const auto part : worth) {
    table.add(row({fmt::format("  {}", label_of(part)), "", ""}, tally_cells(account.tally(part)),
                  {"", ""}));
  }
}

// Those that are gone and have one name, a compiler's say, in one row: what each of them grew by
// tells nobody anything.
struct GoneAlike {
  std::size_t count = 0;
  double least = 0, most = 0;
  std::uint64_t peak_rss = 0;

  void add(const ProcessAccount& account) {
    const auto& total = account.tally(Part::Total);
    least = count == 0 ? total.min() : std::min(least, total.min());
    most = std::max(most, total.max());
    peak_rss = std::max(peak_rss, account.peak_rss);
    ++count;
  }
};

bool may_be_told_alike(const ProcessAccount& account) {
  const auto role = account.known.role;
  return account.gone && role != record::Role::Main && role != record::Role::Wrapper;
}

using NameAndRole = std::pair<std::string, record::Role>;

NameAndRole key_of(const ProcessAccount& account) {
  return {account.known.name, account.known.role};
}

void put_alike(Table& table, const NameAndRole& key, const GoneAlike& alike) {
  const auto name = fmt::format("{} x{}", shown(key.first, kNameColumns), alike.count);
  const auto peak = alike.peak_rss > 0 ? size_or_dash(static_cast<double>(alike.peak_rss)) : "";
  table.add(row({name, "", role_word(key.second)},
                {size_or_dash(alike.least), "", size_or_dash(alike.most), "", ""}, {peak, "gone"}));
}

void put_processes(Page& page, const Accounts& accounts, const verdict::Verdicts& verdicts) {
  auto columns = std::vector<TableColumn>{{.title = "PROCESS", .importance = 9, .shrinks = true},
                                          {.title = "PID", .right = true, .importance = 5},
                                          {.title = "ROLE", .importance = 4}};
  const auto middle = tally_columns();
  columns.insert(columns.end(), middle.begin(), middle.end());
  columns.push_back({.title = "PEAK RSS", .right = true, .importance = 5});
  columns.push_back({.title = "VERDICT", .importance = 4});
  Table table(std::move(columns));
  auto all = listed_processes(accounts, accounts.processes.size());
  std::map<NameAndRole, GoneAlike> alike;
  for (const auto* account : all) {
    if (may_be_told_alike(*account)) alike[key_of(*account)].add(*account);
  }
  std::erase_if(alike, [](const auto& group) { return group.second.count < kAlike; });
  // The first one, which is the largest, stands for all of them.
  std::set<NameAndRole> met;
  std::erase_if(all, [&](const ProcessAccount* account) {
    const auto key = key_of(*account);
    return may_be_told_alike(*account) && alike.contains(key) && !met.insert(key).second;
  });
  for (std::size_t i = 0; i < std::min(all.size(), kMostProcessRows); ++i) {
    const auto group = alike.find(key_of(*all[i]));
    if (may_be_told_alike(*all[i]) && group != alike.end()) {
      put_alike(table, group->first, group->second);
    } else {
      put_process(table, *all[i], verdicts, page.all_kinds());
    }
  }
  if (table.empty()) return;
  page.heading("Processes");
  const auto lines = table.lines(page.table_columns());
  page.line(page.ink().dim(lines.front()));
  for (std::size_t i = 1; i < lines.size(); ++i) page.line(lines[i]);
  if (all.size() > kMostProcessRows) {
    double rest = 0;
    for (std::size_t i = kMostProcessRows; i < all.size(); ++i)
      rest += all[i]->tally(Part::Total).last();
    page.line(fmt::format("and {} more, {} together.", all.size() - kMostProcessRows,
                          size_or_dash(rest)));
  }
  for (const auto& sentence : group_sentences(accounts)) page.paragraph(sentence);
  if (const auto gone = gone_sentence(accounts); !gone.empty()) page.paragraph(gone);
}

void put_kinds(Page& page, const Accounts& accounts) {
  const bool tree = accounts.line(Line::Total).count() > 0;
  auto columns = std::vector<TableColumn>{
      {.title = tree ? "KIND" : "SERIES", .importance = 9, .shrinks = true}};
  const auto middle = tally_columns();
  columns.insert(columns.end(), middle.begin(), middle.end());
  columns.push_back({.title = "NOW", .right = true, .importance = 5});
  Table table(std::move(columns));
  for (const auto line : kLines) {
    const auto& tally = accounts.line(line);
    const bool worth = line == Line::Total || tally.max() > 0 || tally.min() < 0;
    if (tally.count() == 0 || !worth) continue;
    if (line == Line::Unexplained) {  // may be below nothing
      table.add(row({label_of(line, tally.last())}, {"", "", "", "", ""},
                    {size_or_dash(std::fabs(tally.last()))}));
      continue;
    }
    table.add(row({label_of(line)}, tally_cells(tally), {size_or_dash(tally.last())}));
  }
  for (const auto& [name, tally] : accounts.named) {
    table.add(row({shown(name, kNameColumns)}, tally_cells(tally), {size_or_dash(tally.last())}));
  }
  if (table.empty()) return;
  page.heading(tree ? "Kinds of memory, whole tree" : "Series");
  const auto lines = table.lines(page.table_columns());
  page.line(page.ink().dim(lines.front()));
  for (std::size_t i = 1; i < lines.size(); ++i) page.line(lines[i]);
}

void put_sites(Page& page, const Accounts& accounts) {
  for (const auto& of : accounts.sites.all()) {
    Table table({{.title = "ALLOCATED IN", .importance = 9, .shrinks = true},
                 {.title = "CALLED FROM", .importance = 2},
                 {.title = "COUNT", .right = true, .importance = 1},
                 {.title = "LIVE", .right = true, .importance = 7},
                 {.title = "GREW", .right = true, .importance = 8}});
    for (const auto& row : rows_of(of, kMostSiteRows)) {
      table.add({row.where, row.from, row.count ? fmt::format("{:.0f}", *row.count) : "",
                 size_or_dash(row.live), row.grown ? signed_size(*row.grown) : ""});
    }
    if (table.empty()) continue;
    page.heading(sites_heading(accounts, of));
    const auto lines = table.lines(page.table_columns());
    page.line(page.ink().dim(lines.front()));
    for (std::size_t i = 1; i < lines.size(); ++i) page.line(lines[i]);
  }
}

void put_course(Page& page, const Accounts& accounts) {
  const auto line = sparkline(accounts.history, page.columns() - 2, page.unicode());
  page.heading("Memory of the job: " + seen_phrase(accounts));
  if (!line.empty()) page.line("  " + line);
}

void put_evidence(Page& page, const verdict::Verdict& verdict) {
  if (verdict.evidence.empty()) return;
  page.heading("Why");
  for (std::size_t i = 0; i < std::min(verdict.evidence.size(), kMostEvidence); ++i) {
    const auto lines = wrapped(as_sentence(verdict.evidence[i]), page.columns() - 4);
    for (std::size_t k = 0; k < lines.size(); ++k) page.line((k == 0 ? "  · " : "    ") + lines[k]);
  }
}

}  // namespace

std::string summary_text(const Accounts& accounts, const verdict::Verdicts& verdicts,
                         const Summary::Paint& paint) {
  Page page(paint);
  if (!verdicts.all.empty())
    put_verdict(page, verdicts.all.front(), kill_sentence(accounts, Tense::Over));
  put_course(page, accounts);
  put_sites(page, accounts);
  put_processes(page, accounts, verdicts);
  put_kinds(page, accounts);
  const auto limits = limit_facts(accounts);
  if (!limits.empty()) page.heading("Limits");
  for (const auto& fact : limits) {
    page.paragraph(fmt::format("{} {}{}", fact.label, fact.value,
                               fact.detail.empty() ? "" : ", " + fact.detail),
                   2);
  }
  if (!accounts.guard.empty()) page.heading("What the guard did");
  for (const auto& [at, words] : accounts.guard) {
    page.paragraph(fmt::format("{}: {}", format_duration(at - accounts.first_at), printable(words)),
                   2);
  }
  if (!verdicts.all.empty()) put_evidence(page, verdicts.all.front());
  return page.take();
}

}  // namespace tidegauge::view
