// SPDX-License-Identifier: Apache-2.0
// What uPlot asks of Intl when it is loaded, without Intl, which takes 40 ms to wake up in Chromium: a tenth of all until the page is there.
// Only its own labels and its axes of dates would use it; ours are written by format.ts. Put in by bundle.mjs.
class PlainNumbers {
  format(value: number): string {
    return String(value);
  }
}
class PlainDates {
  resolvedOptions(): { timeZone: string } {
    return { timeZone: "UTC" };
  }
}
export { PlainNumbers as "Intl.NumberFormat", PlainDates as "Intl.DateTimeFormat" };
