// SPDX-License-Identifier: Apache-2.0
// The data of the page as files: the series for a spreadsheet, the whole for a program.
import type { Report, Tree } from "./data";

export function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A spreadsheet takes what begins like this for a formula.
const FORMULA = /^[=+\-@\t\r]/;
const quoted = (text: string) => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

const fileName = (report: Report, end: string) => `${report.title.replace(/[^\w.-]+/g, "_").slice(0, 60) || "report"}.${end}`;

export function saveSeries(report: Report, tree: Tree): void {
  const columns: [string, Float64Array][] = [[report.clock === "steps" ? "step" : "time", tree.time]];
  if (tree.step) columns.push(["step", tree.step]);
  columns.push(["lowest_bytes", tree.low], ["highest_bytes", tree.high], ["floor_bytes", tree.floor]);
  for (const layer of [...tree.kinds, ...tree.bands, ...tree.named]) columns.push([`${layer.label}_bytes`, layer.values]);
  const lines = [columns.map(([name]) => quoted(name)).join(",")];
  for (let row = 0; row < tree.time.length; row += 1) {
    lines.push(columns.map(([, values]) => (Number.isNaN(values[row]) ? "" : String(values[row]))).join(","));
  }
  save(fileName(report, "csv"), "text/csv", `${lines.join("\n")}\n`);
}

export function saveReport(report: Report): void {
  save(fileName(report, "json"), "application/json", `${JSON.stringify(report, null, 1)}\n`);
}
