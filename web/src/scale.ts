// SPDX-License-Identifier: Apache-2.0
// Sizes and scales that charts share.
import type uPlot from "uplot";
import { axisSize } from "./format";
import type { Palette } from "./theme";

export const NARROW_BELOW = 560;
export const HEADROOM = 1.14;
// A limit this many times above everything else would press the curve flat: it is named instead.
export const LIMIT_WITHIN = 3.5;
const WIDE_PX = 330;
const NARROW_PX = 280;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30], ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE), ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100].map((n) => n * DAY),
];
const COUNTS = Array.from({ length: 30 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));
const POWERS_OF_TWO = Array.from({ length: 52 }, (_, i) => 2 ** i);

export const isNarrow = (element: HTMLElement) => element.clientWidth < NARROW_BELOW;
export const chartSize = (element: HTMLElement) => ({ width: Math.max(200, element.clientWidth), height: isNarrow(element) ? NARROW_PX : WIDE_PX });

/** Along the bottom: counts (of steps) or seconds, `label` of each in one line or two. At the left: bytes. */
export function axesOf(colours: Palette, narrow: boolean, counts: boolean, twoLines: boolean, label: (x: number) => string): uPlot.Axis[] {
  const font = '500 12px "Inter Variable", system-ui, sans-serif';
  const common = { font, stroke: colours.of("ink2"), grid: { stroke: colours.of("grid"), width: 1 }, ticks: { show: false } };
  return [
    { ...common, size: twoLines ? 44 : 30, space: narrow ? 70 : 96, incrs: counts ? COUNTS : TIME_STEPS, values: (_, splits) => splits.map(label) },
    { ...common, size: narrow ? 54 : 66, space: 44, incrs: POWERS_OF_TWO, values: (_, splits) => splits.map(axisSize) },
  ];
}
