// SPDX-License-Identifier: Apache-2.0
// Where memory was allocated: the places that grew as a table, and all stacks of calls as a picture; both about the stretch of time that is
// shown, and about what is searched for.
import { censusesIn } from "./census";
import type { Range } from "./chart";
import { choice } from "./controls";
import { h } from "./dom";
import { count as counted, growth, moment, size } from "./format";
import { Icicle, type Measure, MOST_ROWS, rampLegend } from "./icicle";
import { type Cell, type Head, liveTable, type Table } from "./table";
import type { Branch } from "./treegrid";

export interface SitePlace { label: string; file: string; line: number; native: boolean }
export interface SiteCourse { stack: number[]; place: number; own: number; live_at: number[]; count: number | null; allocated: number | null; allocated_count: number | null }
export interface SitesOf {
  pid: number; label: string; sampling: string; sampled_every: number; profiles: number; times: number[]; places: SitePlace[]; sites: SiteCourse[]; others_at: number[];
}
export interface SitesCard { element: HTMLElement; show: (range: Range) => void; update: (all: SitesOf[]) => void }

const SHOWN_AT_FIRST = 8;

/** Two profiles of a process: growth is from the first to the last. */
interface Stretch { of: SitesOf; first: number; last: number; several: boolean }
interface Row { where: string; from: string; live: number; grown: number; count: number | null; allocated: number | null; names: string }

const NOISE = 64 << 10; // bytes: as little is told as no growth
const told = (grown: number) => (Math.abs(grown) < NOISE ? 0 : grown);
const plus = (a: number | null, b: number | null) => (b === null ? a : (a ?? 0) + b);

/** Stacks that allocate in the same place, called from the same code of one's own. */
function rowsOf({ of, first, last, several }: Stretch): Row[] {
  const rows = new Map<string, Row>();
  for (const site of of.sites) {
    const key = `${site.place} ${site.own}`;
    const row = rows.get(key) ?? { where: of.places[site.place].label, from: site.own === site.place ? "" : of.places[site.own].label, live: 0, grown: 0, count: null, allocated: null, names: "" };
    row.live += site.live_at[last];
    row.grown += several ? site.live_at[last] - site.live_at[first] : 0;
    row.count = plus(row.count, site.count);
    row.allocated = plus(row.allocated, site.allocated);
    row.names += site.stack.map((place) => `${of.places[place].label} ${of.places[place].file}`).join(" ").toLowerCase();
    rows.set(key, row);
  }
  return [...rows.values()].filter((row) => row.live > 0 || row.grown !== 0).sort((a, b) => told(b.grown) - told(a.grown) || b.live - a.live);
}

const emptyBranch = (label: string, type: string): Branch => ({ label, type, bytes: 0, count: 0, grown: null, grownItself: 0, children: [] });

const pathOf = (place: SitePlace) => [place.file + (place.line > 0 ? `:${place.line}` : ""), ...(place.native ? ["native code"] : [])].join(", ");

/** The stacks as a tree of calls, the outermost on top. */
function treeOf(stretch: Stretch): Branch {
  const { of, first, last, several } = stretch;
  const root = emptyBranch("", "");
  const made = new Map<Branch, Map<number, Branch>>();
  const put = (branch: Branch, bytes: number, count: number | null, grown: number | null) => {
    branch.bytes += bytes;
    branch.count += count ?? 0;
    branch.grown = plus(branch.grown, grown);
  };
  const add = (stack: number[], bytes: number, count: number | null, before: number) => {
    if (bytes <= 0) return;
    const grown = several ? bytes - before : null;
    let at = root;
    put(at, bytes, count, grown);
    for (const place of stack) {
      const children = made.get(at) ?? new Map<number, Branch>();
      made.set(at, children);
      let next = children.get(place);
      if (!next) {
        next = place < 0 ? emptyBranch("smaller sites", "") : emptyBranch(of.places[place].label, pathOf(of.places[place]));
        children.set(place, next);
        at.children.push(next);
      }
      at = next;
      put(at, bytes, count, grown);
    }
    at.grownItself = (at.grownItself ?? 0) + (grown ?? 0);
  };
  for (const site of of.sites) add(site.stack, site.live_at[last], site.count, site.live_at[first]);
  add([-1], of.others_at[last], null, of.others_at[first]);
  return root;
}

const depthOf = (branch: Branch): number => 1 + branch.children.reduce((most, child) => Math.max(most, depthOf(child)), 0);

/** Calls that lead to one other alone share its row, where there would be too many rows. */
function inFewerRows(branch: Branch): Branch {
  let at = branch;
  const names = [at.label];
  while (at.children.length === 1 && at.children[0].bytes === at.bytes) {
    at = at.children[0];
    names.push(at.label);
  }
  const label = names.length > 2 ? `${names[0]} … ${names[names.length - 1]}` : names.join(" → ");
  return { ...at, label, children: at.children.map(inFewerRows) };
}

function drawnTree(stretch: Stretch): Branch {
  const root = treeOf(stretch);
  const tree = depthOf(root) > MOST_ROWS ? { ...root, children: root.children.map(inFewerRows) } : root;
  const sort = (branch: Branch) => {
    branch.children.sort((a, b) => b.bytes - a.bytes);
    branch.children.forEach(sort);
  };
  sort(tree);
  return tree;
}

