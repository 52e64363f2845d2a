// SPDX-License-Identifier: Apache-2.0
// What stays in several runs, in one picture: along their steps, or along the time since each began.
import uPlot from "uplot";
import type { Report, Tree } from "./data";
import { clock } from "./format";
import { Labels, type Place } from "./labels";
import { type Axis, type Level, levelFor, levelsOf, lowerBound, stepAxis, timeAxis } from "./levels";
import { axesOf, chartSize, HEADROOM, isNarrow, LIMIT_WITHIN } from "./scale";
import type { Steered } from "./steer";
import { palette, type Palette } from "./theme";

export interface Run { name: string; letter: string; report: Report; tree: Tree }
export interface SidesReading { x: number; floors: (number | null)[] }

interface Course { run: Run; axis: Axis; levels: Level[]; level: Level }

const RING_PX = 5.5;
const LEAST_LABEL_PX = 60;
const LETTER_PX = 6.4; // of a label, on the whole
const CLEAR_PX = 13;

export class SidesChart implements Steered {
  private plot: uPlot | null = null;
  private colours: Palette = palette();
  private courses: Course[] = [];
  private from = 0;
  private to = 1;
  private top = 1;

  onReading: (reading: SidesReading | null) => void = () => {};

  constructor(private element: HTMLElement, private runs: Run[], private bySteps: boolean) {
    this.line();
    this.draw();
    new ResizeObserver(() => this.resize()).observe(element);
  }

  setAxis(bySteps: boolean): void {
    this.bySteps = bySteps;
    this.line();
    this.draw();
  }

  recolour(): void {
    this.colours = palette();
    this.draw();
  }

  private get counts(): boolean {
    return this.bySteps || this.runs.every(({ report }) => report.clock === "steps");
  }

  /** Puts the runs on their common axis. */
  private line(): void {
    this.courses = this.runs.map((run) => {
      const { report, tree } = run;
      const began = tree.time[0];
      const axis = this.bySteps && report.clock !== "steps" ? stepAxis(tree, report.outlook?.seconds_per_step ?? 1)
        : { ...timeAxis, ofTime: (t: number) => t - began, timeOf: (x: number) => x + began };
      const levels = levelsOf(tree, report.marks, report.restarts, axis);
      return { run, axis, levels, level: levels[0] };
    });
    const whole = this.whole();
    [this.from, this.to] = [whole.from, whole.to];
  }

  private whole(): { from: number; to: number } {
    const ends = this.courses.map(({ level }) => level.x[level.x.length - 1]);
    return { from: 0, to: Math.max(1e-3, ...ends) };
  }

  setRange(from: number, to: number): void {
    const whole = this.whole();
    if (to - from < (whole.to - whole.from) / 1e5) return;
    const width = Math.min(to - from, whole.to - whole.from);
    this.from = Math.min(Math.max(from, whole.from), whole.to - width);
    this.to = this.from + width;
    this.choose();
    this.plot?.setData(this.data(), true);
  }

  reset(): void {
    const whole = this.whole();
    this.setRange(whole.from, whole.to);
  }

  zoom(factor: number): void {
    const index = this.plot?.cursor.idx;
    const pointed = index !== null && index !== undefined ? this.plot!.data[0][index] : NaN;
    const centre = pointed >= this.from && pointed <= this.to ? pointed : (this.from + this.to) / 2;
    const share = (centre - this.from) / (this.to - this.from);
    const width = (this.to - this.from) * factor;
    this.setRange(centre - share * width, centre + (1 - share) * width);
  }

  pan(share: number): void {
    const by = share * (this.to - this.from);
    this.setRange(this.from + by, this.to + by);
  }

  point(rows: number): void {
    if (!this.plot) return;
    const xs = this.plot.data[0];
    const first = lowerBound(xs, this.from);
    const last = Math.max(first, lowerBound(xs, this.to + 1e-9) - 1);
    const now = this.plot.cursor.idx ?? (rows > 0 ? first - 1 : last + 1);
    const index = Math.min(last, Math.max(first, now + rows));
    this.plot.setCursor({ left: this.plot.valToPos(xs[index], "x"), top: 10 });
  }

