// SPDX-License-Identifier: Apache-2.0
// A table that can be sorted by its heads.
import { h } from "./dom";

export interface Cell { text?: string; sort?: number | string; element?: HTMLElement | SVGElement | Element; clip?: boolean; code?: boolean }
export interface Head { text: string; numeric?: boolean; hint?: string }

function cellOf(cell: Cell, head: Head, first: boolean): HTMLElement {
  const content = cell.element ?? h(cell.code ? "code" : "bdi", { class: cell.clip ? "clip" : undefined, title: cell.clip ? cell.text : undefined }, cell.text ?? "");
  return h(first ? "th" : "td", { class: head.numeric ? "number" : undefined, scope: first ? "row" : undefined }, content);
}

/** Scrolls sideways on its own where it has to; the page never does. */
export function table(caption: string, heads: Head[], rows: Cell[][]): HTMLElement {
  const body = h("tbody");
  let order: { column: number; down: boolean } | null = null;
  const fill = () => {
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
  const headCells = heads.map((head, column) => {
    const sortable = rows.length > 1 && head.text !== "" && !head.hint?.startsWith("drawn");
    const th: HTMLElement = h("th", { scope: "col", class: head.numeric ? "number" : undefined },
      sortable
        ? h("button", {
            type: "button",
            class: "sort",
            click: () => {
              order = { column, down: order?.column === column ? !order.down : head.numeric === true };
              headCells.forEach((cell) => cell.removeAttribute("aria-sort"));
              th.setAttribute("aria-sort", order.down ? "descending" : "ascending");
              fill();
            },
          }, head.text)
        : head.text);
    return th;
  });
  fill();
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${caption}, table` },
    h("table", {}, h("caption", { class: "hidden" }, caption), h("thead", {}, h("tr", {}, ...headCells)), body));
}
