// SPDX-License-Identifier: Apache-2.0
// A table that can be sorted by its heads, and keeps its order when its rows change.
import { h } from "./dom";

export interface Cell { text?: string; sort?: number | string; element?: HTMLElement | SVGElement | Element; clip?: boolean; code?: boolean }
export interface Head { text: string; numeric?: boolean; hint?: string }
export interface Table { element: HTMLElement; fill: (rows: Cell[][]) => void }

function cellOf(cell: Cell, head: Head, first: boolean): HTMLElement {
  const content = cell.element ?? h(cell.code ? "code" : "bdi", { class: cell.clip ? "clip" : undefined, title: cell.clip ? cell.text : undefined }, cell.text ?? "");
  return h(first ? "th" : "td", { class: head.numeric ? "number" : undefined, scope: first ? "row" : undefined }, content);
}

/** Scrolls sideways on its own where it has to; the page never does. */
export function liveTable(caption: string, heads: Head[], mayBeSorted = true): Table {
  const body = h("tbody");
  const headRow = h("tr");
  let rows: Cell[][] = [];
  let sortable: boolean | null = null;
  let order: { column: number; down: boolean } | null = null;
  const show = () => {
    const sorted = [...rows];
    if (order) {
      const { column, down } = order;
      const value = (row: Cell[]) => row[column].sort ?? row[column].text ?? "";
      sorted.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
        return down ? -less : less;
      });
    }
    body.replaceChildren(...sorted.map((row) => h("tr", {}, ...row.map((cell, i) => cellOf(cell, heads[i], i === 0)))));
  };
  const sortBy = (column: number) => {
    order = { column, down: order?.column === column ? !order.down : heads[column].numeric === true };
    [...headRow.children].forEach((cell, i) => {
      if (i === column) cell.setAttribute("aria-sort", order!.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    show();
  };
  const headCell = (head: Head, column: number) =>
    h("th", { scope: "col", class: head.numeric ? "number" : undefined },
      sortable && head.text !== "" && !head.hint?.startsWith("drawn") ? h("button", { type: "button", class: "sort", click: () => sortBy(column) }, head.text) : head.text);
  return {
    element: h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${caption}, table` },
      h("table", {}, h("caption", { class: "hidden" }, caption), h("thead", {}, headRow), body)),
    fill: (now) => {
      rows = now;
      // One row needs no order.
      if (sortable !== (mayBeSorted && rows.length > 1)) {
        sortable = mayBeSorted && rows.length > 1;
        headRow.replaceChildren(...heads.map(headCell));
      }
      show();
    },
  };
}

export function table(caption: string, heads: Head[], rows: Cell[][], mayBeSorted = true): HTMLElement {
  const made = liveTable(caption, heads, mayBeSorted);
  made.fill(rows);
  return made.element;
}