/** Where a library allocates, its caller is told, too. */
const whereCell = (row: Row) => h("span", { class: "place", title: row.from ? `${row.where}, called from ${row.from}` : row.where },
  h("code", { class: "clip" }, row.where), row.from ? h("small", { class: "clip" }, "from ", h("code", {}, row.from)) : null);

/** The table; counts are of the last profile, so they are left out where an earlier one is shown. */
function siteTable(stretch: Stretch, rows: Row[]): { table: Table; cells: Cell[][] } {
  const atTheEnd = stretch.last === stretch.of.times.length - 1;
  const has = (of: (row: Row) => number | null) => rows.some((row) => of(row) !== null);
  const columns: { head: Head; cell: (row: Row) => Cell; wanted: boolean }[] = [
    { head: { text: "Allocated in" }, cell: (row) => ({ element: whereCell(row), sort: row.where }), wanted: true },
    { head: { text: "Grew", numeric: true }, cell: (row) => ({ text: growth(row.grown), sort: row.grown }), wanted: stretch.several },
    { head: { text: "Live", numeric: true }, cell: (row) => ({ text: size(row.live), sort: row.live }), wanted: true },
    { head: { text: "Blocks", numeric: true }, cell: (row) => ({ text: row.count === null ? "–" : counted(row.count), sort: row.count ?? -1 }), wanted: atTheEnd && has((row) => row.count) },
    { head: { text: "Ever allocated", numeric: true }, cell: (row) => ({ text: size(row.allocated ?? NaN), sort: row.allocated ?? -1 }), wanted: atTheEnd && has((row) => row.allocated) },
  ];
  const shown = columns.filter((column) => column.wanted);
  return { table: liveTable("Where it is allocated", shown.map((column) => column.head)), cells: rows.map((row) => shown.map((column) => column.cell(row))) };
}

/** Null where no profile was taken. */
export function sitesCard(first: SitesOf[], clock: string): SitesCard | null {
  if (first.length === 0) return null;
  let all = first;
  let pid = String(all[0].pid);
  let range: Range = { from: -Infinity, to: Infinity, whole: true };
  let measure: Measure = "held";
  let wanted = "";
  let showsAll = false;
  const icicle = new Icicle("Where it is allocated, as a picture", "what is live");
  const place = h("div", {});
  const words = h("p", { class: "small" });
  const legend = rampLegend();
  const measures = choice<Measure>("Width", [["held", "Live"], ["grew", "Grew"]], measure, (to) => { measure = to; draw(); });
  const at = (x: number) => (clock === "steps" ? `step ${x}` : moment(Math.round(x)));

  const draw = () => {
    const of = all.find((one) => String(one.pid) === pid) ?? all[0];
    const found = censusesIn(of.times, range);
    const stretch: Stretch = { of, ...found, several: found.last > found.first };
    const rows = rowsOf(stretch).filter((row) => row.names.includes(wanted));
    const { table, cells } = siteTable(stretch, rows);
    const count = showsAll ? cells.length : Math.min(cells.length, SHOWN_AT_FIRST);
    table.fill(cells.slice(0, count));
    const rest = cells.length > count ? [h("button", { type: "button", class: "plain more", click: () => { showsAll = true; draw(); } }, `Show all ${cells.length}`)] : [];
    place.replaceChildren(...(cells.length > 0 ? [table.element, ...rest] : [h("p", { class: "small", role: "status" }, "No place is called that.")]));
    const root = drawnTree(stretch);
    const grew = stretch.several && (root.grown ?? 0) > 0;
    measures.hidden = !grew;
    legend.hidden = !stretch.several || (grew && measure === "grew");
    icicle.show(root, grew ? measure : "held");
    icicle.search(wanted);
    const since = stretch.several ? `; grown since ${at(of.times[stretch.first])}${stretch.first === 0 ? `, the first of ${of.profiles}` : ""}` : "";
    words.replaceChildren("Memory of ", h("bdi", {}, of.label || `pid ${of.pid}`), ` that is not freed as of ${at(of.times[stretch.last])}${since}. `, h("bdi", {}, `${of.sampling}.`), " Callers are above what they call.");
  };
  const filter = h("input", { type: "search", placeholder: "Search", "aria-label": "Search places", input: () => { wanted = filter.value.toLowerCase(); draw(); } });
  const processes = h("span", {});
  const offer = () => processes.replaceChildren(...(all.length > 1 ? [choice("Process", all.map((one): [string, string] => [String(one.pid), `${one.label} ${one.pid}`]), pid, (to) => { pid = to; draw(); })] : []));
  offer();
  draw();
  return {
    element: h("section", { class: "card sites", "aria-labelledby": "sites-title" },
      h("div", { class: "bar" }, h("h2", { id: "sites-title" }, "Where it is allocated"), processes, filter),
      place, h("div", { class: "picture" }, h("div", { class: "bar" }, measures, legend), icicle.element), words),
    show: (to) => { range = to; draw(); },
    update: (now) => {
      const others = now.length !== all.length;
      all = now;
      if (others) offer();
      draw();
    },
  };
}
