// SPDX-License-Identifier: Apache-2.0
import { h } from "./dom";

/** A row of buttons of which one is chosen. */
export function choice<T extends string>(label: string, options: [T, string][], chosen: T, choose: (value: T) => void): HTMLElement {
  const buttons = options.map(([value, text]) =>
    h("button", {
      type: "button",
      "aria-pressed": String(value === chosen),
      click: () => {
        buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(options[i][0] === value)));
        choose(value);
      },
    }, text));
  return h("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
}

export function button(text: string, act: () => void, label?: string): HTMLButtonElement {
  return h("button", { type: "button", class: "plain", "aria-label": label, title: label, click: act }, text);
}
