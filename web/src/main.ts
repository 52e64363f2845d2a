// SPDX-License-Identifier: Apache-2.0
import { button } from "./controls";
import { readData, type Report } from "./data";
import { h } from "./dom";
import { header, tellDrawn } from "./header";
import { live } from "./live";
import { switchTheme } from "./theme";
import { ReportView } from "./view";

async function show(report: Report, page: HTMLElement): Promise<void> {
  document.title = `${report.verdicts[0]?.words.tag ?? "tidegauge"}: ${report.title}`;
  const fonts = document.fonts.load('12px "Inter Variable"').catch(() => undefined);
  const view = new ReportView();
  await view.show(report);
  const top = header([
    report.tree ? button("Download data", () => view.saveData()) : null,
    button("Theme", switchTheme, "Theme: light or dark"),
  ]);
  top.show(report.title, report.seen);
  page.replaceChildren(top.element, view.main, h("footer", {}, report.tool));
  await fonts;
  view.start();
  tellDrawn();
}

const page = document.getElementById("page")!;
const data = readData();
if (data?.schema === "tidegauge/report/1") void show(data as Report, page);
else if (data?.schema === "tidegauge/live/1") live(page);
else page.replaceChildren(h("p", { class: "card" }, "This file holds no report."));
