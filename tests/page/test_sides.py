# SPDX-License-Identifier: Apache-2.0
"""Two recordings side by side: what a change did, as a reader sees it."""
import re
import subprocess

import pytest
import recordings
from playwright.sync_api import expect


def text_of(view, selector):
    return re.sub(r"\s+", " ", view.page.locator(selector).inner_text()).strip()


def test_the_first_screen_tells_both_answers(sides, look):
    view = look(sides("incident", "on_demand"))
    assert text_of(view, "h1") == "on_demand keeps 17.1 GiB less than incident."
    assert re.search(r"What stays: 1\.\d\d GiB instead of 18\.8 GiB\..*A step takes 3\.30 s instead of 3\.00 s, 10 % longer\.$", text_of(view, ".lead"))
    cards = view.page.locator(".side")
    assert cards.count() == 2
    boxes = [cards.nth(i).bounding_box() for i in range(2)]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]
    assert all(box["y"] + box["height"] <= 800 for box in boxes)
    assert "Growth ended at step 83." in cards.nth(0).inner_text() and "JpegImageFile" in cards.nth(0).inner_text()
    assert view.said == [] and view.fits()
    assert [url for url in view.asked if not url.startswith(("file:", "data:"))] == []


def test_on_a_phone_they_stand_below_each_other(sides, look):
    view = look(sides("incident", "on_demand"), phone=True)
    first, second = (view.page.locator(".side").nth(i).bounding_box() for i in range(2))
    assert first["x"] == second["x"] and first["y"] + first["height"] <= second["y"]
    assert view.fits()
    table = view.page.locator(".compared .scroll")
    assert table.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    assert "GiB less" in table.inner_text()


def test_steps_and_seconds_share_no_axis(tidegauge, tmp_path, look):
    files = []
    for clock in ("step", "time"):
        files.append(tmp_path / f"{clock}.csv")
        files[-1].write_text(f"{clock},rss_mb\n" + "".join(f"{i},{1000 + i}\n" for i in range(300)))
    both = tmp_path / "both.html"
    subprocess.run([tidegauge, "report", *files, "-o", both], check=True, capture_output=True)
    view = look(both)
    assert "Of step only steps are known, of time only seconds: they cannot be lined up." in text_of(view, ".compared")
    assert view.page.locator(".timeline").count() == 0
    assert view.page.locator(".side").count() == 2
    assert view.said == [] and view.fits()


def test_both_curves_are_read_on_one_axis_of_steps(sides, look):
    view = look(sides("incident", "on_demand"))
    view.press("Home")
    assert re.fullmatch(r"step 0 · A [\d.]+ GiB · B [\d.]+ GiB", view.readout())
    view.press("End")
    assert view.readout().startswith("step 139 · A 18.8 GiB · B")
    view.press("+", "+", "Alt+ArrowLeft", "0")
    view.choose("Time")
    view.press("End")
    assert re.fullmatch(r"7:00 · A 18\.8 GiB · B 1\.\d\d GiB", view.readout())
    assert view.said == []


def test_the_table_says_what_changed(sides, look):
    rows = look(sides("incident", "on_demand")).page.locator(".compared tbody tr")
    told = {row.split("\t")[0]: row for row in (re.sub(r"\u00a0", " ", text) for text in rows.all_inner_texts())}
    assert told["What stays"].startswith("What stays\t18.8 GiB\t1.") and "less (−9" in told["What stays"]
    assert told["Growth ended"].split("\t")[1:3] == ["step 83", "–"]
    assert told["What piles up"].split("\t")[2].strip() == "nothing that was found"
    assert re.search(r"A step takes\t3\.00 s\t3\.30 s\t10 % longer", told["A step takes"])


def test_the_report_of_each_is_in_it(sides, look):
    view = look(sides("incident", "on_demand"))
    view.page.locator(".side").nth(1).get_by_role("button", name="Its report").click()
    view.drawn()
    expect(view.page.get_by_role("button", name="B: on_demand")).to_have_attribute("aria-pressed", "true")
    expect(view.page.locator("#processes-title")).to_be_visible()
    view.page.get_by_role("button", name="A: incident").click()
    expect(view.page.locator("h1")).to_have_text("Growth ended at step 83.")
    view.page.get_by_role("button", name="Side by side").click()
    expect(view.page.locator("h1")).to_contain_text("keeps 17.1")
    assert view.said == []


def test_a_leak_beside_none_and_names_that_are_hostile(tidegauge, look, tmp_path):
    """By time, since the leak counts no steps; the names are what somebody called the files."""
    evil = tmp_path / "<img src=x onerror=alert(1)>\u202e.tg"
    recordings.leak().write(evil)
    calm = recordings.interrupted().write(tmp_path / f"{'w' * 200}.tg")
    page = tmp_path / "both.html"
    subprocess.run([tidegauge, "report", evil, calm, "-o", page], check=True, capture_output=True)
    for phone in (False, True):
        view = look(page, phone=phone)
        assert "leaks" in text_of(view, "h1")
        assert view.page.locator("main img").count() == 0 and view.said == [] and view.fits()
        assert "\u202e" not in view.page.locator("main").inner_text()
        view.press("End")
        assert " · A " in view.readout()


def test_more_than_two(sides, look):
    view = look(sides("incident", "on_demand", "interrupted"))
    assert view.page.locator(".side").count() == 3
    assert view.said == [] and view.fits()


def test_a_kill_is_in_the_answer_of_its_run(sides, look):
    view = look(sides("killed", "on_demand"))
    cards = view.page.locator(".side")
    assert "The kernel killed train.py (pid 494): out of memory" in cards.nth(0).locator(".killed").inner_text()
    assert cards.nth(1).locator(".killed").count() == 0
    assert view.said == [] and view.fits()


def test_as_text_and_markdown(tidegauge, tmp_path):
    files = [getattr(recordings, name)().write(tmp_path / f"{name}.tg") for name in ("incident", "on_demand")]
    run = lambda *words: subprocess.run([tidegauge, "report", *files, *words], check=True, capture_output=True, text=True).stdout  # noqa: E731
    assert run("--text").startswith("on_demand keeps 17.1 GiB less than incident.\n")
    assert run("--markdown").startswith("# on\\_demand keeps 17.1 GiB less than incident.\n")
    run("--markdown", "-o", tmp_path / "find.md")
    assert "](<find.svg>)" in (tmp_path / "find.md").read_text()
    assert (tmp_path / "find.svg").read_text().count("<polyline") == 2
    assert run() == f"{tmp_path}/side-by-side.html\n"


@pytest.mark.parametrize("missing", ["no.tg"])
def test_a_file_that_is_not_there(tidegauge, tmp_path, missing):
    here = recordings.on_demand(60).write(tmp_path / "here.tg")
    ended = subprocess.run([tidegauge, "report", here, tmp_path / missing], capture_output=True, text=True)
    assert ended.returncode == 3 and missing in ended.stderr
