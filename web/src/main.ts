// SPDX-License-Identifier: Apache-2.0
import { button, choice } from "./controls";
import { readData, type Report } from "./data";
import { h } from "./dom";
import { header, tellDrawn, tellFirst, type Top } from "./header";
import { live } from "./live";
import { sideNames, type Sides, sidesView } from "./sides";
import { switchTheme } from "./theme";
import { ReportView } from "./view";

const themeButton = () => button("Theme", switchTheme, "Theme: light or dark");
const interFont = () => document.fonts.load('12px "Inter Variable"').catch(() => undefined);

async function show(report: Report, page: HTMLElement): Promise<void> {
  document.title = `${report.verdicts[0]?.words.tag ?? "tidegauge"}: ${report.title}`;
  const fonts = interFont();
  const view = new ReportView();
  await view.showFirst(report);
  const top = header([report.tree ? button("Download data", () => view.saveData()) : null, themeButton()]);
  top.show(report.title, report.seen);
  page.replaceChildren(top.element, view.main, h("footer", {}, report.tool));
  await fonts;
  view.start();
  // What is below the first screen comes when that can be read.
  await tellFirst();
  await view.showRest(report);
  tellDrawn();
}

/** All of them, or the report of one. */
async function showSides(sides: Sides, page: HTMLElement): Promise<void> {
  document.title = sides.headline;
  const place = h("div", {});
  const ALL = "all";
  let top: Top;
  const turnTo = async (which: string): Promise<void> => {
    delete document.documentElement.dataset.ready;
    if (which === ALL) {
      const view = await sidesView(sides, (run) => {
        for (const one of views.children) one.setAttribute("aria-pressed", String(one === views.children[run + 1]));
        void turnTo(String(run)).then(() => scrollTo(0, 0));
      });
      top.show("", "");
      place.replaceChildren(view.element);
      await interFont();
      view.start();
    } else {
      const { report } = sides.runs[Number(which)];
      const view = new ReportView();
      await view.show(report);
      top.show(report.title, report.seen);
      place.replaceChildren(view.main);
      await interFont();
      view.start();
    }
    tellDrawn();
  };
  const views = choice("What is shown", [[ALL, "Side by side"], ...sideNames(sides)], ALL, (which) => void turnTo(which));
  views.classList.add("views");
  top = header([views, themeButton()]);
  page.replaceChildren(top.element, place, h("footer", {}, sides.runs[0]?.report.tool ?? ""));
  await turnTo(ALL);
}

const page = document.getElementById("page")!;
const data = readData();
if (data?.schema === "tidegauge/report/1") void show(data as Report, page);
else if (data?.schema === "tidegauge/side-by-side/1") void showSides(data as Sides, page);
else if (data?.schema === "tidegauge/live/1") live(page);
else page.replaceChildren(h("p", { class: "card" }, "This file holds no report."));
