// SPDX-License-Identifier: Apache-2.0
// Numbers as text. Sentences come from the program; the page writes none.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const NARROW = "\u00a0";

/** "18.7 GiB": three digits, as everywhere in tidegauge. */
export function size(bytes: number): string {
  if (!Number.isFinite(bytes)) return "–";
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${bytes < 0 && value > 0 ? "−" : ""}${value.toFixed(digits)}${NARROW}${UNITS[unit]}`;
}

/** "1,234,567". By hand: Intl takes 40 ms to wake up. */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** For an axis: whole numbers have no decimals. */
export function axisSize(bytes: number): string {
  if (bytes === 0) return "0";
  const text = size(bytes);
  return text.replace(/\.0+(?=\u00a0)/, "").replace(/(\.\d)0(?=\u00a0)/, "$1");
}

export function growth(bytes: number): string {
  if (!Number.isFinite(bytes)) return "–";
  if (Math.abs(bytes) < 65536) return "0";
  return (bytes > 0 ? "+" : "") + size(bytes);
}

const two = (n: number) => String(n).padStart(2, "0");

/** "3:13", "2h05", "3d04h", as in the terminal. */
export function clock(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 3600) return `${Math.floor(s / 60)}:${two(s % 60)}`;
  if (s < 86400) return `${Math.floor(s / 3600)}h${two(Math.floor((s % 3600) / 60))}`;
  return `${Math.floor(s / 86400)}d${two(Math.floor((s % 86400) / 3600))}h`;
}

/** The same to the second, for a place that was pointed at. */
export function moment(seconds: number): string {
  if (seconds < 60 && seconds !== Math.round(seconds)) return `${seconds.toFixed(1)}\u00a0s`;
  const s = Math.max(0, Math.round(seconds));
  if (s < 3600) return clock(s);
  const day = Math.floor(s / 86400);
  return `${day > 0 ? `${day}d ` : ""}${Math.floor((s % 86400) / 3600)}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
}
