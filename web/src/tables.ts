// SPDX-License-Identifier: Apache-2.0
// Processes and kinds of memory, over the whole run or the stretch that the timeline shows.
import type { Range } from "./chart";
import { type KindRow, type ProcessRow, type ProcessSeries, processKey, type Report, type Tree } from "./data";
import { h, svg } from "./dom";
import { growth, size } from "./format";
import { lowerBound } from "./levels";
import { type Cell, type Head, liveTable } from "./table";

interface Numbers { min: number; max: number; floor: number; growth: number }

// As the program reckons it: the floor is the least of late, growth is since the beginning.
const LATE = 8;
const EARLY = 16;
const SPARK_POINTS = 48;
const SHOWN_AT_FIRST = 12;
const FILTER_FROM = 4;

function numbersWithin(time: Float64Array, low: Float64Array, high: Float64Array, range: Range): Numbers | null {
  const from = Math.max(0, lowerBound(time, range.from + 1e-9) - 1);
  const to = lowerBound(time, range.to + 1e-9);
  const rows: number[] = [];
  for (let i = from; i < to; i += 1) if (!Number.isNaN(low[i])) rows.push(i);
  if (rows.length === 0) return null;
  const least = (of: number[]) => of.reduce((a, i) => Math.min(a, low[i]), Infinity);
  const floor = least(rows.slice(-Math.ceil(rows.length / LATE)));
  return {
    min: least(rows),
    max: rows.reduce((a, i) => Math.max(a, high[i]), -Infinity),
    floor,
    growth: floor - least(rows.slice(0, Math.ceil(rows.length / EARLY))),
  };
}

/** The course of a series, small. */
function spark(high: Float64Array, most: number): Element {
  const points: string[] = [];
  let open = false;
  for (let p = 0; p < SPARK_POINTS; p += 1) {
    const from = Math.floor((p * high.length) / SPARK_POINTS);
    const to = Math.max(from + 1, Math.floor(((p + 1) * high.length) / SPARK_POINTS));
    let value = NaN;
    for (let i = from; i < to && i < high.length; i += 1) if (!(high[i] <= value) && !Number.isNaN(high[i])) value = high[i];
    if (Number.isNaN(value)) {
      open = false;
      continue;
    }
    points.push(`${open ? "L" : "M"}${((p * 96) / (SPARK_POINTS - 1)).toFixed(1)} ${(19 - (17 * value) / most).toFixed(1)}`);
    open = true;
  }
  return svg("svg", { viewBox: "0 0 96 20", class: "spark", "aria-hidden": "true" }, svg("path", { d: points.join("") }));
}

const order = (row: ProcessRow) => (row.role === "main" ? 0 : row.role === "wrapper" ? 1 : 2);

function processCells(row: ProcessRow, numbers: Numbers | null, curve: Element | null): Cell[] {
  const n = numbers ?? { min: NaN, max: NaN, floor: NaN, growth: NaN };
  const name = h("span", { class: "process", title: row.command }, h("bdi", { class: "clip" }, row.label || "–"),
    h("small", { class: "clip" }, [...(row.name !== row.label ? [row.name] : []), `pid ${row.pid}`, ...(row.gone ? ["ended"] : [])].join(" · ")));
  return [
    { element: name, sort: row.label },
    { text: row.role_words },
    { text: row.verdict_words },
    { element: curve ? h("span", {}, curve) : h("span", {}) },
    { text: size(n.min), sort: n.min },
    { text: size(n.max), sort: n.max },
    { text: size(n.floor), sort: n.floor },
    { text: growth(n.growth), sort: n.growth },
    { text: row.peak_rss > 0 ? size(row.peak_rss) : "–", sort: row.peak_rss },
  ];
}

const PROCESS_HEADS: Head[] = [
  { text: "Process" }, { text: "Role" }, { text: "Verdict" }, { text: "Course", hint: "drawn" }, { text: "Least", numeric: true }, { text: "Most", numeric: true },
  { text: "Floor", numeric: true }, { text: "Grew", numeric: true }, { text: "Peak RSS", numeric: true },
];

export interface RangeCard<T> { element: HTMLElement; show: (range: Range) => void; update: (report: Report, data: T) => void }

