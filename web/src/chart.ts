// SPDX-License-Identifier: Apache-2.0
// The timeline: curves by uPlot, the rest by paint.ts. What is shown is a stretch of time and a way
// of cutting it up; both can be changed with mouse, finger and keyboard.
import uPlot from "uplot";
import type { Report, Tree } from "./data";
import { clock } from "./format";
import { type Axis, type Level, type Stack, levelFor, levelsOf, lowerBound, partsOf, stacked, stepAxis, timeAxis } from "./levels";
import { paintBefore, paintBehind, type Scene } from "./paint";
import { axesOf, chartSize, HEADROOM, isNarrow, LIMIT_WITHIN } from "./scale";
import { palette, type Palette } from "./theme";

export type Cut = "floor" | Stack;
export interface Range { from: number; to: number; whole: boolean }
export interface Reading { time: number; step: number | null; high: number | null; floor: number | null; parts: { label: string; bytes: number }[] }

// The same for what may come: what is should not look small beside it.
const FUTURE_WITHIN = 2.5;

export class Chart {
  private plot: uPlot | null = null;
  private colours: Palette = palette();
  private byTime: Level[];
  private bySteps: Level[] | null = null;
  private levels: Level[];
  private level: Level;
  private axis: Axis = timeAxis;
  private cut: Cut = "floor";
  private range: Range;
  private top = 1;
  private limitShown = false;

  onRange: (range: Range) => void = () => {};
  onReading: (reading: Reading | null) => void = () => {};

  constructor(private element: HTMLElement, private report: Report, private tree: Tree) {
    this.byTime = levelsOf(tree, report.marks, report.restarts, timeAxis);
    this.levels = this.byTime;
    this.level = this.levels[0];
    this.range = this.whole();
    this.draw();
    new ResizeObserver(() => this.resize()).observe(element);
  }

  get hasSteps(): boolean {
    return this.tree.step !== null && (this.report.outlook?.seconds_per_step ?? 0) > 0;
  }
  get cuts(): Stack[] {
    return (["bands", "kinds", "named"] as Stack[]).filter((stack) => this.layers(stack).length > 0);
  }

  private layers(stack: Stack) {
    // What lies on a device is no part of the total.
    return this.tree[stack].filter((layer) => layer.kind !== "gpu");
  }

  private whole(): Range {
    const from = this.tree.time[0];
    const to = Math.max(this.report.outlook?.until ?? 0, this.tree.end, from + 1e-3);
    return { from, to, whole: true };
  }

  setCut(cut: Cut): void {
    this.cut = cut;
    this.draw();
  }

  setAxis(bySteps: boolean): void {
    this.useAxis(bySteps);
    this.draw();
  }

  private useAxis(bySteps: boolean): void {
    if (bySteps && !this.bySteps) {
      const axis = stepAxis(this.tree, this.report.outlook?.seconds_per_step ?? 1);
      this.bySteps = levelsOf(this.tree, this.report.marks, this.report.restarts, axis);
    }
    this.axis = bySteps ? stepAxis(this.tree, this.report.outlook?.seconds_per_step ?? 1) : timeAxis;
    this.levels = bySteps ? this.bySteps! : this.byTime;
  }

  /** The same job, later. What is shown stays, unless it is all. */
  update(report: Report, tree: Tree): void {
    const layers = this.cut === "floor" ? 0 : this.layers(this.cut).length;
    this.report = report;
    this.tree = tree;
    this.byTime = levelsOf(tree, report.marks, report.restarts, timeAxis);
    this.bySteps = null;
    if (this.range.whole) this.range = this.whole();
    const bySteps = this.axis.bySteps && this.hasSteps;
    if (bySteps !== this.axis.bySteps || (this.cut !== "floor" && this.layers(this.cut).length !== layers)) {
      if (this.cut !== "floor" && this.layers(this.cut).length === 0) this.cut = "floor";
      this.setAxis(bySteps);
      return;
    }
    this.useAxis(bySteps);
    this.show();
  }

  recolour(): void {
    this.colours = palette();
    this.draw();
  }

