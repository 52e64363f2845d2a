// SPDX-License-Identifier: Apache-2.0
// Elements are made here and nowhere else. Text is always text: names of processes are hostile.

export type Child = Node | string | null | undefined | false;
type Handler = (event: Event) => void;
interface Attributes {
  [name: string]: string | number | boolean | Handler | undefined;
}

const SVG = "http://www.w3.org/2000/svg";

function fill<T extends Element>(element: T, attributes: Attributes, children: Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): Element {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A drawing of 24 by 24 made of one line. */
export function glyph(path: string, name: string): Element {
  return svg("svg", { viewBox: "0 0 24 24", class: `glyph ${name}`, "aria-hidden": "true" }, svg("path", { d: path }));
}