export function processCard(firstReport: Report, firstSeries: ProcessSeries | null, firstRange: Range): RangeCard<ProcessSeries | null> {
  let report = firstReport;
  let series = firstSeries;
  let range = firstRange;
  let wanted = "";
  let all = false;
  const made = liveTable("Processes", PROCESS_HEADS);
  const more = h("button", { type: "button", class: "plain more", click: () => { all = true; draw(); } });
  const words = h("p", { class: "small" });
  const numbersOf = (row: ProcessRow): Numbers | null => {
    const of = series?.of.get(processKey(row));
    if (range.whole || !of || !series) return range.whole ? row.total : null;
    return numbersWithin(series.time, of.low, of.high, range);
  };
  const draw = () => {
    const text = wanted.toLowerCase();
    const most = report.processes.reduce((a, row) => Math.max(a, row.total.max), 1);
    const rows = report.processes
      .filter((row) => [row.label, row.name, row.command, row.role_words, row.verdict_words, String(row.pid)].some((s) => s.toLowerCase().includes(text)))
      .map((row) => ({ row, numbers: numbersOf(row) }))
      .filter(({ numbers }) => range.whole || numbers !== null)
      .sort((a, b) => order(a.row) - order(b.row) || (b.numbers?.max ?? 0) - (a.numbers?.max ?? 0));
    const shown = all ? rows : rows.slice(0, SHOWN_AT_FIRST);
    made.fill(shown.map(({ row, numbers }) => {
      const of = series?.of.get(processKey(row));
      return processCells(row, numbers, of ? spark(of.high, most) : null);
    }));
    more.hidden = rows.length <= shown.length;
    more.textContent = `Show all ${rows.length}`;
    const sentences = [...report.groups, report.gone].filter((sentence) => sentence !== "");
    words.hidden = sentences.length === 0;
    words.replaceChildren(h("bdi", {}, sentences.join(" ")));
    filter.hidden = report.processes.length <= FILTER_FROM && wanted === "";
  };
  const filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter processes", input: () => { wanted = filter.value; draw(); } });
  draw();
  const element = h("section", { class: "card", "aria-labelledby": "processes-title" },
    h("div", { class: "bar" }, h("h2", { id: "processes-title" }, "Processes"), filter), made.element, more, words);
  return {
    element,
    show: (to) => { range = to; draw(); },
    update: (now, data) => { report = now; series = data; draw(); },
  };
}

function kindRow(row: KindRow, most: number, numbers: Numbers | null): Cell[] {
  const unexplained = row.kind === "unexplained";
  const n = numbers ?? row;
  const bar = h("span", { class: "kind" }, h("i", { class: `dot kind-${row.kind}` }), h("bdi", { class: "clip" }, row.label));
  const meter = h("span", { class: "meter" }, h("i", {}));
  (meter.firstChild as HTMLElement).style.width = `${Math.max(0, Math.min(100, (100 * row.last) / most))}%`;
  const dash = (bytes: number) => (unexplained ? "–" : size(bytes));
  return [
    { element: bar, sort: row.label },
    { text: dash(n.min), sort: n.min },
    { text: dash(n.max), sort: n.max },
    { text: dash(n.floor), sort: n.floor },
    { text: unexplained ? "–" : growth(n.growth), sort: n.growth },
    { text: size(row.last), sort: row.last },
    { element: unexplained || row.kind === "total" ? h("span", {}) : meter },
  ];
}

export function kindCard(firstReport: Report, firstTree: Tree, firstRange: Range): RangeCard<Tree> {
  let report = firstReport;
  let tree = firstTree;
  let range = firstRange;
  const heads: Head[] = [
    { text: report.kinds.some((row) => row.kind === "total") ? "Kind" : "Series" }, { text: "Least", numeric: true }, { text: "Most", numeric: true },
    { text: "Floor", numeric: true }, { text: "Grew", numeric: true }, { text: "At the end", numeric: true }, { text: "Share", hint: "drawn" },
  ];
  const made = liveTable("Kinds of memory", heads);
  const within = (row: KindRow): Numbers | null => {
    if (range.whole) return null;
    if (row.kind === "total") return numbersWithin(tree.time, tree.low, tree.high, range);
    const layer = [...tree.kinds, ...tree.named].find((one) => (row.kind === "named" ? one.label === row.label : one.kind === row.kind));
    return layer ? numbersWithin(tree.time, layer.values, layer.values, range) : null;
  };
  const draw = () => {
    const most = report.kinds.reduce((a, row) => Math.max(a, row.last), 1);
    made.fill(report.kinds.filter((row) => row.max > 0 || row.kind === "unexplained").map((row) => kindRow(row, most, within(row))));
  };
  draw();
  const element = h("section", { class: "card", "aria-labelledby": "kinds-title" }, h("div", { class: "bar" }, h("h2", { id: "kinds-title" }, "Kinds of memory")), made.element);
  return {
    element,
    show: (to) => { range = to; draw(); },
    update: (now, data) => { report = now; tree = data; draw(); },
  };
}
