// SPDX-License-Identifier: Apache-2.0
// The page of a server: all jobs and recordings, or one of them. Which one is in the address.
import type { Census } from "./census";
import { button } from "./controls";
import type { JobHead, LiveJob, Report } from "./data";
import { h } from "./dom";
import { save } from "./download";
import { header, tellDrawn } from "./header";
import { overview } from "./overview";
import { ask, askJson, type Connection, follow, hasToken, Refused, takeToken } from "./server";
import { switchTheme } from "./theme";
import { ReportView } from "./view";

const themeButton = () => button("Theme", switchTheme, "Theme: light or dark");

/** A sentence instead of a page. */
function message(page: HTMLElement, title: string, text: string, back?: string): void {
  const top = header([themeButton()], back);
  top.show("", "");
  page.replaceChildren(top.element, h("main", {}, h("section", { class: "card message" }, h("h1", {}, title), h("p", {}, text))));
  tellDrawn();
}

const NEEDS_TOKEN = "Open the address that tidegauge serve has printed: it holds a token, and this one has none or an old one.";

/** How new it is, in a word that is said once and a clock that is not. */
function freshness(): { element: HTMLElement; state: (state: Connection) => void; news: (job: JobHead) => void } {
  const word = h("span", { role: "status" });
  const ago = h("span", { class: "ago", "aria-hidden": "true" });
  const element = h("span", { class: "fresh connecting" }, h("i", { class: "pulse" }), word, ago);
  let at = 0;
  let ended = false;
  const WORDS: Record<Connection, string> = { connecting: "connecting", live: "live", lost: "reconnecting" };
  const say = (text: string, state: string) => {
    if (word.textContent !== text) word.textContent = text;
    element.className = `fresh ${state}`;
  };
  window.setInterval(() => {
    const seconds = Math.floor((performance.now() - at) / 1000);
    ago.textContent = at === 0 || ended || seconds < 2 ? "" : `${seconds} s ago`;
  }, 1000);
  return {
    element,
    state: (state) => {
      if (!ended || state === "lost") say(WORDS[state], state);
    },
    news: (job) => {
      at = performance.now();
      ended = job.ended;
      say(ended ? "ended" : "live", ended ? "ended" : "live");
    },
  };
}

/** What a button does that takes a while: it says so, and says what went wrong. */
function working(text: string, label: string, act: () => Promise<void>, trouble: HTMLElement): HTMLButtonElement {
  const made = button(text, () => {
    made.disabled = true;
    trouble.textContent = "";
    act()
      .catch((error: unknown) => (trouble.textContent = error instanceof Error ? error.message : String(error)))
      .finally(() => (made.disabled = false));
  }, label);
  return made;
}

const savePage = async (path: string, name: string) => save(`${name}.html`, "text/html", await (await ask(path)).text());

function showJob(page: HTMLElement, key: string): () => void {
  const path = `/api/jobs/${encodeURIComponent(key)}`;
  let view = new ReportView();
  const fresh = freshness();
  const trouble = h("p", { class: "trouble", role: "alert" });
  let title = "job";
  const actions = [
    fresh.element,
    working("Census", "Census: what this Python holds, and who holds it", async () => view.take((await (await ask(`${path}/census`, { method: "POST" })).json()) as Census), trouble),
    working("Report", "Report: download it as one file", () => savePage(`${path}/page`, title), trouble),
    themeButton(),
  ];
  const top = header(actions, "#");
  let started = false;
  let busy = false;
  let next: LiveJob | null = null;
  const draw = async () => {
    if (busy) return;
    busy = true;
    while (next) {
      const { report, job } = next;
      next = null;
      title = report.title;
      document.title = `${report.verdicts[0]?.words.tag ?? "tidegauge"}: ${report.title}`;
      top.show(report.title, report.seen);
      fresh.news(job);
      await view.show(report);
      if (!started) {
        page.replaceChildren(top.element, trouble, view.main, h("footer", {}, report.tool));
        await document.fonts.load('12px "Inter Variable"').catch(() => undefined);
        view.start();
        started = true;
        tellDrawn();
      }
      page.dataset.shown = String(Number(page.dataset.shown ?? 0) + 1);
    }
    busy = false;
  };
  return follow<LiveJob>(`${path}/stream`, {
    news: (value, isFresh) => {
      if (isFresh) {
        // Another start of the server has another course to show.
        const before = view;
        view = new ReportView();
        if (started) before.main.replaceWith(view.main);
      }
      next = value;
      void draw();
    },
    state: fresh.state,
    refused: (error) => {
      if (error.status === 401) message(page, "No access", NEEDS_TOKEN);
      else message(page, "This job is not watched any more", "Its recording is in the list, if one was kept.", "#");
    },
  });
}

async function showRecording(page: HTMLElement, name: string): Promise<void> {
  const path = `/api/recordings/${encodeURIComponent(name)}`;
  const report = await askJson<Report>(path);
  const view = new ReportView();
  await view.show(report);
  const trouble = h("p", { class: "trouble", role: "alert" });
  document.title = `${report.verdicts[0]?.words.tag ?? "tidegauge"}: ${report.title}`;
  const top = header([
    working("Report", "Report: download it as one file", () => savePage(`${path}/page`, name), trouble),
    report.tree ? button("Download data", () => view.saveData()) : null,
    themeButton(),
  ], "#");
  top.show(report.title, report.seen);
  page.replaceChildren(top.element, trouble, view.main, h("footer", {}, report.tool));
  await document.fonts.load('12px "Inter Variable"').catch(() => undefined);
  view.start();
  tellDrawn();
}

export function live(page: HTMLElement): void {
  let leave = () => {};
  let arriving = true;
  const route = () => {
    takeToken();
    leave();
    leave = () => {};
    delete document.documentElement.dataset.ready;
    if (!hasToken()) return message(page, "No access", NEEDS_TOKEN);
    const parts = new URLSearchParams(location.hash.slice(1));
    const [job, recording] = [parts.get("job"), parts.get("recording")];
    if (job !== null) {
      leave = showJob(page, job);
    } else if (recording !== null) {
      message(page, "Reading", recording, "#");
      showRecording(page, recording).catch((error: unknown) => {
        const denied = error instanceof Refused && error.status === 401;
        message(page, denied ? "No access" : "That did not work", denied ? NEEDS_TOKEN : String((error as Error).message), "#");
      });
    } else {
      leave = overview(page, [themeButton()], arriving, (error) => message(page, "No access", error.status === 401 ? NEEDS_TOKEN : error.message));
    }
  };
  addEventListener("hashchange", route);
  route();
  arriving = false;
}
