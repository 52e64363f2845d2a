// SPDX-License-Identifier: Apache-2.0
// All jobs that are watched, and the recordings of earlier ones.
import type { JobRow, Jobs, StoredRecording } from "./data";
import { glyph, h } from "./dom";
import { size } from "./format";
import { header, tellDrawn } from "./header";
import { killedLine, SHAPES } from "./hero";
import { askJson, follow, type Refused } from "./server";
import { liveTable } from "./table";

const FILTER_FROM = 8;

const address = (kind: string, name: string) => `#${new URLSearchParams({ [kind]: name }).toString()}`;

function jobCard(job: JobRow): HTMLElement {
  return h("a", { class: `card job ${job.tone}`, href: address("job", job.key) },
    h("span", { class: "tagline" },
      h("span", { class: "tag" }, glyph(SHAPES[job.class ?? "undecided"] ?? SHAPES.steady, "shape"), job.tag),
      h("code", { class: "clip" }, job.title),
      h("span", { class: "small" }, [`pid ${job.pid}`, job.seen, ...(job.ended ? ["ended"] : [])].join(" · "))),
    h("b", { class: "headline clip" }, job.headline),
    killedLine(job.killed),
    h("span", { class: "numbers" },
      ...[["now", job.bytes], ["floor", job.floor], ["peak", job.peak]].map(([label, bytes]) => h("span", {}, h("small", {}, `${label} `), size(bytes as number)))));
}

const when = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

function recordingsCard(): { element: HTMLElement; show: (recordings: StoredRecording[]) => void } {
  const made = liveTable("Recordings", [{ text: "Recording" }, { text: "Last written (UTC)" }, { text: "Size", numeric: true }]);
  let all: StoredRecording[] = [];
  const none = h("p", { class: "small" }, "None yet. tidegauge run and watch leave one each, and so does every job of this page.");
  const draw = () => {
    const wanted = filter.value.toLowerCase();
    const rows = all.filter((one) => one.name.toLowerCase().includes(wanted));
    made.fill(rows.map((one) => [
      { element: h("a", { href: address("recording", one.name) }, h("bdi", { class: "clip" }, one.name)), sort: one.name },
      { text: one.being_written ? "being written" : when(one.written_unix_ms), sort: one.written_unix_ms },
      { text: size(one.bytes), sort: one.bytes },
    ]));
    filter.hidden = all.length <= FILTER_FROM;
    none.hidden = all.length > 0;
    made.element.hidden = all.length === 0;
  };
  const filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter recordings", input: draw });
  draw();
  return {
    element: h("section", { class: "card", "aria-labelledby": "recordings-title" },
      h("div", { class: "bar" }, h("h2", { id: "recordings-title" }, "Recordings"), filter), made.element, none),
    show: (recordings) => {
      all = recordings;
      draw();
    },
  };
}

/** `straight`: where there is one job only, it is what the reader came for. */
export function overview(page: HTMLElement, actions: HTMLElement[], straight: boolean, refused: (error: Refused) => void): () => void {
  document.title = "tidegauge";
  const top = header(actions);
  const jobs = h("div", { class: "jobs" });
  const heading = h("h1", { class: "overview" });
  const recordings = recordingsCard();
  page.replaceChildren(top.element, h("main", {}, heading, jobs, recordings.element));
  let known = "";
  const readRecordings = () => askJson<{ recordings: StoredRecording[] }>("/api/recordings").then((list) => recordings.show(list.recordings));
  const stop = follow<Jobs>("/api/stream", {
    news: ({ jobs: rows }) => {
      if (straight && known === "" && rows.length === 1) return location.replace(address("job", rows[0].key));
      const running = rows.filter((row) => !row.ended).length;
      heading.textContent = rows.length === 0 ? "No job is watched" : `${running} of ${rows.length} ${rows.length === 1 ? "job" : "jobs"} running`;
      const focused = [...jobs.children].indexOf(document.activeElement!);
      jobs.replaceChildren(...rows.map(jobCard));
      if (focused >= 0) (jobs.children[focused] as HTMLElement | undefined)?.focus();
      top.show("", "");
      // A job that came or ended has a recording.
      const now = rows.map((row) => `${row.key}${row.ended}`).join();
      if (now !== known || known === "") void readRecordings().finally(tellDrawn);
      known = now;
    },
    state: (state) => top.show("", state === "lost" ? "reconnecting" : ""),
    refused,
  });
  return stop;
}
