# SPDX-License-Identifier: Apache-2.0
"""The page of `tidegauge serve`, as somebody watches a job on it."""
import os
import pathlib
import re
import shutil
import signal
import sys
import time

import pytest
import recordings
from conftest import PATIENCE_MS
from playwright.sync_api import expect
from server import LEAK, Job, Replay, Server

AXE = pathlib.Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def job():
    made = Job()
    yield made
    made.end()


@pytest.fixture
def serve(tidegauge, tmp_path):
    made = []

    def start(*arguments):
        made.append(Server(tidegauge, tmp_path, *arguments))
        return made[-1]

    yield start
    for one in made:
        one.stop()


def at_the_end(view):
    """The readout at the latest sample."""
    view.press("End")
    return view.readout()


def at_the_beginning(view):
    view.press("Home")
    return view.readout()


def gibibytes(text):
    size, unit = re.search(r"· ([\d.]+) ([MG]iB)", text).groups()
    return float(size) * {"MiB": 1 / 1024, "GiB": 1}[unit]


def test_one_job_is_shown_at_once_and_the_token_is_not(serve, look, job):
    server = serve(job.pid)
    view = look(server.page)
    assert view.page.url.startswith(f"{server.address}#job={job.pid}-")
    assert server.token not in view.page.url
    assert all(server.token not in url for url in view.asked[1:])  # the fragment of the first is not sent
    assert view.said == []
    expect(view.page.locator(".fresh")).to_contain_text("live")
    assert view.fits()
    view.page.reload()  # this tab keeps it
    view.drawn()


