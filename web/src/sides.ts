// SPDX-License-Identifier: Apache-2.0
// Runs side by side: what the change between them did, the answer for each, their courses in one picture; and the whole report of each.
import { choice } from "./controls";
import { type Report, unpackTree } from "./data";
import { glyph, h } from "./dom";
import { size } from "./format";
import { factCell, killedLine, SHAPES } from "./hero";
import { type Run, SidesChart } from "./sides_chart";
import { steer, steerHint, zoomButtons } from "./steer";
import { type Cell, table } from "./table";
import { onColours, palette } from "./theme";

export interface Sides {
  schema: string; by: "step" | "seconds" | null; headline: string; lead: string; evidence: string[];
  rows: { id: string; label: string; values: string[]; change: string }[];
  runs: { name: string; report: Report }[];
}

const LETTERS = "ABCDEFGH";
/** First in the answer of each; others where there is room. */
const FACTS = ["rate", "limit", "cause", "remedy"];

/** Of what it keeps: less is no answer to what a run does, and stands in the table only. */
const WORTH_A_CAUSE = 0.05;

function letterOf(i: number): HTMLElement {
  const made = h("b", { class: "letter" }, LETTERS[i]);
  const paint = () => (made.style.background = palette().run(i));
  paint();
  onColours(paint);
  return made;
}

/** What is said of one of them, without its course. */
function answerOf({ name, report }: Sides["runs"][number], i: number, open: () => void): HTMLElement {
  const verdict = report.verdicts[0];
  const kept = report.kinds.find((kind) => kind.kind === "total")?.floor ?? 0;
  const small = (verdict?.causes[0]?.bytes ?? Infinity) < WORTH_A_CAUSE * kept;
  const all = (verdict?.words.facts ?? []).filter((fact) => !small || (fact.id !== "cause" && fact.id !== "remedy"));
  const facts = [...all.filter((fact) => FACTS.includes(fact.id)), ...all.filter((fact) => !FACTS.includes(fact.id))].slice(0, FACTS.length);
  return h("section", { class: `card side ${verdict?.words.tone ?? "wait"}`, "aria-label": `${LETTERS[i]}: ${name}` },
    h("div", { class: "answer" },
      h("p", { class: "tagline" }, letterOf(i), h("code", { class: "clip name" }, name), h("span", { class: "small" }, h("bdi", {}, report.seen)),
        h("button", { type: "button", class: "plain open", click: open }, "Its report")),
      verdict ? h("p", { class: "tagline" }, h("span", { class: "tag" }, glyph(SHAPES[verdict.class] ?? SHAPES.steady, "shape"), verdict.words.tag),
        h("span", { class: "note" }, verdict.words.note)) : null,
      h("h2", { class: "headline" }, h("bdi", {}, verdict?.words.headline ?? "Nothing was seen.")),
      killedLine(report.killed?.words)),
    facts.length > 0 ? h("dl", { class: "facts" }, ...facts.map(factCell)) : null);
}

function chartCard(sides: Sides, runs: Run[]): { element: HTMLElement; start: () => void } {
  const plot = h("div", { class: "plot", tabindex: "0", role: "application", "aria-describedby": "readout",
    "aria-label": `What stays in each run. ${sides.headline} Arrow keys read values, plus and minus zoom, 0 shows all.` });
  const hint = steerHint();
  const readout = h("output", { class: "readout", id: "readout", role: "status" }, hint);
  const tools = h("div", { class: "tools" });
  const element = h("section", { class: "card timeline", "aria-labelledby": "timeline-title" },
    h("div", { class: "bar" }, h("h2", { id: "timeline-title" }, "What stays, in each run"), tools, readout), plot,
    h("p", { class: "small" }, "The thick line is what stays, the thin one above it what comes and goes. The ring is where growth ended."));
  return {
    element,
    start: () => {
      const bySteps = sides.by === "step";
      const chart = new SidesChart(plot, runs, bySteps);
      const times = runs.every(({ report }) => report.clock !== "steps");
      if (bySteps && times) {
        tools.append(choice("Axis", [["steps", "Steps"], ["time", "Time"]], "steps", (axis) => chart.setAxis(axis === "steps")));
      }
      tools.append(zoomButtons(chart));
      chart.onReading = (reading) => {
        readout.textContent = reading
          ? [chart.reading(reading.x), ...reading.floors.map((bytes, i) => `${LETTERS[i]} ${bytes === null ? "–" : size(bytes)}`)].join(" · ") : hint;
      };
      plot.addEventListener("keydown", (event) => steer(chart, event));
      onColours(() => chart.recolour());
    },
  };
}

function tableCard(sides: Sides): HTMLElement {
  const changes = sides.rows.some((row) => row.change !== "");
  const heads = [{ text: "What" }, ...sides.runs.map(({ name }, i) => ({ text: `${LETTERS[i]}: ${name}` })), ...(changes ? [{ text: "Change" }] : [])];
  const rows = sides.rows.map((row): Cell[] => [
    { element: h("span", {}, row.label, row.change ? h("small", { class: "change" }, row.change) : null) },
    ...row.values.map((text, i): Cell => ({ text: text || "–", code: row.id === "cause" && (sides.runs[i].report.verdicts[0]?.causes.length ?? 0) > 0, clip: row.id === "cause" })),
    ...(changes ? [{ element: h("b", { class: "change" }, row.change) }] : []),
  ]);
  return h("section", { class: "card compared", "aria-labelledby": "rows-title" },
    h("div", { class: "bar" }, h("h2", { id: "rows-title" }, "Side by side")), table("Side by side", heads, rows, false),
    h("ul", { class: "sentences" }, ...sides.evidence.map((text) => h("li", {}, h("bdi", {}, text)))));
}

/** Everything but the chart, which `start` draws once it is on the page. */
export async function sidesView(sides: Sides, open: (run: number) => void): Promise<{ element: HTMLElement; start: () => void }> {
  const trees = await Promise.all(sides.runs.map(({ report }) => (report.tree ? unpackTree(report.tree) : null)));
  const runs = sides.runs.flatMap(({ name, report }, i): Run[] => {
    const tree = trees[i];
    return tree ? [{ name, letter: LETTERS[i], report, tree }] : [];
  });
  // Without a clock in common there is no axis for them.
  const chart = sides.by !== null && runs.length === sides.runs.length ? chartCard(sides, runs) : null;
  return {
    element: h("main", {},
      h("section", { class: "card verdict-of-all", "aria-labelledby": "headline" },
        h("h1", { id: "headline" }, h("bdi", {}, sides.headline)), sides.lead ? h("p", { class: "lead" }, h("bdi", {}, sides.lead)) : null),
      h("div", { class: "sides" }, ...sides.runs.map((run, i) => answerOf(run, i, () => open(i)))),
      chart?.element, tableCard(sides)),
    start: () => chart?.start(),
  };
}

export const sideNames = (sides: Sides): [string, string][] => sides.runs.map(({ name }, i) => [String(i), `${LETTERS[i]}: ${name}`]);
