// SPDX-License-Identifier: Apache-2.0
// What Python holds: who holds it, as a tree; and of a whole census its types and buffers.
import type { Range } from "./chart";
import { choice } from "./controls";
import { h } from "./dom";
import { count, moment, size } from "./format";
import { Icicle, type Measure, rampLegend } from "./icicle";
import { type Cell, type Head, table } from "./table";
import { type Branch, grownFrom, type Held, rootOf, treeGrid } from "./treegrid";

export interface Holding { pid: number; label: string; censuses: number; first_at: number; at: number; times: number[]; holders: { type: string; by: string; bytes: number; count: number; grown: number | null; bytes_at: number[] }[] }
interface Buffers { device?: string; dtype: string; shape?: number[]; size?: number[]; count: number; bytes: number }
export interface Census {
  schema: string; pid: number; python: string; mode: string; pause_ms: number; objects: number; bytes: number; incomplete: string | null;
  types: { type: string; count: number; bytes: number; native_bytes: number; retained_bytes: number | null }[];
  tensors: Buffers[]; arrays: Buffers[]; images: Buffers[];
  retainers: { path: string; root: string; type: string; count: number; retained_bytes: number }[];
}

const SHOWN_AT_FIRST = 12;

/** A tree as a table, and the same as a picture where there is more than one branch. */
function treeAndPicture(label: string, branches: Branch[], withGrowth: boolean, what: string): HTMLElement {
  const rest = branches.length > 1 || branches.some((branch) => branch.children.length > 0) ? [picture(label, branches, withGrowth, what)] : [];
  return h("div", {}, treeGrid(label, branches, withGrowth), ...rest);
}

function picture(label: string, branches: Branch[], withGrowth: boolean, what: string): HTMLElement {
  const icicle = new Icicle(`${label}, as a picture`, what);
  const root = rootOf(branches);
  const grew = (root.grown ?? 0) > 0;
  const legend = withGrowth ? rampLegend() : null;
  const measures = withGrowth && grew ? choice<Measure>("Width", [["held", "Held"], ["grew", "Grew"]], "held", (measure) => {
    icicle.show(root, measure);
    if (legend) legend.hidden = measure === "grew";
  }) : null;
  icicle.show(root, "held");
  return h("div", { class: "picture" }, measures || legend ? h("div", { class: "bar" }, measures, legend) : null, icicle.element);
}

/** The censuses that a stretch of time is about: what is held at its end, and since when growth is told. */
export function censusesIn(times: number[], range: Range): { first: number; last: number } {
  const upTo = times.filter((time) => time <= range.to + 1e-6).length;
  const last = Math.max(0, upTo - 1);
  const from = times.findIndex((time) => time >= range.from - 1e-6);
  return { first: from < 0 ? last : Math.min(from, last), last };
}

export interface HoldingsCard { element: HTMLElement; show: (range: Range) => void }

/** Of several processes, each is looked at by itself. */
export function holdingsCard(holdings: Holding[], clock: string): HoldingsCard | null {
  const told = holdings.filter((one) => one.holders.length > 0);
  if (told.length === 0) return null;
  const place = h("div", {});
  let chosen = told[0];
  let range: Range = { from: -Infinity, to: Infinity, whole: true };
  let shown = "";
  const draw = () => {
    const { first, last } = censusesIn(chosen.times, range);
    const now = `${chosen.pid} ${first} ${last}`;
    if (now === shown) return;
    shown = now;
    const at = (x: number) => (clock === "steps" ? `step ${x}` : moment(Math.round(x)));
    const several = last > first;
    const since = several ? `; grown since ${at(chosen.times[first])}${first === 0 ? `, the first of ${chosen.censuses}` : ""}` : "";
    const held: Held[] = chosen.holders.flatMap((one) => {
      const bytes = one.bytes_at[last];
      const grown = several ? bytes - one.bytes_at[first] : null;
      return bytes > 0 ? [{ path: one.by, type: one.type, bytes, count: one.count, grown }] : [];
    });
    place.replaceChildren(
      treeAndPicture("Who holds what", grownFrom(held), several, "what is held"),
      h("p", { class: "small" }, `Python objects of `, h("bdi", {}, chosen.label || `pid ${chosen.pid}`), ` as of ${at(chosen.times[last])}${since}.`, h("span", { class: "hint" }, " Arrow keys walk through the tree.")));
  };
  draw();
  const element = h("section", { class: "card", "aria-labelledby": "holdings-title" },
    h("div", { class: "bar" }, h("h2", { id: "holdings-title" }, "Who holds what"),
      told.length > 1 ? choice("Process", told.map((one): [string, string] => [String(one.pid), `${one.label} ${one.pid}`]), String(told[0].pid), (pid) => {
        chosen = told.find((one) => String(one.pid) === pid)!;
        draw();
      }) : null),
    place);
  return { element, show: (to) => { range = to; draw(); } };
}

