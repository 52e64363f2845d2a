// SPDX-License-Identifier: Apache-2.0
import { causesCard, eventsCard, howCard, reasonCards } from "./cards";
import type { Range } from "./chart";
import { button } from "./controls";
import { readReport, type Report, unpackProcesses, unpackTree } from "./data";
import { glyph, h } from "./dom";
import { saveReport, saveSeries } from "./download";
import { moment } from "./format";
import { hero } from "./hero";
import { kindCard, processCard } from "./tables";
import { switchTheme } from "./theme";
import { timelineCard } from "./timeline";

const REST_MS = 120;
const MARK = "M5 3 V21 M5 5 H10 M5 10 H8 M5 15 H10 M11 17 C13 13 15 21 17 17 C18.5 14.5 20 17 21 17";

function header(report: Report, actions: HTMLElement[]): HTMLElement {
  return h("header", { class: "top" },
    h("span", { class: "brand" }, glyph(MARK, "mark"), "tidegauge"),
    h("code", { class: "title clip" }, report.title),
    h("span", { class: "seen" }, h("bdi", {}, report.seen)),
    h("span", { class: "actions" }, ...actions));
}

/** The stretch that the tables are about, where it is not all. */
function rangeLine(reset: () => void): { element: HTMLElement; show: (range: Range, clock: string) => void } {
  const text = h("span", {});
  const element = h("p", { class: "range", role: "status", hidden: true }, text, button("Show all", reset));
  return {
    element,
    show: (range, clock) => {
      element.hidden = range.whole;
      const at = (x: number) => (clock === "steps" ? `step ${x.toFixed(0)}` : moment(Math.round(x)));
      text.textContent = range.whole ? "" : `The tables below are about ${at(range.from)} to ${at(range.to)}.`;
    },
  };
}

async function show(report: Report, page: HTMLElement): Promise<void> {
  document.title = `${report.verdicts[0]?.words.tag ?? "tidegauge"}: ${report.title}`;
  const tree = report.tree ? await unpackTree(report.tree) : null;
  const series = report.process_series ? await unpackProcesses(report.process_series) : null;
  const saving = tree ? button("Download data", () => saveSeries(report, tree)) : null;
  const theme = button("Theme", switchTheme, "Theme: light or dark");
  const main = h("main", {});
  page.replaceChildren(header(report, saving ? [saving, theme] : [theme]), main);
  if (report.verdicts[0]) main.append(hero(report.verdicts[0]));
  let reset = () => {};
  const line = rangeLine(() => reset());
  const processes = report.processes.length > 0 ? processCard(report, series) : null;
  const kinds = tree && report.kinds.length > 0 ? kindCard(report, tree) : null;
  // Tables follow when the zoom has come to rest, so that it stays smooth.
  let soon = 0;
  const timeline = tree ? timelineCard(report, tree, (range) => {
    line.show(range, report.clock);
    clearTimeout(soon);
    soon = window.setTimeout(() => {
      processes?.show(range);
      kinds?.show(range);
    }, REST_MS);
  }) : null;
  if (timeline) {
    reset = timeline.reset;
    main.append(timeline.element);
  }
  const files = h("span", { class: "actions" },
    ...(tree ? [button("Series as CSV", () => saveSeries(report, tree))] : []), button("All as JSON", () => saveReport(report)));
  for (const part of [causesCard(report.verdicts[0]?.causes ?? []), reasonCards(report), line.element, processes?.element, kinds?.element, eventsCard(report), howCard(report, files)]) {
    if (part) main.append(part);
  }
  page.append(h("footer", {}, report.tool));
  await document.fonts.load('12px "Inter Variable"').catch(() => undefined);
  timeline?.start();
  // Tests wait for it: everything is drawn, after so many milliseconds.
  requestAnimationFrame(() => requestAnimationFrame(() => (document.documentElement.dataset.ready = performance.now().toFixed(0))));
}

const page = document.getElementById("page")!;
const report = readReport();
if (report) void show(report, page);
else page.replaceChildren(h("p", { class: "card" }, "This file holds no report."));