  setRange(from: number, to: number): void {
    const whole = this.whole();
    const least = Math.max((whole.to - whole.from) / 1e5, 1e-3);
    if (to - from < least) return;
    const width = Math.min(to - from, whole.to - whole.from);
    const start = Math.min(Math.max(from, whole.from), whole.to - width);
    this.range = { from: start, to: start + width, whole: width >= (whole.to - whole.from) * 0.9999 };
    if (this.range.whole) this.range = whole;
    this.show();
    this.onRange(this.range);
  }

  reset(): void {
    const whole = this.whole();
    this.setRange(whole.from, whole.to);
  }

  /** By `factor` around the place that is pointed at, or the middle. */
  zoom(factor: number): void {
    const { from, to } = this.range;
    const index = this.plot?.cursor.idx;
    const pointed = index !== null && index !== undefined ? this.level.time[index] : (from + to) / 2;
    const centre = pointed >= from && pointed <= to ? pointed : (from + to) / 2;
    const share = (centre - from) / (to - from);
    const width = (to - from) * factor;
    this.setRange(centre - share * width, centre + (1 - share) * width);
  }

  pan(share: number): void {
    const { from, to } = this.range;
    this.setRange(from + share * (to - from), to + share * (to - from));
  }

  /** Moves the pointer by so many rows; ±Infinity: to an end. */
  point(rows: number): void {
    const plot = this.plot;
    if (!plot) return;
    const first = lowerBound(this.level.time, this.range.from);
    const last = Math.max(first, lowerBound(this.level.time, Math.min(this.range.to, this.tree.end) + 1e-9) - 1);
    const now = plot.cursor.idx ?? (rows > 0 ? first - 1 : last + 1);
    const index = Math.min(last, Math.max(first, now + rows));
    plot.setCursor({ left: plot.valToPos(this.level.x[index], "x"), top: plot.valToPos(this.level.high[index] ?? 0, "y") });
  }

  private values(): (number | null)[][] {
    if (this.cut === "floor") return [this.level.high, this.level.floor];
    const stack = this.cut;
    const known = this.level.drawn.get(stack);
    if (known) return known;
    const kept = partsOf(this.level, this.tree, stack).filter((_, i) => this.tree[stack][i].kind !== "gpu");
    const made = (stack === "named" ? [...kept] : stacked(kept)).reverse();
    this.level.drawn.set(stack, made);
    return made;
  }

  private chooseLevel(): void {
    this.level = levelFor(this.levels, this.axis.ofTime(this.range.from), this.axis.ofTime(this.range.to), this.element.clientWidth || 1000);
  }

  private chooseTop(): void {
    const from = lowerBound(this.level.time, this.range.from);
    const to = lowerBound(this.level.time, this.range.to);
    let highest = 1;
    for (let i = Math.max(0, from - 1); i < to; i += 1) highest = Math.max(highest, this.level.high[i] ?? 0);
    if (this.cut === "named") for (const values of this.values()) for (const value of values) highest = Math.max(highest, value ?? 0);
    const outlook = this.report.outlook;
    const future = outlook !== null && this.range.to > outlook.now;
    if (future && outlook.bounded) highest = Math.max(highest, outlook.bounded.level);
    if (future && outlook.fan && outlook.limit) highest = Math.max(highest, Math.min(this.ifItGoesOn(), FUTURE_WITHIN * highest));
    const limit = outlook?.limit?.bytes ?? Infinity;
    const reached = future && outlook.fan !== undefined && outlook.fan.p50 <= this.range.to;
    this.limitShown = limit <= LIMIT_WITHIN * highest || reached;
    this.top = (this.limitShown ? Math.max(highest, limit) : highest) * HEADROOM;
  }

  /** What it would hold at the right edge, but for the limit. */
  private ifItGoesOn(): number {
    const { now, level, fan, limit } = this.report.outlook!;
    const slope = (limit!.bytes - level) / Math.max(1e-9, fan!.p50 - now);
    return Math.min(limit!.bytes, level + slope * (this.range.to - now));
  }

