// SPDX-License-Identifier: Apache-2.0
// The report as the program wrote it (docs/report-format.md), and its series unpacked.

import type { Census, Holding } from "./census";
import type { SitesOf } from "./sites";

export interface Fact { id: string; label: string; value: string; detail: string }
export interface Words { tone: "good" | "wait" | "bad"; tag: string; note: string; headline: string; lead: string; facts: Fact[] }
export interface Cause { kind: string; bytes: number | null; site: string | null; retained_by: string | null; remedy: string | null }
export interface Verdict { class: string; confidence: number; p_leak: number; causes: Cause[]; words: Words; tied_to: string | null }
export interface Tally { min: number; average: number; max: number; floor: number; growth: number; last: number; growth_words: string }
export interface ProcessRow {
  pid: number; start_ticks: number; parent_pid: number; label: string; name: string; command: string; role: string; role_words: string;
  verdict_words: string; gone: boolean; first_seen: number; last_seen: number; peak_rss: number; total: Tally;
}
export interface KindRow extends Tally { kind: string; label: string }
export interface Outlook {
  now: number; until: number; level: number; seconds_per_step: number | null;
  limit?: { bytes: number; label: string };
  fan?: { p5: number; p50: number; p95: number; label: string };
  bounded?: { at: number; level: number; label: string };
  settled?: { at: number; level: number; label: string };
  segments: { from: number; to: number; label: string }[];
}
export interface Marks {
  phases: { from: number; to: number | null; label: string }[];
  epochs: { at: number; number: number }[];
  events: { at: number; text: string }[];
  gaps: { from: number; to: number }[];
}
interface PackedColumn { id: string; label?: string; kind?: string; pid?: number; start_ticks?: number }
interface Packed { rows: number; unit: number; columns: PackedColumn[]; data: string; end?: number }
/** That the kernel killed for lack of memory: a process of the job, or a stranger where the job is. */
export interface Killed { words: string; of_job: boolean; at: number; times: number; pid: number | null; name: string | null; cgroup: string | null; limit_bytes: number | null }
export interface Report {
  schema: string; tool: string; title: string; seen: string; clock: "seconds" | "steps"; started_unix_ms: number | null;
  interval_seconds: number; killed: Killed | null; verdicts: Verdict[]; outlook: Outlook | null; marks: Marks; restarts: number[];
  processes: ProcessRow[]; groups: string[]; gone: string; kinds: KindRow[]; how: Fact[]; notes: string[];
  doubts?: string[]; evidence?: string[]; tree: Packed | null; process_series: Packed | null;
  holdings?: Holding[]; sites?: SitesOf[]; census?: Census;
}

/** Of a server: a job that is watched, in a list and as a whole. */
export interface JobHead { key: string; pid: number; ended: boolean; recording: string | null }
export interface JobRow extends JobHead {
  title: string; seen: string; class: string | null; tone: "good" | "wait" | "bad"; tag: string; headline: string; killed: string | null; bytes: number; floor: number; peak: number;
}
export interface Jobs { schema: string; jobs: JobRow[] }
export interface LiveJob { schema: string; job: JobHead; report: Report }
export interface StoredRecording { name: string; bytes: number; written_unix_ms: number; being_written: boolean }

/** A part of a stack: one value per row, NaN where nothing is known. */
export interface Layer { label: string; kind: string; values: Float64Array }
export interface Tree {
  time: Float64Array; step: Float64Array | null; low: Float64Array; high: Float64Array; floor: Float64Array;
  kinds: Layer[]; bands: Layer[]; named: Layer[]; end: number;
}
export interface ProcessSeries { time: Float64Array; of: Map<string, { low: Float64Array; high: Float64Array }> }

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const ready = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (ready) return ready.call(Uint8Array, base64);  // browsers since 2025
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);  // ten times as fast as from()
  return bytes;
}

async function inflate(base64: string): Promise<Uint8Array> {
  // Not by way of a Blob, which another process of the browser's would keep and send back.
  const { writable, readable } = new DecompressionStream("deflate-raw");
  const writer = writable.getWriter();
  void writer.write(bytesOf(base64)).catch(() => undefined);
  void writer.close().catch(() => undefined);
  return new Uint8Array(await new Response(readable).arrayBuffer());
}

/** Columns of differences, zigzag, seven bits a byte. Times need more than 32 bits, so no shifts. */
async function columnsOf(packed: Packed): Promise<Float64Array[]> {
  const bytes = await inflate(packed.data);
  let at = 0;
  return packed.columns.map(() => {
    const out = new Float64Array(packed.rows);
    let before = 0;
    for (let row = 0; row < packed.rows; row += 1) {
      let byte = bytes[at++];
      if (byte < 0x80) {  // most of them
        before += byte & 1 ? -((byte + 1) >> 1) : byte >> 1;
        out[row] = before;
        continue;
      }
      let value = 0;
      let scale = 1;
      while (byte >= 0x80) {
        value += (byte & 0x7f) * scale;
        scale *= 128;
        byte = bytes[at++];
      }
      value += byte * scale;
      before += value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      out[row] = before;
    }
    return out;
  });
}

const known = (unit: number) => (value: number) => (value === 0 ? NaN : (value - 1) * unit);

export async function unpackTree(packed: Packed): Promise<Tree> {
  const columns = await columnsOf(packed);
  const of = (id: string) => columns[packed.columns.findIndex((column) => column.id === id)] as Float64Array | undefined;
  const low = of("low")!.map(known(packed.unit));
  const layers = (id: string) =>
    packed.columns.flatMap((column, i) =>
      column.id === id ? [{ label: column.label ?? "", kind: column.kind ?? "", values: columns[i].map(known(packed.unit)) }] : []);
  const time = of("time")!.map((ms) => ms / 1000);
  return {
    time,
    step: of("step")?.map((value) => (value === 0 ? NaN : value - 1)) ?? null,
    low,
    high: of("high_above_low")!.map((value, i) => low[i] + value * packed.unit),
    floor: of("low_above_floor")!.map((value, i) => low[i] - value * packed.unit),
    kinds: layers("kind"),
    bands: layers("band"),
    named: layers("named"),
    end: packed.end ?? time[time.length - 1],
  };
}

export const processKey = (process: { pid?: number; start_ticks?: number }) => `${process.pid}/${process.start_ticks}`;

export async function unpackProcesses(packed: Packed): Promise<ProcessSeries> {
  const columns = await columnsOf(packed);
  const of: ProcessSeries["of"] = new Map();
  packed.columns.forEach((column, i) => {
    if (column.id !== "low") return;
    const low = columns[i].map(known(packed.unit));
    of.set(processKey(column), { low, high: columns[i + 1].map((value, row) => low[row] + value * packed.unit) });
  });
  return { time: columns[0].map((ms) => ms / 1000), of };
}

export function readData(): { schema: string } | null {
  const text = document.getElementById("data")?.textContent ?? "";
  return JSON.parse(text) as { schema: string };
}
