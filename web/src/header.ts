// SPDX-License-Identifier: Apache-2.0
import { glyph, h } from "./dom";

const MARK = "M5 3 V21 M5 5 H10 M5 10 H8 M5 15 H10 M11 17 C13 13 15 21 17 17 C18.5 14.5 20 17 21 17";

export interface Top { element: HTMLElement; show: (title: string, seen: string) => void }

/** The line above everything: whose page it is, what it is about, and what can be done. */
export function header(actions: (HTMLElement | null)[], back?: string): Top {
  const title = h("code", { class: "title clip" });
  const seen = h("bdi", {});
  const brand = [glyph(MARK, "mark"), "tidegauge"];
  return {
    element: h("header", { class: "top" },
      back === undefined ? h("span", { class: "brand" }, ...brand) : h("a", { class: "brand", href: back, title: "All jobs and recordings" }, ...brand),
      title, h("span", { class: "seen" }, seen), h("span", { class: "actions" }, ...actions)),
    show: (name, about) => {
      title.textContent = name;
      seen.textContent = about;
    },
  };
}

const onTheScreen = () => new Promise<string>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now().toFixed(0)))));

/** The first screen is drawn, after so many milliseconds. */
export async function tellFirst(): Promise<void> {
  document.documentElement.dataset.first = await onTheScreen();
}

/** Tests wait for it: everything is. */
export function tellDrawn(): void {
  void onTheScreen().then((ms) => (document.documentElement.dataset.ready = ms));
}
