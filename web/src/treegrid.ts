// SPDX-License-Identifier: Apache-2.0
// Paths by which objects are held, as a tree that is walked with the arrow keys. Rows are made when their branch is opened.
import { h } from "./dom";
import { count, growth, size } from "./format";

export interface Held { path: string; type: string; bytes: number; count: number; grown: number | null }
/** Most branches are the sum of their children; one that has more has grown by itself, too. */
export interface Branch { label: string; type: string; bytes: number; count: number; grown: number | null; grownItself?: number; children: Branch[] }

const LONGEST_PATH = 400;
const OPEN_AT_FIRST = 8;

/** "a.b local 'x'[*].rows" -> "a", ".b local 'x'", "[*]", ".rows" */
export const partsOf = (path: string): string[] => path.slice(0, LONGEST_PATH).split(/(?=\.[A-Za-z_<])|(?=\[)|(?=\{)|(?= -> )/).filter((part) => part !== "");

const add = (a: number | null, b: number | null) => (a === null && b === null ? null : (a ?? 0) + (b ?? 0));

/** Paths that begin alike share their branches; what does not fork stays in one row. */
export function grownFrom(all: Held[]): Branch[] {
  const root: Branch = { label: "", type: "", bytes: 0, count: 0, grown: null, children: [] };
  for (const held of all) {
    let at = root;
    for (const part of partsOf(held.path)) {
      let next = at.children.find((child) => child.label === part && child.type === "");
      if (!next) {
        next = { label: part, type: "", bytes: 0, count: 0, grown: null, children: [] };
        at.children.push(next);
      }
      at = next;
    }
    at.children.push({ label: "", type: held.type, bytes: held.bytes, count: held.count, grown: held.grown, children: [] });
  }
  return root.children.map(joined).sort((a, b) => b.bytes - a.bytes);
}

/** With the sums of its children. */
const summed = (branch: Branch, children: Branch[]): Branch => ({
  ...branch, children, bytes: children.reduce((sum, child) => sum + child.bytes, 0), count: children.reduce((sum, child) => sum + child.count, 0),
  grown: children.reduce<number | null>((sum, child) => add(sum, child.grown), null),
});

export const rootOf = (branches: Branch[]): Branch => summed({ label: "", type: "", bytes: 0, count: 0, grown: null, children: [] }, branches);

function joined(branch: Branch): Branch {
  if (branch.children.length === 0) return branch;
  const children = branch.children.map(joined).sort((a, b) => b.bytes - a.bytes);
  if (children.length === 1) return { ...children[0], label: branch.label + children[0].label };
  return summed(branch, children);
}

interface Row { element: HTMLTableRowElement; branch: Branch; level: number; open: boolean }

export function treeGrid(label: string, branches: Branch[], withGrowth: boolean): HTMLElement {
  const body = h("tbody");
  let rows: Row[] = [];
  const most = branches.reduce((sum, branch) => sum + branch.bytes, 0) || 1;

  const rowOf = (branch: Branch, level: number, at: number, of: number): Row => {
    const leaf = branch.children.length === 0;
    const name = h("span", { class: "branch" }, h("i", { class: leaf ? "twig leaf" : "twig", "aria-hidden": "true" }), h("code", { class: "clip", title: branch.label }, branch.label || "itself"));
    name.style.paddingLeft = `${Math.min(level - 1, 12) * 16}px`;
    const bar = h("span", { class: "meter" }, h("i", {}));
    (bar.firstChild as HTMLElement).style.width = `${Math.min(100, (100 * branch.bytes) / most)}%`;
    const element = h("tr", { role: "row", tabindex: "-1", "aria-level": level, "aria-posinset": at, "aria-setsize": of, "aria-expanded": leaf ? undefined : "false" },
      h("td", { role: "gridcell" }, name),
      h("td", { role: "gridcell" }, h("code", { class: "clip", title: branch.type }, branch.type || (leaf ? "" : `${branch.children.length} ways`))),
      h("td", { role: "gridcell", class: "number" }, count(branch.count)),
      h("td", { role: "gridcell", class: "number" }, size(branch.bytes)),
      ...(withGrowth ? [h("td", { role: "gridcell", class: "number" }, branch.grown === null ? "–" : growth(branch.grown))] : []),
      h("td", { role: "gridcell" }, bar));
    return { element, branch, level, open: false };
  };
  const select = (index: number, focus: boolean) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    rows.forEach((one) => (one.element.tabIndex = one === row ? 0 : -1));
    if (focus) row.element.focus();
  };
  const open = (row: Row) => {
    if (row.open || row.branch.children.length === 0) return;
    row.open = true;
    row.element.setAttribute("aria-expanded", "true");
    const made = row.branch.children.map((child, i) => rowOf(child, row.level + 1, i + 1, row.branch.children.length));
    row.element.after(...made.map((one) => one.element));
    rows.splice(rows.indexOf(row) + 1, 0, ...made);
  };
  const close = (row: Row) => {
    if (!row.open) return;
    row.open = false;
    row.element.setAttribute("aria-expanded", "false");
    const from = rows.indexOf(row) + 1;
    let to = from;
    while (to < rows.length && rows[to].level > row.level) to += 1;
    for (const gone of rows.splice(from, to - from)) gone.element.remove();
  };
  const indexOf = (event: Event) => rows.findIndex((row) => row.element.contains(event.target as Node));

  rows = branches.map((branch, i) => rowOf(branch, 1, i + 1, branches.length));
  body.append(...rows.map((row) => row.element));
  // What is large is open at first.
  for (let i = 0; i < rows.length && rows.length < OPEN_AT_FIRST; i += 1) if (rows[i].branch.bytes > most / 2) open(rows[i]);
  select(0, false);

  const key = (event: KeyboardEvent) => {
    const at = indexOf(event);
    if (at < 0) return;
    const row = rows[at];
    const parent = () => {
      let up = at - 1;
      while (up > 0 && rows[up].level >= row.level) up -= 1;
      return row.level > 1 ? up : at;
    };
    const acts: Record<string, () => void> = {
      ArrowDown: () => select(at + 1, true),
      ArrowUp: () => select(at - 1, true),
      ArrowRight: () => (row.open ? select(at + 1, true) : open(row)),
      ArrowLeft: () => (row.open ? close(row) : select(parent(), true)),
      Enter: () => (row.open ? close(row) : open(row)),
      Home: () => select(0, true),
      End: () => select(rows.length - 1, true),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  const click = (event: Event) => {
    const at = indexOf(event);
    if (at < 0) return;
    select(at, true);
    if (rows[at].open) close(rows[at]);
    else open(rows[at]);
  };
  const head = (text: string, numeric = false) => h("th", { role: "columnheader", scope: "col", class: numeric ? "number" : undefined }, text);
  return h("div", { class: "scroll" },
    h("table", { role: "treegrid", "aria-label": label, class: "tree", keydown: key as (event: Event) => void, click },
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head("Held by"), head("Type"), head("Objects", true), head("Held", true), ...(withGrowth ? [head("Grew", true)] : []), head("Share"))),
      body));
}
