# SPDX-License-Identifier: Apache-2.0
"""What the tests of the page share: reports of known recordings, and Debian's Chromium, without network."""
import shutil
import subprocess

import pytest
import recordings
from playwright.sync_api import expect, sync_playwright

# What is waited for comes soon, on a busy machine a little later: no test is about how soon (bench/page is).
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def report(tidegauge, tmp_path_factory):
    """report("incident"): the page of that recording of recordings.py, as a file; made once."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}

    def make(name, *arguments):
        if (name, arguments) not in made:
            recording = getattr(recordings, name)(*arguments).write(folder / f"{name}{len(made)}.jsonl")
            page = folder / f"{name}{len(made)}.html"
            subprocess.run([tidegauge, "report", recording, "-o", page], check=True, capture_output=True)
            made[name, arguments] = page
        return made[name, arguments]

    return make


@pytest.fixture(scope="session")
def sides(tidegauge, tmp_path_factory):
    """sides("incident", "on_demand"): the page of these recordings side by side, as a file; made once."""
    folder = tmp_path_factory.mktemp("sides")
    made = {}

    def make(*names):
        if names not in made:
            files = [getattr(recordings, name)().write(folder / f"{name}.jsonl") for name in names]
            made[names] = folder / f"{'-'.join(names)}.html"
            subprocess.run([tidegauge, "report", *files, "-o", made[names]], check=True, capture_output=True)
        return made[names]

    return make


@pytest.fixture(scope="session")
def chromium():
    path = shutil.which("chromium")
    if path is None:
        pytest.exit("there is no chromium: run tools/bootstrap test", returncode=2)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--force-color-profile=srgb"])
        yield browser
        browser.close()


class View:
    """A page that is loaded and drawn, from a file or an address, with what it said on the console and what it asked for."""

    def __init__(self, page, path):
        self.page = page
        self.said = []
        self.asked = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(path if str(path).startswith("http:") else f"file://{path}")
        self.drawn()

    def drawn(self):
        self.page.wait_for_selector("html[data-ready]", timeout=PATIENCE_MS)

    def frame(self):
        """Waits until what was asked for is on the screen."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def readout(self):
        return self.page.locator("#readout").inner_text().replace("\u00a0", " ")

    def press(self, *keys):
        self.page.focus(".plot")
        for key in keys:
            self.page.keyboard.press(key)
        self.frame()

    def choose(self, name):
        self.page.get_by_role("button", name=name, exact=True).first.click()
        self.frame()

    def fits(self):
        wide = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        return wide[0] <= wide[1]


@pytest.fixture
def look(chromium):
    """look(path, dark=True, phone=True): a View of it."""
    contexts = []

    def open_page(path, dark=False, phone=False, size=None, **more):
        width, height = size or ((390, 844) if phone else (1280, 800))
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light",
                                       locale="en-GB", timezone_id="UTC", reduced_motion="reduce", **more)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        return View(context.new_page(), path)

    yield open_page
    for context in contexts:
        context.close()