/** The first rows, and the rest when asked for. */
function cut(caption: string, heads: Head[], rows: Cell[][]): HTMLElement {
  const place = h("div", {});
  const show = (count: number) => {
    const rest = rows.length - count;
    place.replaceChildren(table(caption, heads, rows.slice(0, count)),
      ...(rest > 0 ? [h("button", { type: "button", class: "plain more", click: () => show(rows.length) }, `Show all ${rows.length}`)] : []));
  };
  show(Math.min(rows.length, SHOWN_AT_FIRST));
  return place;
}

function typesTable(census: Census): HTMLElement {
  const retained = census.types.some((type) => type.retained_bytes !== null);
  const heads: Head[] = [{ text: "Type" }, { text: "Objects", numeric: true }, { text: "Bytes", numeric: true }, ...(retained ? [{ text: "Keeps alive", numeric: true }] : [])];
  return cut("Types", heads, census.types.map((type) => [
    { text: type.type, code: true, clip: true },
    { text: count(type.count), sort: type.count },
    { text: size(type.bytes + type.native_bytes), sort: type.bytes + type.native_bytes },
    ...(retained ? [{ text: size(type.retained_bytes ?? NaN), sort: type.retained_bytes ?? -1 }] : []),
  ]));
}

function buffersTable(caption: string, all: Buffers[]): HTMLElement {
  const devices = all.some((one) => one.device !== undefined);
  const heads: Head[] = [{ text: "Shape" }, { text: "Element" }, ...(devices ? [{ text: "Device" }] : []), { text: "Objects", numeric: true }, { text: "Bytes", numeric: true }];
  return cut(caption, heads, all.map((one) => [
    { text: (one.shape ?? one.size ?? []).join(" × ") || "scalar", clip: true },
    { text: one.dtype, clip: true },
    ...(devices ? [{ text: one.device ?? "" }] : []),
    { text: count(one.count), sort: one.count },
    { text: size(one.bytes), sort: one.bytes },
  ]));
}

export function censusCard(census: Census, tree: boolean): HTMLElement {
  const held: Held[] = census.retainers.map((one) => ({ path: one.path, type: one.type, bytes: one.retained_bytes, count: one.count, grown: null }));
  const views: [string, string, () => HTMLElement][] = [
    ...(tree && held.length > 0 ? [["holders", "Holders", () => treeAndPicture("Who holds what", grownFrom(held), false, "what is held")] as [string, string, () => HTMLElement]] : []),
    ["types", "Types", () => typesTable(census)],
    ...([["tensors", "Tensors", census.tensors], ["arrays", "Arrays", census.arrays], ["images", "Images", census.images]] as [string, string, Buffers[]][])
      .filter(([, , all]) => all.length > 0)
      .map(([id, text, all]): [string, string, () => HTMLElement] => [id, text, () => buffersTable(text, all)]),
  ];
  const place = h("div", {}, views[0][2]());
  const stood = census.pause_ms > 0 ? ` It stood still for ${census.pause_ms.toFixed(census.pause_ms < 10 ? 1 : 0)}\u00a0ms.` : "";
  return h("section", { class: "card", "aria-labelledby": "census-title" },
    h("div", { class: "bar" }, h("h2", { id: "census-title" }, "Census"),
      views.length > 1 ? choice("What is counted", views.map(([id, text]): [string, string] => [id, text]), views[0][0],
        (chosen) => place.replaceChildren(views.find(([id]) => id === chosen)![2]())) : null),
    place,
    h("p", { class: "small" }, h("bdi", {}, `Python ${census.python}, pid ${census.pid}: ${count(census.objects)} objects, ${size(census.bytes)}.${stood}${census.incomplete ? ` Incomplete: ${census.incomplete}.` : ""}`)));
}

