// SPDX-License-Identifier: Apache-2.0
// The tree's series at several resolutions, each half of the one before. No extreme is lost: a row
// keeps the least and the greatest of the two that it stands for. Rows are not merged across a gap.
import type { Layer, Marks, Tree } from "./data";

/** Where no value is known there is null, so that the curve is broken. */
type Values = (number | null)[];
/** `rows`: which row of the tree each stands for, the one of its peak; -1: none. */
export interface Level { x: number[]; time: number[]; low: Values; high: Values; floor: Values; rows: number[]; stacks: Map<string, Values[]>; drawn: Map<string, Values[]> }
export type Stack = "bands" | "kinds" | "named";
const FEWEST_ROWS = 256;

export interface Axis { ofTime: (seconds: number) => number; timeOf: (x: number) => number; bySteps: boolean }

const orNull = (value: number) => (Number.isNaN(value) ? null : value);

/** Positions on an axis of steps: between two steps, time goes on evenly. */
export function stepAxis(tree: Tree, secondsPerStep: number): Axis {
  const times: number[] = [];
  const steps: number[] = [];
  tree.step?.forEach((step, i) => {
    if (Number.isNaN(step) || (steps.length > 0 && step <= steps[steps.length - 1])) return;
    times.push(tree.time[i]);
    steps.push(step);
  });
  if (times.length > 0 && times[0] > tree.time[0]) {
    times.unshift(tree.time[0]);
    steps.unshift(Math.min(0, steps[0] - 1));
  }
  const along = (from: number[], to: number[], slope: number) => (value: number) => {
    const last = from.length - 1;
    if (value >= from[last]) return to[last] + (value - from[last]) * slope;
    if (value <= from[0]) return to[0];
    let low = 0;
    let high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (from[middle] <= value) low = middle;
      else high = middle;
    }
    return to[low] + ((value - from[low]) / (from[high] - from[low])) * (to[high] - to[low]);
  };
  return { ofTime: along(times, steps, 1 / secondsPerStep), timeOf: along(steps, times, secondsPerStep), bySteps: true };
}

export const timeAxis: Axis = { ofTime: (t) => t, timeOf: (x) => x, bySteps: false };

const emptyLevel = (): Level => ({ x: [], time: [], low: [], high: [], floor: [], rows: [], stacks: new Map(), drawn: new Map() });

function finest(tree: Tree, marks: Marks, restarts: number[], axis: Axis): Level {
  const breaks = [...marks.gaps.map((gap) => gap.to), ...restarts].sort((a, b) => a - b);
  const level = emptyLevel();
  let next = 0;
  for (let row = 0; row < tree.time.length; row += 1) {
    const time = tree.time[row];
    while (next < breaks.length && breaks[next] <= time) {
      if (row > 0) {
        const between = (tree.time[row - 1] + time) / 2;
        level.x.push(axis.ofTime(between));
        level.time.push(between);
        level.low.push(null);
        level.high.push(null);
        level.floor.push(null);
        level.rows.push(-1);
      }
      next += 1;
    }
    level.x.push(axis.ofTime(time));
    level.time.push(time);
    level.low.push(orNull(tree.low[row]));
    level.high.push(orNull(tree.high[row]));
    level.floor.push(orNull(tree.floor[row]));
    level.rows.push(row);
  }
  return level;
}

const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));

function halved(fine: Level): Level {
  const level = emptyLevel();
  for (let i = 0; i < fine.x.length;) {
    const pair = i + 1 < fine.x.length && fine.high[i] !== null && fine.high[i + 1] !== null;
    const k = pair ? i + 1 : i;
    // What adds up to the peak stays together.
    const peak = pair && fine.high[k]! > fine.high[i]! ? k : i;
    level.x.push(fine.x[i]);
    level.time.push(fine.time[i]);
    level.low.push(least(fine.low[i], fine.low[k]));
    level.high.push(fine.high[peak]);
    level.floor.push(least(fine.floor[i], fine.floor[k]));
    level.rows.push(fine.rows[peak]);
    i = k + 1;
  }
  return level;
}

/** The parts of a stack at a level, made when they are first asked for. */
export function partsOf(level: Level, tree: Tree, stack: Stack): Values[] {
  const made = level.stacks.get(stack) ?? tree[stack].map(({ values }) => level.rows.map((row) => (row < 0 ? null : orNull(values[row]))));
  level.stacks.set(stack, made);
  return made;
}

export function levelsOf(tree: Tree, marks: Marks, restarts: number[], axis: Axis): Level[] {
  const levels = [finest(tree, marks, restarts, axis)];
  while (levels[levels.length - 1].x.length > FEWEST_ROWS) levels.push(halved(levels[levels.length - 1]));
  return levels;
}

/** Of `xs`, sorted: the first that is not below `x`. */
export function lowerBound(xs: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The coarsest that still has three rows for four pixels. */
export function levelFor(levels: Level[], from: number, to: number, pixels: number): Level {
  for (let i = levels.length - 1; i > 0; i -= 1) {
    const rows = lowerBound(levels[i].x, to) - lowerBound(levels[i].x, from);
    if (rows >= 0.75 * pixels) return levels[i];
  }
  return levels[0];
}

/** Of a stack: the sums from the bottom up. */
export function stacked(layers: Values[]): Values[] {
  const sums: Values[] = [];
  layers.forEach((values, i) => {
    sums.push(values.map((value, row) => {
      const below = i > 0 ? sums[i - 1][row] : 0;
      return value === null && below === null ? null : (below ?? 0) + (value ?? 0);
    }));
  });
  // Before anybody was there and in a gap there is nothing to draw.
  return sums.map((sum) => sum.map((value, row) => (layers.every((layer) => layer[row] === null) ? null : value)));
}

export type { Layer };
