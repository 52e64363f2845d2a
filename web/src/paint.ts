// SPDX-License-Identifier: Apache-2.0
// What a chart shows besides its curves: phases, gaps, the limit, where growth ended, where it may go.
import type uPlot from "uplot";
import type { Marks, Outlook } from "./data";
import { Labels } from "./labels";
import type { Axis } from "./levels";
import type { Palette } from "./theme";

export interface Scene {
  marks: Marks; restarts: number[]; outlook: Outlook | null; axis: Axis; palette: Palette; limitShown: boolean;
  floorAt: (time: number) => number | null;
}

const HATCH_PX = 7;
const RING_PX = 5.5;
const PHASE_LETTERS = 24;

interface Pen { u: uPlot; ctx: CanvasRenderingContext2D; ratio: number; x: (time: number) => number; y: (bytes: number) => number }

function penOf(u: uPlot, scene: Scene): Pen {
  return {
    u,
    ctx: u.ctx,
    ratio: devicePixelRatio || 1,
    x: (time) => u.valToPos(scene.axis.ofTime(time), "x", true),
    y: (bytes) => u.valToPos(bytes, "y", true),
  };
}

function inside(pen: Pen, draw: () => void): void {
  const { ctx, u } = pen;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  ctx.setLineDash([]);
  draw();
  ctx.restore();
}

function line(pen: Pen, points: [number, number][], colour: string, width: number, dash: number[] = []): void {
  const { ctx, ratio } = pen;
  ctx.beginPath();
  points.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
  ctx.strokeStyle = colour;
  ctx.lineWidth = width * ratio;
  ctx.setLineDash(dash.map((n) => n * ratio));
  ctx.stroke();
  ctx.setLineDash([]);
}

function upright(pen: Pen, x: number, colour: string, width: number, dash: number[] = []): void {
  const { top, height } = pen.u.bbox;
  line(pen, [[x, top], [x, top + height]], colour, width, dash);
}

/** Before the curves: what lies behind them. */
export function paintBehind(u: uPlot, scene: Scene): void {
  const pen = penOf(u, scene);
  const { ctx } = pen;
  const { left, top, width, height } = u.bbox;
  inside(pen, () => {
    if (scene.outlook && scene.outlook.until > scene.outlook.now) {
      ctx.fillStyle = scene.palette.of("future");
      const from = pen.x(scene.outlook.now);
      ctx.fillRect(from, top, left + width - from, height);
    }
    ctx.fillStyle = scene.palette.of("phase");
    for (const phase of scene.marks.phases) {
      const from = pen.x(phase.from);
      const to = pen.x(phase.to ?? scene.outlook?.now ?? phase.from);
      ctx.fillRect(from, top, Math.max(1, to - from), height);
    }
    for (const gap of scene.marks.gaps) hatch(pen, pen.x(gap.from), pen.x(gap.to), scene.palette.of("line"));
  });
}

function hatch(pen: Pen, from: number, to: number, colour: string): void {
  const { ctx, ratio, u } = pen;
  const { top, height } = u.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(from, top, Math.max(1, to - from), height);
  ctx.clip();
  for (let x = from - height; x < to; x += HATCH_PX * ratio) {
    line(pen, [[x, top + height], [x + height, top]], colour, 1);
  }
  ctx.restore();
}

/** After the curves. What is asked for first finds its place first. */
export function paintBefore(u: uPlot, scene: Scene): void {
  const pen = penOf(u, scene);
  const { left, top, width, height } = u.bbox;
  const above = 18 * pen.ratio;
  const area = { left, right: left + width, top: top - above, bottom: top + height };
  const labels = new Labels(pen.ctx, area, scene.palette.of("card"), pen.ratio);
  const within = (x: number) => x >= left - 1 && x <= left + width + 1;
  for (const at of scene.restarts) labels.reserve({ left: pen.x(at) - 2 * pen.ratio, right: pen.x(at) + 2 * pen.ratio, top, bottom: top + height });
  paintLimit(pen, scene, labels);
  paintOutlook(pen, scene, labels, within);
  paintSettled(pen, scene, labels, within);
  paintSegments(pen, scene, labels);
  paintMarks(pen, scene, labels, within);
}