  private choose(): void {
    let highest = 1;
    for (const course of this.courses) {
      course.level = levelFor(course.levels, this.from, this.to, this.element.clientWidth || 1000);
      const { x, high } = course.level;
      const end = lowerBound(x, this.to);
      for (let i = Math.max(0, lowerBound(x, this.from) - 1); i <= end && i < x.length; i += 1) highest = Math.max(highest, high[i] ?? 0);
    }
    const limits = this.limits().filter(({ bytes }) => bytes <= LIMIT_WITHIN * highest);
    this.top = Math.max(highest, ...limits.map(({ bytes }) => bytes)) * HEADROOM;
  }

  /** Each limit once: on one machine it is the same for all, but for what others hold. */
  private limits(): { bytes: number; label: string }[] {
    const all = this.runs.flatMap(({ report }) => (report.outlook?.limit ? [report.outlook.limit] : [])).sort((a, b) => a.bytes - b.bytes);
    return all.filter((limit, i) => i === 0 || limit.bytes > all[i - 1].bytes * 1.02);
  }

  private data(): uPlot.AlignedData {
    return uPlot.join(this.courses.map(({ level }) => [level.x, level.high, level.floor] as uPlot.AlignedData));
  }

  private draw(): void {
    this.choose();
    this.plot?.destroy();
    const series = this.courses.flatMap((_, i) => [
      { width: 1, stroke: this.colours.run(i), alpha: 0.45, points: { show: false } },
      { width: 2.5, stroke: this.colours.run(i), points: { show: false } },
    ]);
    this.plot = new uPlot({
      ...chartSize(this.element),
      padding: [12, 26, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, range: () => [this.from, this.to] }, y: { range: () => [0, this.top] } },
      series: [{}, ...series],
      axes: axesOf(this.colours, isNarrow(this.element), this.counts, false, (x) => (this.counts ? `step ${x}` : clock(x))),
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      hooks: { draw: [(u) => this.paint(u)], setCursor: [() => this.read()], setSelect: [(u) => this.select(u)] },
    }, this.data(), this.element);
    this.plot.root.setAttribute("aria-hidden", "true");
  }

  private select(u: uPlot): void {
    if (u.select.width < 4) return;
    const from = u.posToVal(u.select.left, "x");
    const to = u.posToVal(u.select.left + u.select.width, "x");
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.setRange(from, to);
  }

  private floorAt({ level }: Course, x: number): number | null {
    const row = lowerBound(level.x, x + 1e-9) - 1;
    return row < 0 || x > level.x[level.x.length - 1] + 1e-9 ? null : level.floor[row];
  }

  private read(): void {
    const index = this.plot?.cursor.idx;
    if (index === null || index === undefined || this.plot!.cursor.left! < 0) return this.onReading(null);
    const x = this.plot!.data[0][index];
    this.onReading({ x, floors: this.courses.map((course) => this.floorAt(course, x)) });
  }

  reading(x: number): string {
    return this.counts ? `step ${Math.floor(x)}` : clock(x);
  }

  private paint(u: uPlot): void {
    const ratio = devicePixelRatio || 1;
    const { left, top, width, height } = u.bbox;
    const labels = new Labels(u.ctx, { left, right: left + width, top: top - 18 * ratio, bottom: top + height }, this.colours.of("card"), ratio);
    const place = (x: number, bytes: number) => [u.valToPos(x, "x", true), u.valToPos(bytes, "y", true)];
    for (const limit of this.limits()) {
      if (limit.bytes > this.top) continue;
      const y = u.valToPos(limit.bytes, "y", true);
      u.ctx.save();
      u.ctx.setLineDash([]);
      u.ctx.strokeStyle = this.colours.of("bad");
      u.ctx.lineWidth = 1.5 * ratio;
      u.ctx.beginPath();
      u.ctx.moveTo(left, y);
      u.ctx.lineTo(left + width, y);
      u.ctx.stroke();
      u.ctx.restore();
      labels.put(limit.label, this.colours.of("bad"), [{ x: left + 6 * ratio, y: y - 10 * ratio, align: "left" }]);
    }
    this.courses.forEach((course, i) => this.paintName(course, i, labels, place, ratio));
    this.courses.forEach((course, i) => this.paintSettled(u, course, i, labels, place, ratio));
    this.courses.forEach((course, i) => this.paintRates(u, course, i, labels, place, ratio));
  }

  /** Those of the places in which a text of `letters` would not lie on another curve; all, where there is none. */
  private clear(places: Place[], course: Course, letters: number, u: uPlot, ratio: number): Place[] {
    const width = letters * LETTER_PX * ratio;
    const free = places.filter(({ x, y, align }) => {
      const left = align === "left" ? x : x - width;
      return [0, 0.25, 0.5, 0.75, 1].every((share) => this.courses.every((other) => {
        const floor = other === course ? null : this.floorAt(other, u.posToVal(left + share * width, "x", true));
        return floor === null || Math.abs(u.valToPos(floor, "y", true) - y) > CLEAR_PX * ratio;
      }));
    });
    return free.length > 0 ? free : places;
  }

  /** At the end of its curve, or of what is shown of it. */
  private paintName(course: Course, i: number, labels: Labels, place: (x: number, bytes: number) => number[], ratio: number): void {
    const end = Math.min(this.to, course.level.x[course.level.x.length - 1]);
    const floor = end > this.from ? this.floorAt(course, end) : null;
    if (floor === null) return;
    const [x, y] = place(end, floor);
    labels.put(`${course.run.letter}  ${course.run.name}`, this.colours.run(i),
      [-14, 17, -30, 33].map((by) => ({ x: x - 4 * ratio, y: y + by * ratio, align: "right" })));
  }

  private paintSettled(u: uPlot, course: Course, i: number, labels: Labels, place: (x: number, bytes: number) => number[], ratio: number): void {
    const settled = course.run.report.outlook?.settled;
    const at = settled ? course.axis.ofTime(settled.at) : NaN;
    if (!settled || !(at >= this.from && at <= this.to)) return;
    const [x, y] = place(at, settled.level);
    u.ctx.save();
    u.ctx.setLineDash([]);
    u.ctx.beginPath();
    u.ctx.arc(x, y, RING_PX * ratio, 0, 2 * Math.PI);
    u.ctx.fillStyle = this.colours.of("card");
    u.ctx.fill();
    u.ctx.lineWidth = 2.5 * ratio;
    u.ctx.strokeStyle = this.colours.run(i);
    u.ctx.stroke();
    u.ctx.restore();
    labels.reserve({ left: x - 8 * ratio, right: x + 8 * ratio, top: y - 8 * ratio, bottom: y + 8 * ratio });
    const places: Place[] = [
      { x: x - 9 * ratio, y: y - 20 * ratio, align: "right" }, { x: x + 9 * ratio, y: y - 20 * ratio, align: "left" }, { x: x + 9 * ratio, y: y + 20 * ratio, align: "left" },
    ];
    labels.put(settled.label, this.colours.run(i), this.clear(places, course, settled.label.length, u, ratio));
  }

  private paintRates(u: uPlot, course: Course, i: number, labels: Labels, place: (x: number, bytes: number) => number[], ratio: number): void {
    for (const segment of course.run.report.outlook?.segments ?? []) {
      const from = Math.max(this.from, course.axis.ofTime(segment.from));
      const to = Math.min(this.to, course.axis.ofTime(segment.to));
      if (!(to > from) || !/\d/.test(segment.label) || place(to, 0)[0] - place(from, 0)[0] < LEAST_LABEL_PX * ratio) continue;
      const places = [0.5, 0.7, 0.3].flatMap((share) => {
        const at = from + share * (to - from);
        const floor = this.floorAt(course, at);
        if (floor === null) return [];
        const [x, y] = place(at, floor);
        return [{ x: x - 8 * ratio, y: y - 14 * ratio, align: "right" as const }, { x: x + 10 * ratio, y: y + 16 * ratio, align: "left" as const }];
      });
      labels.put(segment.label, this.colours.run(i), this.clear(places, course, segment.label.length, u, ratio));
    }
  }

  private resize(): void {
    if (this.plot && Math.abs(Math.max(200, this.element.clientWidth) - this.plot.width) > 1) this.draw();
  }
}
