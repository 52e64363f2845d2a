// SPDX-License-Identifier: Apache-2.0
// The answer: what it is, how fast, until when, what piles up, what helps. In the program's words.
import { glyph, h } from "./dom";
import type { Fact, Killed, Verdict } from "./data";

// Each class has a shape of its own: never colour alone.
export const SHAPES: Record<string, string> = {
  leak: "M3 20 L19 5 M11 4 H20 V13",
  warm_up: "M3 19 L10 7 H21",
  spikes: "M3 18 H8 L11 5 L14 18 H21",
  sawtooth: "M3 18 L9 7 V18 L15 7 V18 L21 7",
  steady: "M3 12 H21",
  shift: "M3 17 H11 V8 H21",
  undecided: "M3 19 L11 10 M14.5 7.5 L15 7 M18.5 4.5 L19 4 M15 10 H15.5 M20 10 H20.5",
};

// These stand large; the others in a line below, where there is a cause to tell.
const FIRST = ["rate", "limit", "cause", "remedy"];

/** May break after a dot or a slash, not within a word. */
function breakable(text: string): HTMLElement {
  const parts = text.split(/(?<=[./_:])(?=\w)/);
  return h("bdi", {}, ...parts.flatMap((part, i) => (i > 0 ? [h("wbr"), part] : [part])));
}

export function factCell(fact: Fact): HTMLElement {
  return h("div", { class: `fact fact-${fact.id}` },
    h("dt", {}, fact.label),
    h("dd", { class: "value" }, breakable(fact.value)),
    fact.detail ? h("dd", { class: "detail" }, h("bdi", {}, capitalised(fact.detail))) : null);
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Nothing matters more where there was one: right under the headline, or nowhere. */
export function killedLine(words: string | null | undefined): HTMLElement | null {
  return words ? h("p", { class: "killed" }, h("bdi", {}, words)) : null;
}

export function hero(verdict: Verdict, killed: Killed | null): HTMLElement {
  const { words } = verdict;
  const hasCause = words.facts.some((fact) => fact.id === "cause" || fact.id === "remedy");
  const large = hasCause ? words.facts.filter((fact) => FIRST.includes(fact.id)) : words.facts;
  const small = words.facts.filter((fact) => !large.includes(fact));
  return h("section", { class: `card hero ${words.tone}`, "aria-labelledby": "headline" },
    h("div", { class: "answer" },
      h("p", { class: "tagline" },
        h("span", { class: "tag" }, glyph(SHAPES[verdict.class] ?? SHAPES.steady, "shape"), words.tag),
        h("span", { class: "note" }, words.note)),
      h("h1", { id: "headline" }, h("bdi", {}, words.headline)),
      killedLine(killed?.words),
      h("p", { class: "lead" }, h("bdi", {}, words.lead))),
    h("dl", { class: `facts of-${large.length}` }, ...large.map(factCell)),
    small.length > 0 ? h("dl", { class: "also" }, ...small.map(factCell)) : null);
}
