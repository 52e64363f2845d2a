// SPDX-License-Identifier: Apache-2.0
// What Python holds: who holds it, as a tree; and of a whole census its types and buffers.
import { choice } from "./controls";
import { h } from "./dom";
import { moment, size } from "./format";
import { type Cell, type Head, table } from "./table";
import { grownFrom, type Held, treeGrid } from "./treegrid";

export interface Holding { pid: number; label: string; censuses: number; first_at: number; at: number; holders: { type: string; by: string; bytes: number; count: number; grown: number | null }[] }
interface Buffers { device?: string; dtype: string; shape?: number[]; size?: number[]; count: number; bytes: number }
export interface Census {
  schema: string; pid: number; python: string; mode: string; pause_ms: number; objects: number; bytes: number; incomplete: string | null;
  types: { type: string; count: number; bytes: number; native_bytes: number; retained_bytes: number | null }[];
  tensors: Buffers[]; arrays: Buffers[]; images: Buffers[];
  retainers: { path: string; root: string; type: string; count: number; retained_bytes: number }[];
}

const SHOWN_AT_FIRST = 12;
const number = new Intl.NumberFormat("en-GB");

/** Of several processes, each is looked at by itself. */
export function holdingsCard(holdings: Holding[], clock: string): HTMLElement | null {
  const told = holdings.filter((one) => one.holders.length > 0);
  if (told.length === 0) return null;
  const place = h("div", {});
  const show = (holding: Holding) => {
    const at = (x: number) => (clock === "steps" ? `step ${x}` : moment(Math.round(x)));
    const since = holding.censuses > 1 ? `; grown since ${at(holding.first_at)}, the first of ${holding.censuses}` : "";
    const held: Held[] = holding.holders.map((one) => ({ path: one.by, type: one.type, bytes: one.bytes, count: one.count, grown: one.grown }));
    place.replaceChildren(
      treeGrid("Who holds what", grownFrom(held), holding.censuses > 1),
      h("p", { class: "small" }, `Python objects of `, h("bdi", {}, holding.label || `pid ${holding.pid}`), ` as of ${at(holding.at)}${since}. Arrow keys walk through the tree.`));
  };
  show(told[0]);
  return h("section", { class: "card", "aria-labelledby": "holdings-title" },
    h("div", { class: "bar" }, h("h2", { id: "holdings-title" }, "Who holds what"),
      told.length > 1 ? choice("Process", told.map((one): [string, string] => [String(one.pid), `${one.label} ${one.pid}`]), String(told[0].pid),
        (pid) => show(told.find((one) => String(one.pid) === pid)!)) : null),
    place);
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
    { text: number.format(type.count), sort: type.count },
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
    { text: number.format(one.count), sort: one.count },
    { text: size(one.bytes), sort: one.bytes },
  ]));
}

export function censusCard(census: Census, tree: boolean): HTMLElement {
  const held: Held[] = census.retainers.map((one) => ({ path: one.path, type: one.type, bytes: one.retained_bytes, count: one.count, grown: null }));
  const views: [string, string, () => HTMLElement][] = [
    ...(tree && held.length > 0 ? [["holders", "Holders", () => treeGrid("Who holds what", grownFrom(held), false)] as [string, string, () => HTMLElement]] : []),
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
    h("p", { class: "small" }, h("bdi", {}, `Python ${census.python}, pid ${census.pid}: ${number.format(census.objects)} objects, ${size(census.bytes)}.${stood}${census.incomplete ? ` Incomplete: ${census.incomplete}.` : ""}`)));
}