function paintLimit(pen: Pen, scene: Scene, labels: Labels): void {
  const limit = scene.outlook?.limit;
  if (!limit) return;
  const { left, top, width } = pen.u.bbox;
  const colour = scene.palette.of("bad");
  const x = left + 6 * pen.ratio;
  if (!scene.limitShown) {
    labels.put(`↑ ${limit.label}`, colour, [{ x, y: top + 9 * pen.ratio, align: "left" }]);
    return;
  }
  const y = pen.y(limit.bytes);
  inside(pen, () => line(pen, [[left, y], [left + width, y]], colour, 1.5));
  labels.put(limit.label, colour, [{ x, y: y - 10 * pen.ratio, align: "left" }, { x, y: y + 11 * pen.ratio, align: "left" }]);
}

function paintOutlook(pen: Pen, scene: Scene, labels: Labels, within: (x: number) => boolean): void {
  const { outlook, palette } = scene;
  if (!outlook || outlook.until <= outlook.now) return;
  const { left, top, width } = pen.u.bbox;
  const right = left + width;
  const now = pen.x(outlook.now);
  const level = pen.y(outlook.level);
  const wait = palette.of("wait-line");
  const blue = palette.of("floor");
  inside(pen, () => {
    upright(pen, now, palette.of("ink2"), 1);
    if (outlook.fan && outlook.limit) fan(pen, outlook, scene, now, level, wait);
    if (outlook.bounded) {
      const at = pen.x(outlook.bounded.at);
      const y = pen.y(outlook.bounded.level);
      upright(pen, at, palette.of("ink2"), 1, [2, 3]);
      line(pen, [[now, level], [at, y], [right, y]], blue, 2, [2, 3]);
    }
  });
  if (within(now)) labels.put("now", palette.of("ink"), [{ x: now, y: top - 9 * pen.ratio, align: "center" }]);
  if (outlook.fan && outlook.limit) {
    const at = pen.x(outlook.fan.p50);
    const y = pen.y(outlook.limit.bytes);
    if (scene.limitShown && within(at)) {
      // Left of the dot: the line goes on to its right.
      labels.put(outlook.fan.label, wait, [{ x: at - 9 * pen.ratio, y: y - 12 * pen.ratio, align: "right" }, { x: at + 9 * pen.ratio, y: y + 14 * pen.ratio, align: "left" }]);
    } else {
      labels.put(outlook.fan.label, wait, [{ x: right, y: top + 9 * pen.ratio, align: "right" }, { x: right, y: top + 24 * pen.ratio, align: "right" }]);
    }
  }
  if (outlook.bounded) {
    const y = pen.y(outlook.bounded.level);
    labels.put(outlook.bounded.label, blue, [1, -1, 2, -2].map((n) => ({ x: right, y: y + n * 13 * pen.ratio, align: "right" })));
  }
}

