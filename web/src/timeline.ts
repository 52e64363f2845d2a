// SPDX-License-Identifier: Apache-2.0
// The card with the timeline: its controls, its readout, its legend and its keys.
import { Chart, type Cut, type Range, type Reading } from "./chart";
import { choice } from "./controls";
import type { Report, Tree } from "./data";
import { h } from "./dom";
import { moment, size } from "./format";
import { steer, steerHint, zoomButtons } from "./steer";
import { onColours, palette } from "./theme";

const CUTS: Record<Cut, string> = { floor: "Floor", bands: "By process", kinds: "By kind", named: "Series" };

export interface TimelineCard { element: HTMLElement; start: () => void; reset: () => void; update: (report: Report, tree: Tree) => void }

function readingText(reading: Reading, report: Report): string {
  const at = report.clock === "steps" ? `step ${reading.time}` : moment(reading.time);
  const step = reading.step === null || report.clock === "steps" ? [] : [`step ${reading.step}`];
  if (reading.high === null) return [at, ...step, "no samples"].join(" · ");
  const floor = reading.parts.length === 0 && reading.floor !== null ? [`floor ${size(reading.floor)}`] : [];
  return [at, ...step, size(reading.high), ...floor].join(" · ");
}

const partsText = (reading: Reading) => reading.parts.filter((part) => part.bytes > 0).map((part) => `, ${part.label} ${size(part.bytes)}`).join("");

function legendOf(cut: Cut, report: Report, tree: Tree): HTMLElement {
  const colours = palette();
  const item = (swatch: string, colour: string, text: string) => {
    const mark = h("i", { class: `swatch ${swatch}` });
    mark.style.color = colour;
    return h("li", {}, mark, h("bdi", {}, text), h("b", { "data-part": text }));
  };
  const items: HTMLElement[] = [];
  if (cut === "floor") {
    items.push(item("thick", colours.of("floor"), "floor: what stays"), item("area", colours.of("above"), "above the floor: comes and goes"));
  } else {
    tree[cut].forEach((layer, i) => {
      if (layer.kind !== "gpu") items.push(item("area", cut === "kinds" ? colours.kind(layer.kind) : colours.band(i), layer.label));
    });
    items.reverse();
  }
  const phases = [...new Set(report.marks.phases.map((phase) => phase.label.toLowerCase()))].slice(0, 4);
  if (phases.length > 0) items.push(item("area phase", colours.of("phase-ink"), phases.join(", ")));
  const outlook = report.outlook;
  if (outlook?.fan && outlook.until > outlook.now) items.push(item("dashed", colours.of("wait-line"), "if it goes on, 5 to 95 %"));
  if (outlook?.bounded) items.push(item("dotted", colours.of("floor"), "if it ends"));
  if (report.marks.gaps.length > 0) items.push(item("hatch", colours.of("ink2"), "no samples"));
  if (outlook?.limit) items.push(item("thin", colours.of("bad"), "limit"));
  return h("ul", { class: "legend" }, ...items);
}

const chartLabel = (report: Report) =>
  `Memory over time. ${report.verdicts[0]?.words.headline ?? ""} Arrow keys read values, plus and minus zoom, 0 shows all.`;

export function timelineCard(firstReport: Report, firstTree: Tree, onRange: (range: Range) => void): TimelineCard {
  let report = firstReport;
  let tree = firstTree;
  const plot = h("div", { class: "plot", tabindex: "0", role: "application", "aria-label": chartLabel(report), "aria-describedby": "readout" });
  const readout = h("output", { class: "readout", id: "readout", role: "status" });
  const hint = steerHint();
  readout.textContent = hint;
  const legend = h("div", {});
  const tools = h("div", { class: "tools" });
  const element = h("section", { class: "card timeline", "aria-labelledby": "timeline-title" },
    h("div", { class: "bar" }, h("h2", { id: "timeline-title" }, "Memory of the job"), tools, readout), plot, legend);
  let chart: Chart | null = null;
  let cut: Cut = "floor";
  let bySteps = false;
  let offered = "";
  const showLegend = () => legend.replaceChildren(legendOf(cut, report, tree));

  const showTools = (made: Chart) => {
    const cuts: [Cut, string][] = [["floor", CUTS.floor], ...made.cuts.map((stack): [Cut, string] => [stack, CUTS[stack]])];
    const now = JSON.stringify([cuts, made.hasSteps]);
    if (now === offered) return;
    offered = now;
    if (!cuts.some(([id]) => id === cut)) cut = "floor";
    tools.replaceChildren();
    if (cuts.length > 1) {
      tools.append(choice("What is shown", cuts, cut, (chosen) => {
        cut = chosen;
        made.setCut(cut);
        showLegend();
      }));
    }
    if (made.hasSteps) {
      tools.append(choice("Axis", [["time", "Time"], ["steps", "Steps"]], bySteps ? "steps" : "time", (axis) => {
        bySteps = axis === "steps";
        made.setAxis(bySteps);
      }));
    }
    tools.append(zoomButtons(made));
  };

  const start = () => {
    const made = new Chart(plot, report, tree);
    chart = made;
    made.onRange = onRange;
    made.onReading = (reading) => {
      // Those who do not see the legend hear it.
      readout.replaceChildren(reading ? readingText(reading, report) : hint, h("span", { class: "hidden" }, reading ? partsText(reading) : ""));
      const bytes = new Map(reading?.parts.map((part) => [part.label, part.bytes]));
      for (const place of legend.querySelectorAll<HTMLElement>("b")) {
        const value = bytes.get(place.dataset.part ?? "");
        place.textContent = value === undefined ? "" : size(value);
      }
    };
    showTools(made);
    plot.addEventListener("keydown", (event) => steer(made, event));
    onColours(() => {
      made.recolour();
      showLegend();
    });
    showLegend();
  };
  const update = (now: Report, data: Tree) => {
    report = now;
    tree = data;
    plot.setAttribute("aria-label", chartLabel(report));
    if (!chart) return;
    chart.update(report, tree);
    showTools(chart);
    showLegend();
  };
  return { element, start, reset: () => chart?.reset(), update };
}
