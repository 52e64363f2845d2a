// SPDX-License-Identifier: Apache-2.0
// Cards without state: causes, reasons, events, how it was measured.
import type { Range } from "./chart";
import type { Cause, Report } from "./data";
import { h } from "./dom";
import { moment, size } from "./format";
import { table } from "./table";

export function causesCard(causes: Cause[]): HTMLElement | null {
  if (causes.length === 0) return null;
  const has = (field: "site" | "retained_by" | "remedy") => causes.some((cause) => cause[field]);
  const heads = [
    { text: "What" }, { text: "Held", numeric: true }, ...(has("retained_by") ? [{ text: "Held by" }] : []),
    ...(has("site") ? [{ text: "Allocated in" }] : []), ...(has("remedy") ? [{ text: "What helps" }] : []),
  ];
  const rows = causes.map((cause) => [
    { text: cause.kind, clip: true },
    { text: cause.bytes === null ? "–" : size(cause.bytes), sort: cause.bytes ?? -1 },
    ...(has("retained_by") ? [{ text: cause.retained_by ?? "", code: true, clip: true }] : []),
    ...(has("site") ? [{ text: cause.site ?? "", code: true, clip: true }] : []),
    ...(has("remedy") ? [{ text: cause.remedy ?? "" }] : []),
  ]);
  return h("section", { class: "card causes", "aria-labelledby": "causes-title" },
    h("div", { class: "bar" }, h("h2", { id: "causes-title" }, "What piles up")), table("What piles up", heads, rows));
}

function sentences(title: string, id: string, texts: string[]): HTMLElement | null {
  if (texts.length === 0) return null;
  return h("section", { class: "card", "aria-labelledby": id }, h("div", { class: "bar" }, h("h2", { id }, title)),
    h("ul", { class: "sentences" }, ...texts.map((text) => h("li", {}, h("bdi", {}, text)))));
}

export function reasonCards(report: Report): HTMLElement {
  return h("div", { class: "pair" },
    sentences("Why we say so", "why-title", report.evidence ?? []),
    sentences("What would change our mind", "doubts-title", report.doubts ?? []));
}

export function eventsCard(report: Report): { element: HTMLElement; show: (range: Range) => void } | null {
  const { events } = report.marks;
  if (events.length === 0) return null;
  const rows = events.map((event) =>
    h("li", {}, h("time", {}, report.clock === "steps" ? `step ${event.at}` : moment(event.at)), h("bdi", { class: "clip" }, event.text)));
  const element = h("section", { class: "card", "aria-labelledby": "events-title" }, h("div", { class: "bar" }, h("h2", { id: "events-title" }, "What happened")),
    h("ol", { class: "events", tabindex: "0", "aria-labelledby": "events-title" }, ...rows));
  return {
    element,
    show: (range) => {
      rows.forEach((row, i) => (row.hidden = events[i].at < range.from || events[i].at > range.to));
      element.hidden = rows.every((row) => row.hidden);
    },
  };
}

export function howCard(report: Report, downloads: HTMLElement): HTMLElement {
  const started = report.started_unix_ms === null ? null : new Date(report.started_unix_ms);
  const date = started ? `${started.toISOString().slice(0, 16).replace("T", " ")} UTC` : null;
  const item = (label: string, value: string, code: boolean) => h("div", {}, h("dt", {}, label), h("dd", {}, h(code ? "code" : "bdi", {}, value)));
  return h("section", { class: "card", "aria-labelledby": "how-title" },
    h("div", { class: "bar" }, h("h2", { id: "how-title" }, "How it was measured"), downloads),
    h("dl", { class: "how" },
      ...(date ? [item("Began", date, false)] : []),
      ...report.how.map((fact) => item(fact.label, fact.detail ? `${fact.value}, ${fact.detail}` : fact.value, fact.id === "code"))),
    report.notes.length > 0 ? h("p", { class: "small" }, h("bdi", {}, report.notes.join(" "))) : null);
}