/** If it goes on: likely in the shaded part, and when the limit is reached stands on its line. */
function fan(pen: Pen, outlook: Outlook, scene: Scene, now: number, level: number, colour: string): void {
  const { ctx, ratio } = pen;
  const y = pen.y(outlook.limit!.bytes);
  const { p5, p50, p95 } = outlook.fan!;
  const far = pen.u.bbox.left + pen.u.bbox.width;
  const reach = (time: number): [number, number] => {
    const x = pen.x(time);
    const slope = (y - level) / Math.max(1e-9, x - now);
    return [Math.max(far, x), level + slope * (Math.max(far, x) - now)];
  };
  ctx.beginPath();
  ctx.moveTo(now, level);
  ctx.lineTo(...reach(p5));
  ctx.lineTo(...reach(p95));
  ctx.closePath();
  ctx.fillStyle = scene.palette.of("wait-fill");
  ctx.fill();
  line(pen, [[now, level], reach(p50)], colour, 2, [6, 4]);
  if (!scene.limitShown) return;
  line(pen, [[pen.x(p5), y], [pen.x(p95), y]], colour, 5);
  ctx.beginPath();
  ctx.arc(pen.x(p50), y, RING_PX * ratio, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
}

function paintSettled(pen: Pen, scene: Scene, labels: Labels, within: (x: number) => boolean): void {
  const settled = scene.outlook?.settled;
  if (!settled) return;
  const { ctx, ratio } = pen;
  const x = pen.x(settled.at);
  const y = pen.y(settled.level);
  if (!within(x)) return;
  const colour = scene.palette.of("ok");
  ctx.beginPath();
  ctx.arc(x, y, RING_PX * ratio, 0, 2 * Math.PI);
  ctx.fillStyle = scene.palette.of("card");
  ctx.fill();
  ctx.lineWidth = 2.5 * ratio;
  ctx.strokeStyle = colour;
  ctx.stroke();
  labels.reserve({ left: x - 8 * ratio, right: x + 8 * ratio, top: y - 8 * ratio, bottom: y + 8 * ratio });
  labels.put(settled.label, colour, [
    { x: x - 9 * ratio, y: y - 22 * ratio, align: "right" },
    { x: x + 9 * ratio, y: y - 22 * ratio, align: "left" },
    { x: x + 9 * ratio, y: y + 22 * ratio, align: "left" },
  ]);
}

/** Rates stand on the floor itself. */
function paintSegments(pen: Pen, scene: Scene, labels: Labels): void {
  const { left, width } = pen.u.bbox;
  for (const segment of scene.outlook?.segments ?? []) {
    const from = Math.max(left, pen.x(segment.from));
    const to = Math.min(left + width, pen.x(segment.to));
    if (to - from < 40 * pen.ratio) continue;
    const places = [0.5, 0.75, 0.25, 0.88].flatMap((share) => {
      const x = from + share * (to - from);
      const busy = scene.marks.phases.some((phase) => x > pen.x(phase.from) - 20 * pen.ratio && x < pen.x(phase.to ?? phase.from) + 90 * pen.ratio);
      if (busy) return [];
      const floor = scene.floorAt(scene.axis.timeOf(pen.u.posToVal(x, "x", true)));
      if (floor === null) return [];
      const y = pen.y(floor);
      return [{ x: x - 6 * pen.ratio, y: y - 14 * pen.ratio, align: "right" as const }, { x: x + 10 * pen.ratio, y: y + 16 * pen.ratio, align: "left" as const }];
    });
    labels.put(segment.label, scene.palette.of("floor"), places);
  }
}

function paintMarks(pen: Pen, scene: Scene, labels: Labels, within: (x: number) => boolean): void {
  const { marks, palette } = scene;
  const { top, height } = pen.u.bbox;
  const over = top - 9 * pen.ratio;
  for (const at of scene.restarts) {
    const x = pen.x(at);
    if (!within(x)) continue;
    inside(pen, () => upright(pen, x, palette.of("ink"), 1.5));
    labels.put("▼ restarted", palette.of("ink"), [{ x, y: over, align: "center" }]);
  }
  for (const gap of marks.gaps) {
    const from = pen.x(gap.from);
    const to = pen.x(gap.to);
    if (to - from > 70 * pen.ratio && within((from + to) / 2)) {
      labels.put("no samples", palette.of("ink2"), [{ x: (from + to) / 2, y: top + height / 2, align: "center" }]);
    }
  }
  for (const epoch of marks.epochs) {
    const x = pen.x(epoch.at);
    if (!within(x) || x - pen.u.bbox.left < 4) continue;
    if (labels.put(`epoch ${Math.round(epoch.number)}`, palette.of("ink2"), [{ x, y: over, align: "center" }])) {
      inside(pen, () => upright(pen, x, palette.of("ink2"), 1, [2, 3]));
    }
  }
  paintPhaseNames(pen, scene, labels, within);
}

/** At the bottom, or above the curve where that is low. The first of a name is told, others where there is room in them. */
function paintPhaseNames(pen: Pen, scene: Scene, labels: Labels, within: (x: number) => boolean): void {
  const { top, height } = pen.u.bbox;
  const told = new Set<string>();
  for (const phase of scene.marks.phases) {
    const from = pen.x(phase.from);
    const to = pen.x(phase.to ?? scene.outlook?.now ?? phase.from);
    const x = (from + to) / 2;
    if (!within(x)) continue;
    const text = (phase.label.length > PHASE_LETTERS ? `${phase.label.slice(0, PHASE_LETTERS)}…` : phase.label).toLowerCase();
    if (told.has(text) && labels.widthOf(text) > to - from) continue;
    const floor = scene.floorAt(phase.from);
    const bottom = top + height - 11 * pen.ratio;
    const curve = floor === null ? Infinity : pen.y(floor);
    const low = floor !== null && curve > bottom - 12 * pen.ratio;
    const place = low ? { x: to, y: curve - 16 * pen.ratio, align: "right" as const } : { x, y: bottom, align: "center" as const };
    if (labels.put(text, scene.palette.of("phase-ink"), [place])) told.add(text);
  }
}
