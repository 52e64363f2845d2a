# SPDX-License-Identifier: Apache-2.0
"""How soon what a job does is on its live page: a job takes 100 MiB at once, again and again, and the page is read until it shows them. Fails
where the goal is missed.

  live_speed.py TIDEGAUGE
"""
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "page"))
from server import Job, Server  # noqa: E402

TIMES = 20
BLOCKS = 25  # of 4 MiB
GOAL_S = 2.0
GIVE_UP_S = 30


def gibibytes(page):
    page.keyboard.press("End")
    found = re.search(r"· ([\d.]+)\s([MG]iB)", page.locator("#readout").inner_text())
    return float(found[1]) / (1024 if found[2] == "MiB" else 1)


def measure(page, job):
    page.focus(".plot")
    late = []
    for i in range(TIMES):
        page.wait_for_timeout(130 * (i % 7))  # at another moment between two looks each time
        before = gibibytes(page)
        job.grow(BLOCKS)
        began = time.monotonic()
        while gibibytes(page) < before + BLOCKS * 4 / 1024 * 0.9:
            if time.monotonic() - began > GIVE_UP_S:
                raise SystemExit("the page does not follow")
        late.append(time.monotonic() - began)
    return late


def main(tidegauge):
    job = Job()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(tidegauge, pathlib.Path(folder), job.pid)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(server.page)
            page.wait_for_selector("html[data-ready]")
            late = measure(page, job)
        finally:
            browser.close()
            server.stop()
            job.end()
    print(f"Live page, {TIMES} times: what a job took was on it {statistics.median(late):.2f} s later (middle), {max(late):.2f} s at worst; goal {GOAL_S:.0f} s.")
    return max(late) <= GOAL_S


if __name__ == "__main__":
    sys.exit(0 if main(pathlib.Path(sys.argv[1]).resolve()) else 1)
