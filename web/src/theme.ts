// SPDX-License-Identifier: Apache-2.0
// Colours live in style.css; a canvas has to be told them. Light or dark: as the system has it until
// the reader says otherwise.

export type Colour =
  | "card" | "line" | "grid" | "ink" | "ink2" | "floor" | "floor-fill" | "above" | "above-fill" | "ok" | "wait-line" | "wait-fill"
  | "bad" | "phase" | "phase-ink" | "future" | `ramp-${number}`;

export interface Palette { of: (name: Colour) => string; kind: (kind: string) => string; band: (index: number) => string; run: (index: number) => string }

export const BANDS = 8;
const RUNS = 8;
const KINDS = new Set(["anon", "file", "shmem", "hugetlb", "swap", "page_tables"]);

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  // Asked for in every frame.
  const known = new Map<string, string>();
  const of = (name: string) => {
    const colour = known.get(name) ?? style.getPropertyValue(`--${name}`).trim();
    known.set(name, colour);
    return colour;
  };
  return {
    of,
    kind: (kind) => of(`kind-${KINDS.has(kind) ? kind : "rest"}`),
    band: (index) => of(`band-${index % BANDS}`),
    run: (index) => of(`run-${index % RUNS}`),
  };
}

type Change = () => void;
const listeners: Change[] = [];
const dark = matchMedia("(prefers-color-scheme: dark)");

/** `change` is called when colours change, also for paper. */
export function onColours(change: Change): void {
  listeners.push(change);
}

const tell = () => listeners.forEach((listener) => listener());
let chosen = false;

const followSystem = () => {
  if (!chosen) document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  tell();
};
dark.addEventListener("change", followSystem);
matchMedia("print").addEventListener("change", tell);
followSystem();

export function switchTheme(): void {
  chosen = true;
  const { dataset } = document.documentElement;
  dataset.theme = dataset.theme === "dark" ? "light" : "dark";
  tell();
}
