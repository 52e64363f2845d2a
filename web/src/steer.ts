// SPDX-License-Identifier: Apache-2.0
// How a chart is steered: keys and buttons that all charts share.
import { button } from "./controls";
import { h } from "./dom";

export interface Steered { pan: (share: number) => void; point: (rows: number) => void; zoom: (factor: number) => void; reset: () => void }

const ROWS_AT_ONCE = 20;
const ZOOM = 0.5;

export function steer(chart: Steered, event: KeyboardEvent): void {
  const rows = event.shiftKey ? ROWS_AT_ONCE : 1;
  const acts: Record<string, () => void> = {
    ArrowLeft: () => (event.altKey ? chart.pan(-0.25) : chart.point(-rows)),
    ArrowRight: () => (event.altKey ? chart.pan(0.25) : chart.point(rows)),
    Home: () => chart.point(-Infinity),
    End: () => chart.point(Infinity),
    "+": () => chart.zoom(ZOOM),
    "=": () => chart.zoom(ZOOM),
    "-": () => chart.zoom(1 / ZOOM),
    "0": () => chart.reset(),
    Escape: () => chart.reset(),
  };
  const act = acts[event.key];
  if (!act || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  act();
}

export function zoomButtons(chart: Steered): HTMLElement {
  return h("div", { class: "choice zoom", role: "group", "aria-label": "Zoom" },
    button("+", () => chart.zoom(ZOOM), "+ zoom in"), button("−", () => chart.zoom(1 / ZOOM), "− zoom out"), button("All", () => chart.reset(), "All of the run"));
}

export const steerHint = () => (matchMedia("(pointer: coarse)").matches ? "tap to read" : "drag to zoom · arrow keys to read · 0 to reset");
