// SPDX-License-Identifier: Apache-2.0
// A report on the page: all its cards, in order. A live one is shown again and again; what has not
// changed stays as it is, with the reader's place in it.
import { type Census, censusCard, type Holding, type HoldingsCard, holdingsCard } from "./census";
import { causesCard, eventsCard, howCard, reasonCards } from "./cards";
import type { Range } from "./chart";
import { button } from "./controls";
import { type Report, type Tree, unpackProcesses, unpackTree } from "./data";
import { h } from "./dom";
import { saveReport, saveSeries } from "./download";
import { moment } from "./format";
import { hero } from "./hero";
import { type SitesCard, sitesCard } from "./sites";
import { kindCard, processCard } from "./tables";
import { type TimelineCard, timelineCard } from "./timeline";

const REST_MS = 120;

/** The stretch that the tables are about, where it is not all. */
function rangeLine(reset: () => void): { element: HTMLElement; show: (range: Range, clock: string) => void } {
  const text = h("span", {});
  const element = h("p", { class: "range", role: "status", hidden: true }, text, button("Show all", reset));
  return {
    element,
    show: (range, clock) => {
      element.hidden = range.whole;
      const at = (x: number) => (clock === "steps" ? `step ${x.toFixed(0)}` : moment(Math.round(x)));
      text.textContent = range.whole ? "" : `Tables and events are about ${at(range.from)} to ${at(range.to)}.`;
    },
  };
}

/** A place for a card, which is made anew only when what it shows has changed. */
class Slot {
  readonly element = h("div", { class: "slot" });
  private shown = "";

  show(about: unknown, make: () => HTMLElement | null): void {
    const now = JSON.stringify(about) ?? "";
    if (now === this.shown) return;
    this.shown = now;
    const made = make();
    this.element.replaceChildren(...(made ? [made] : []));
  }
}

/** Somebody marks text in it, to copy it. */
const isMarked = (element: HTMLElement) => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.anchorNode !== null && element.contains(selection.anchorNode);
};

export class ReportView {
  readonly main = h("main", {});
  private slots = { hero: new Slot(), timeline: new Slot(), causes: new Slot(), sites: new Slot(), holdings: new Slot(), census: new Slot(), reasons: new Slot(), range: new Slot(), processes: new Slot(), kinds: new Slot(), events: new Slot(), how: new Slot() };
  private timeline: TimelineCard | null = null;
  private processes: ReturnType<typeof processCard> | null = null;
  private kinds: ReturnType<typeof kindCard> | null = null;
  private holdings: HoldingsCard | null = null;
  private sites: SitesCard | null = null;
  private events: ReturnType<typeof eventsCard> = null;
  private range: Range = { from: -Infinity, to: Infinity, whole: true };
  private report: Report | null = null;
  private tree: Tree | null = null;
  private taken: Census | null = null;
  private soon = 0;
  private line = rangeLine(() => this.timeline?.reset());

  constructor() {
    this.main.append(...Object.values(this.slots).map((slot) => slot.element));
    this.slots.range.element.append(this.line.element);
  }

  saveData(): void {
    if (this.report && this.tree) saveSeries(this.report, this.tree);
  }

  /** Everything but the chart, which wants to be on the page before it is drawn. */
  async show(report: Report): Promise<void> {
    await this.showFirst(report);
    await this.showRest(report);
  }

  /** What the first screen has: the answer, and the place of the chart. */
  async showFirst(report: Report): Promise<void> {
    const tree = report.tree ? await unpackTree(report.tree) : null;
    this.report = report;
    this.tree = tree;
    const verdict = report.verdicts[0];
    const { killed } = report;
    this.slots.hero.show([verdict, killed && { ...killed, words: "" }], () => (verdict ? hero(verdict, killed) : null));
    // How long ago it was is another number with every look: nothing else is made anew for it.
    const line = this.slots.hero.element.querySelector(".killed bdi");
    if (line && killed && line.textContent !== killed.words) line.textContent = killed.words;
    if (this.timeline && tree) this.timeline.update(report, tree);
    else if (tree) this.addTimeline(report, tree);
  }

  /** What is below it. */
  async showRest(report: Report): Promise<void> {
    const series = report.process_series ? await unpackProcesses(report.process_series) : null;
    const { slots, tree } = this;
    const verdict = report.verdicts[0];
    slots.causes.show(verdict?.causes, () => causesCard(verdict?.causes ?? []));
    slots.sites.show(report.sites, () => this.showSites(report));
    slots.holdings.show(report.holdings, () => {
      this.holdings = holdingsCard(this.toldMore(report), report.clock);
      this.holdings?.show(this.range);
      return this.holdings?.element ?? null;
    });
    this.showCensus(this.taken ?? report.census ?? null);
    slots.reasons.show([report.evidence, report.doubts], () => reasonCards(report));
    slots.events.show(report.marks.events, () => {
      this.events = eventsCard(report);
      this.events?.show(this.range);
      return this.events?.element ?? null;
    });
    slots.how.show([report.how, report.notes], () => howCard(report, this.files(tree !== null)));
    if (isMarked(this.main)) return;
    if (this.processes) this.processes.update(report, series);
    else if (report.processes.length > 0) {
      this.processes = processCard(report, series, this.range);
      slots.processes.element.append(this.processes.element);
    }
    if (this.kinds && tree) this.kinds.update(report, tree);
    else if (tree && report.kinds.length > 0) {
      this.kinds = kindCard(report, tree, this.range);
      slots.kinds.element.append(this.kinds.element);
    }
  }

  /** Made once: what the reader looks for in it stays. */
  private showSites(report: Report): HTMLElement | null {
    if (this.sites) this.sites.update(report.sites ?? []);
    else this.sites = sitesCard(report.sites ?? [], report.clock);
    this.sites?.show(this.range);
    return this.sites?.element ?? null;
  }

  /** What piles up is told by its own card: nothing is said twice. */
  private toldMore(report: Report): Holding[] {
    const all = report.holdings ?? [];
    const told = new Set((report.verdicts[0]?.causes ?? []).map((cause) => cause.retained_by));
    return all.every((one) => one.holders.every((holder) => told.has(holder.by))) ? [] : all;
  }

  /** One that was asked for, until the page is left. */
  take(census: Census): void {
    this.taken = census;
    this.showCensus(census);
    this.slots.census.element.scrollIntoView({ block: "nearest" });
  }

  private showCensus(census: Census | null): void {
    const hasTree = (this.report?.holdings ?? []).length > 0;
    this.slots.census.show(census, () => (census ? censusCard(census, !hasTree || this.taken !== null) : null));
  }

  private addTimeline(report: Report, tree: Tree): void {
    const made = timelineCard(report, tree, (range) => this.follow(range));
    this.timeline = made;
    this.slots.timeline.element.append(made.element);
    if (this.main.isConnected) made.start();
  }

  /** When it is on the page. */
  start(): void {
    this.timeline?.start();
  }

  // Tables follow when the zoom has come to rest, so that it stays smooth.
  private follow(range: Range): void {
    this.range = range;
    this.line.show(range, this.report?.clock ?? "seconds");
    clearTimeout(this.soon);
    this.soon = window.setTimeout(() => {
      this.processes?.show(range);
      this.kinds?.show(range);
      this.holdings?.show(range);
      this.sites?.show(range);
      this.events?.show(range);
    }, REST_MS);
  }

  private files(series: boolean): HTMLElement {
    return h("span", { class: "actions" },
      ...(series ? [button("Series as CSV", () => this.saveData())] : []),
      button("All as JSON", () => this.report && saveReport(this.report)));
  }
}
