// SPDX-License-Identifier: Apache-2.0
// The report as Markdown: for an issue, a pull request, a terminal pager.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "view/chart.h"
#include "view/doubts.h"
#include "view/ink.h"
#include "view/kills.h"
#include "view/markdown_parts.h"
#include "view/phrases.h"
#include "view/short_words.h"
#include "view/summary_text.h"
#include "view/words.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kMostProcesses = 24;
constexpr std::size_t kMostSites = 12;
constexpr std::size_t kNameColumns = 48;
constexpr std::size_t kCommandColumns = 200;
constexpr int kChartColumns = 78;
constexpr int kChartRows = 16;
constexpr double kWorthALine = 0.01;

std::vector<std::string> cells_of(const Tally& tally) {
  return {size_or_dash(tally.min()), size_or_dash(tally.average()), size_or_dash(tally.max()),
          size_or_dash(tally.floor()), growth_of(tally)};
}

void append_all(std::vector<std::string>& cells, std::vector<std::string> more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

std::string verdict_part(const verdict::Verdict& verdict, const std::string& killed) {
  const auto said = words(verdict);
  auto out = fmt::format("# {}: {}\n\n", escaped(said.tag), escaped(said.headline));
  if (!killed.empty()) out += fmt::format("**{}**\n\n", escaped(killed));
  out +=
      fmt::format("**{}** {}\n\n{}\n\n", escaped(said.tag), escaped(said.note), escaped(said.lead));
  append_head(out, {"", "", ""}, 3);
  for (const auto& fact : said.facts) {
    append_row(out, {escaped(fact.label), "**" + escaped(fact.value) + "**", escaped(fact.detail)});
  }
  return out;
}

std::string reasons_part(const verdict::Verdict& verdict) {
  std::string out = "\n## Why\n\n";
  for (const auto& sentence : verdict.evidence) {
    if (const auto text = as_sentence(sentence); !text.empty()) out += "- " + escaped(text) + "\n";
  }
  out += "\n## What would change this verdict\n\n";
  for (const auto& sentence : doubts(verdict)) out += "- " + escaped(sentence) + "\n";
  return out;
}

std::string course_part(const Accounts& accounts, const verdict::Verdicts& verdicts,
                        const std::string& picture) {
  const auto& history = accounts.history;
  if (history.empty() || !(history.last_at() > history.first_at())) return "";
  if (!picture.empty()) {
    return fmt::format(
        "\n## Memory of the job\n\n{}. The line is what stays.\n\n![Memory of the job](<{}>)\n",
        escaped(seen_phrase(accounts)), picture);
  }
  Grid grid({kChartColumns, kChartRows});
  draw_chart(grid, {0, 0, kChartRows, kChartColumns},
             {.history = history,
              .progress = accounts.progress,
              .window = {history.first_at(), history.last_at()},
              .counts_steps = accounts.header.clock == record::Clock::Steps,
              .verdict = verdicts.all.empty() ? nullptr : &verdicts.all.front()});
  return fmt::format(
      "\n## Memory of the job\n\n{}. Solid: what stays. Checkered: what comes and "
      "goes.\n\n```\n{}```\n",
      escaped(seen_phrase(accounts)), grid.text());
}

void append_process(std::string& out, const ProcessAccount& account,
                    const verdict::Verdicts& verdicts) {
  const auto& total = account.tally(Part::Total);
  std::vector<std::string> cells = {
      code(account.known.name, kNameColumns), std::to_string(account.known.id.pid),
      role_word(account.known.role), short_verdict_on(verdicts, account.known.id, account.gone)};
  append_all(cells, cells_of(total));
  cells.push_back(account.peak_rss > 0 ? size_or_dash(static_cast<double>(account.peak_rss)) : "–");
  append_row(out, cells);
  std::vector<Part> worth;
  for (const auto part : kParts) {
    const auto& tally = account.tally(part);
    if (part != Part::Total && tally.max() > kWorthALine * total.max()) worth.push_back(part);
  }
  const bool main = account.known.role == record::Role::Main;
  if (worth.size() < 2 && !main) return;  // then it is the total
  for (const auto part : worth) {
    const auto& tally = account.tally(part);
    std::vector<std::string> row = {fmt::format("&nbsp;&nbsp;{}", label_of(part)), "", "", ""};
    append_all(row, cells_of(tally));
    row.push_back("");
    append_row(out, row);
  }
}

std::string sites_part(const Accounts& accounts) {
  std::string out;
  for (const auto& of : accounts.sites.all()) {
    const auto rows = rows_of(of, kMostSites);
    if (rows.empty()) continue;
    out += fmt::format("\n## {}\n\n", escaped(sites_heading(accounts, of)));
    append_head(out, {"allocated in", "called from", "count", "live", "grew"}, 2);
    for (const auto& row : rows) {
      append_row(out, {code(row.where, kCommandColumns), code(row.from, kCommandColumns),
                       row.count ? fmt::format("{:.0f}", *row.count) : "–", size_or_dash(row.live),
                       row.grown ? signed_size(*row.grown) : "–"});
    }
    out += fmt::format("\n{}.\n", escaped(sampling_phrase(of.kept.back())));
  }
  return out;
}

std::string processes_part(const Accounts& accounts, const verdict::Verdicts& verdicts) {
  const auto all = listed_processes(accounts, kMostProcesses);
  if (all.empty()) return "";
  std::string out = "\n## Processes\n\n";
  append_head(
      out,
      {"process", "pid", "role", "verdict", "min", "average", "max", "floor", "grew", "peak rss"},
      4);
  for (const auto* account : all) append_process(out, *account, verdicts);
  out += "\n";
  for (const auto& sentence : group_sentences(accounts)) out += "- " + escaped(sentence) + "\n";
  if (const auto gone = gone_sentence(accounts); !gone.empty()) out += "- " + escaped(gone) + "\n";
  return out;
}

std::string kinds_part(const Accounts& accounts) {
  const bool tree = accounts.line(Line::Total).count() > 0;
  std::string out = fmt::format("\n## {}\n\n", tree ? "Kinds of memory, whole tree" : "Series");
  append_head(out, {tree ? "kind" : "series", "min", "average", "max", "floor", "grew", "now"}, 1);
  bool any = false;
  for (const auto line : kLines) {
    const auto& tally = accounts.line(line);
    if (tally.count() == 0) continue;
    any = true;
    std::vector<std::string> cells = {label_of(line, tally.last())};
    append_all(cells, line == Line::Unexplained ? std::vector<std::string>(5) : cells_of(tally));
    cells.push_back(size_or_dash(std::fabs(tally.last())));
    append_row(out, cells);
  }
  for (const auto& [name, tally] : accounts.named) {
    any = true;
    std::vector<std::string> cells = {code(name, kNameColumns)};
    append_all(cells, cells_of(tally));
    cells.push_back(size_or_dash(tally.last()));
    append_row(out, cells);
  }
  return any ? out : "";
}

std::string how_part(const Accounts& accounts, const std::string& recording) {
  std::string out = "\n## How it was measured\n\n";
  for (const auto& fact : how_measured(accounts, recording)) {
    const auto text = fact.value + (fact.detail.empty() ? "" : ", " + fact.detail);
    out += fmt::format("- {}: {}\n", fact.label,
                       fact.id == "code" ? code(text, kCommandColumns) : escaped(text));
  }
  return out;
}

}  // namespace

std::string summary_markdown(const Accounts& accounts, const verdict::Verdicts& verdicts,
                             const std::string& recording, const std::string& picture) {
  std::string out;
  if (!verdicts.all.empty()) {
    out += verdict_part(verdicts.all.front(), kill_sentence(accounts, Tense::Over));
  }
  out += course_part(accounts, verdicts, picture);
  if (!verdicts.all.empty()) out += reasons_part(verdicts.all.front());
  out += sites_part(accounts);
  out += processes_part(accounts, verdicts);
  out += kinds_part(accounts);
  out += how_part(accounts, recording);
  out += kMarkdownEnd;
  return with_plain_blanks(std::move(out));
}

}  // namespace tidegauge::view