  private series(): uPlot.Series[] {
    const { of } = this.colours;
    if (this.cut === "floor") {
      return [
        {},
        { label: "memory", stroke: of("above"), width: 1.25, points: { show: false } },
        { label: "floor", stroke: of("floor"), width: 2.5, fill: of("floor-fill"), points: { show: false } },
      ];
    }
    const stack = this.cut;
    const layers = this.layers(stack);
    const drawn = layers.map((layer, i) => {
      const colour = stack === "kinds" ? this.colours.kind(layer.kind) : this.colours.band(i);
      return stack === "named"
        ? { label: layer.label, stroke: colour, width: 1.5, points: { show: false } }
        : { label: layer.label, width: 0, fill: colour, points: { show: false } };
    });
    return [{}, ...drawn.reverse()];
  }

  private axes(): uPlot.Axis[] {
    const counts = this.axis.bySteps || this.report.clock === "steps";
    return axesOf(this.colours, isNarrow(this.element), counts, this.hasSteps, (x) => this.tickLabel(x, counts, this.hasSteps));
  }

  private tickLabel(x: number, counts: boolean, twoLines: boolean): string {
    if (counts) return twoLines ? `step ${x}\n${clock(this.axis.timeOf(x))}` : `${x}`;
    if (!twoLines) return clock(x);
    const step = x > this.tree.end ? null : this.stepAt(x);
    return `${clock(x)}\n${step === null ? "" : `step ${step}`}`;
  }

  private stepAt(time: number): number | null {
    const row = lowerBound(this.tree.time, time + 1e-9) - 1;
    const step = this.tree.step?.[Math.max(0, row)] ?? NaN;
    return Number.isNaN(step) ? null : step;
  }

  private scene(): Scene {
    return {
      marks: this.report.marks, restarts: this.report.restarts, outlook: this.report.outlook, axis: this.axis, palette: this.colours,
      limitShown: this.limitShown, floorAt: (time) => (this.cut === "floor" ? this.level.floor[Math.max(0, lowerBound(this.level.time, time) - 1)] : null),
    };
  }

  private options(): uPlot.Options {
    return {
      ...chartSize(this.element),
      padding: [22, 26, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, range: () => [this.axis.ofTime(this.range.from), this.axis.ofTime(this.range.to)] }, y: { range: () => [0, this.top] } },
      series: this.series(),
      bands: this.cut === "floor" ? [{ series: [1, 2], fill: this.colours.of("above-fill") }] : [],
      axes: this.axes(),
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      hooks: {
        drawAxes: [(u) => paintBehind(u, this.scene())],
        draw: [(u) => paintBefore(u, this.scene())],
        setCursor: [() => this.read()],
        setSelect: [(u) => this.select(u)],
      },
    };
  }

  private select(u: uPlot): void {
    if (u.select.width < 4) return;
    const from = this.axis.timeOf(u.posToVal(u.select.left, "x"));
    const to = this.axis.timeOf(u.posToVal(u.select.left + u.select.width, "x"));
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.setRange(from, to);
  }

  private read(): void {
    const index = this.plot?.cursor.idx;
    if (index === null || index === undefined || this.plot!.cursor.left! < 0) return this.onReading(null);
    const time = this.level.time[index];
    const stack = this.cut === "floor" ? null : this.cut;
    const parts = stack
      ? this.layers(stack).map((layer) => ({ label: layer.label, bytes: partsOf(this.level, this.tree, stack)[this.tree[stack].indexOf(layer)][index] ?? 0 }))
      : [];
    this.onReading({ time, step: this.stepAt(time), high: this.level.high[index], floor: this.level.floor[index], parts });
  }

  private draw(): void {
    this.chooseLevel();
    this.chooseTop();
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), [this.level.x, ...this.values()] as uPlot.AlignedData, this.element);
    // What a canvas shows is told by the chart's own label and its readout.
    this.plot.root.setAttribute("aria-hidden", "true");
  }

  private show(): void {
    this.chooseLevel();
    this.chooseTop();
    this.plot?.setData([this.level.x, ...this.values()] as uPlot.AlignedData, true);
  }

  private resize(): void {
    const width = Math.max(200, this.element.clientWidth);
    if (this.plot && Math.abs(width - this.plot.width) > 1) this.draw();
  }
}