def wait_until(view, holds, why):
    """Looks once a frame."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while not holds():
        assert time.monotonic() < until, why
        view.frame()


def test_what_a_job_does_comes_onto_the_page(serve, look, job):
    """How soon it does is measured by bench/page/live_speed.py."""
    server = serve(job.pid)
    view = look(server.page)
    before = gibibytes(at_the_end(view))
    for _ in range(3):
        job.grow(25)
        wait_until(view, lambda: gibibytes(at_the_end(view)) >= before + 0.09, "the page does not follow")
        before = gibibytes(at_the_end(view))
    assert view.said == []


def test_the_reader_keeps_his_place(serve, look, job):
    server = serve(job.pid)
    view = look(server.page)
    shown = lambda: int(view.page.locator("#page").get_attribute("data-shown"))  # noqa: E731
    view.choose("By kind")
    view.page.get_by_role("button", name="Grew").first.click()
    view.page.evaluate("window.scrollTo(0, 300)")
    at = shown()
    while shown() < at + 2:
        view.frame()
    assert view.page.evaluate("scrollY") == 300
    assert view.page.get_by_role("button", name="By kind").get_attribute("aria-pressed") == "true"
    assert view.page.locator("[aria-sort]").count() == 1
    view.press("+")
    assert view.page.locator(".range").is_visible()
    at = shown()
    while shown() < at + 2:
        view.frame()
    assert view.page.locator(".range").is_visible()


def test_a_kill_stands_under_the_headline_and_only_its_time_is_brought_up_to_date(tidegauge, report, look, tmp_path):
    server = Server(tidegauge, tmp_path)
    page = server.ask("/", token=False)[2]
    server.stop()
    path, head = "/api/jobs/7-7/stream", {"key": "7-7", "pid": 7, "ended": False, "recording": None}
    document = recordings.document_of(report("killed"))

    def live(killed):
        return {"schema": "tidegauge/live/1", "job": head, "report": {**document, "killed": killed}}

    row = {**head, "title": "train.py", "seen": "", "class": "steady", "tone": "good", "tag": "", "headline": "", "bytes": 0, "floor": 0, "peak": 0}
    jobs = [{**row, "killed": "The kernel killed it."}, {**row, "key": "8-8", "killed": None}]
    replay = Replay(page, {path: live(None), "/api/stream": {"schema": "tidegauge/jobs/1", "jobs": jobs}}, {"/api/recordings": {"recordings": []}})
    try:
        view = look(replay.address)
        assert view.page.locator(".job").count() == 2
        assert view.page.locator(".job .killed").all_inner_texts() == ["The kernel killed it."]
        view = look(f"{replay.address}&job=7-7")
        assert view.page.locator(".killed").count() == 0
        replay.say(path, live({**document["killed"], "words": "The kernel killed train.py just now."}))
        expect(view.page.locator(".hero .killed")).to_have_text("The kernel killed train.py just now.")
        view.page.evaluate("document.querySelector('.hero').dataset.before = 'yes'")
        replay.say(path, live({**document["killed"], "words": "The kernel killed train.py 1.0 s ago."}))
        expect(view.page.locator(".hero[data-before] .killed")).to_have_text("The kernel killed train.py 1.0 s ago.")
        assert view.said == []
    finally:
        replay.stop()


def test_the_page_survives_a_restart_of_the_server(serve, look, job):
    server = serve(job.pid)
    view = look(server.page)
    expect(view.page.locator(".fresh")).to_contain_text("live")
    server.stop()
    expect(view.page.locator(".fresh")).to_contain_text("reconnecting")
    assert "MiB" in at_the_end(view)  # what was known stays
    job.grow(50)
    server.start()
    expect(view.page.locator(".fresh")).to_contain_text("live")
    # Another course of the same job: what it took while nobody looked is there from the beginning.
    wait_until(view, lambda: gibibytes(at_the_beginning(view)) > 0.19, "the course of before is still shown")
    assert gibibytes(at_the_end(view)) > 0.19


def test_the_page_survives_the_end_of_the_job(serve, look, job):
    server = serve(job.pid)
    view = look(server.page)
    job.grow(10)
    job.end()
    expect(view.page.locator(".fresh")).to_contain_text("ended")
    assert view.page.locator("h1").inner_text() != ""
    # Its recording is in the list, and opens.
    view.page.locator("a.brand").click()
    expect(view.page.locator(".job")).to_contain_text("ended")
    expect(view.page.locator("tbody tr")).to_have_count(1)
    view.page.locator("tbody a").click()
    expect(view.page.locator("h1#headline")).to_be_visible()
    assert re.search(r"#recording=.*\.tg$", view.page.url)
    assert view.said == []


def test_a_leaking_program_that_it_starts(serve, look):
    server = serve("--run", "--", sys.executable, "-c", LEAK)
    view = look(server.page)
    expect(view.page.locator("h1")).to_contain_text("Growing")
    (key,) = server.keys()
    pid = int(key.split("-")[0])
    os.kill(pid, signal.SIGKILL)
    expect(view.page.locator(".fresh")).to_contain_text("ended")


def test_many_jobs_side_by_side_and_recordings_of_others(serve, look, job, tmp_path):
    folder = tmp_path / "data" / "tidegauge" / "recordings"
    folder.mkdir(parents=True)
    recordings.incident().write(folder / "incident.tg")
    recordings.profiled().write(folder / "service.tg")
    shutil.copy(folder / "incident.tg", folder / "<img src=x onerror=alert(1)>.tg")
    other = Job()
    server = serve(job.pid, other.pid)
    view = look(server.page)
    expect(view.page.locator(".job")).to_have_count(2)
    expect(view.page.locator("tbody tr")).to_have_count(5)
    view.page.get_by_role("link", name="incident.tg", exact=True).click()
    expect(view.page.locator("h1")).to_have_text("Growth ended at step 83.")
    view.page.go_back()
    view.page.get_by_role("link", name="service.tg", exact=True).click()
    expect(view.page.locator("section.sites tbody tr").first).to_contain_text("remember")
    view.page.go_back()
    view.page.locator("tbody a", has_text="<img").click()
    expect(view.page.locator("h1")).to_have_text("Growth ended at step 83.")
    view.page.go_back()
    view.page.locator(".job", has_text=f"pid {other.pid}").click()
    expect(view.page.locator(".fresh")).to_contain_text("live")
    assert view.said == []
    other.end()


def test_a_report_is_downloaded(serve, look, job):
    server = serve(job.pid)
    view = look(server.page, accept_downloads=True)
    with view.page.expect_download() as download:
        view.page.get_by_role("button", name="Report").click()
    text = download.value.path().read_text()
    assert "tidegauge/report/1" in text and "connect-src 'none'" in text


def test_a_census_is_taken_and_kept_for_the_report(serve, look, job):
    job.grow(20)
    server = serve(job.pid)
    view = look(server.page)
    view.page.get_by_role("button", name="Census").click()
    card = view.page.locator("section", has=view.page.locator("#census-title"))
    expect(card).to_contain_text("objects")
    expect(card.get_by_role("treegrid")).to_contain_text("__main__.held")
    assert len(list(server.recordings.glob("*.tg.census.json"))) == 1
    job.end()
    expect(view.page.locator(".fresh")).to_contain_text("ended")
    view.page.get_by_role("button", name="Census").click()
    expect(view.page.locator(".trouble")).to_contain_text("has ended")
    assert view.said == ["Failed to load resource: the server responded with a status of 410 (Gone)"]


def test_without_the_token_it_says_what_to_do(serve, look, job):
    server = serve(job.pid)
    view = look(server.address)
    assert "Open the address" in view.page.locator("main").inner_text()
    view = look(f"{server.address}#token={'0' * 32}")
    assert "Open the address" in view.page.locator("main").inner_text()


def test_a_page_nobody_looks_at_asks_for_nothing(serve, look, job):
    server = serve(job.pid)
    view = look(server.page)
    view.page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    shown = lambda: int(view.page.locator("#page").get_attribute("data-shown"))  # noqa: E731

    def three_events():
        with server.stream() as lines:
            for _ in range(3):
                while not lines.readline().startswith("data: "):
                    pass

    three_events()  # what was on its way has come
    at = shown()
    three_events()
    assert shown() == at
    view.page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { value: false, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    expect(view.page.locator(".fresh")).to_contain_text("live")


@pytest.mark.parametrize("dark, phone", [(False, True), (True, False)])
def test_accessible(serve, look, job, dark, phone):
    other = Job()
    server = serve(job.pid, other.pid)
    for address in (server.page, f"{server.page}&job={server.keys()[0]}"):
        view = look(address, dark=dark, phone=phone, bypass_csp=True)
        view.page.add_script_tag(path=AXE)
        found = view.page.evaluate("axe.run()")
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]] == []
        assert view.fits()
    other.end()


def test_a_server_that_has_not_found_its_job_yet_is_asked_again(serve, look, job):
    """Just started, it answers before it has looked: that is not the end of the page."""
    server = serve(job.pid)
    view = look(server.page)
    expect(view.page.locator(".fresh")).to_contain_text("live")
    asked = []

    def not_yet(route):
        asked.append(route.request.url)
        route.fulfill(status=404, body="no such job") if len(asked) < 3 else route.continue_()

    view.page.route("**/api/jobs/*/stream", not_yet)
    server.stop()
    expect(view.page.locator(".fresh")).to_contain_text("reconnecting")
    server.start()
    expect(view.page.locator(".fresh")).to_contain_text("live")
    assert len(asked) >= 3
