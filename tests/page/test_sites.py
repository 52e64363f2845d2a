# SPDX-License-Identifier: Apache-2.0
"""Where memory is allocated, of a recording that holds profiles: what tracemalloc said of a service that forgets nothing."""
import json
import re
import subprocess

import pytest
import recordings
from playwright.sync_api import expect
from server import Replay, Server


class Card:
    def __init__(self, view):
        self.view = view
        self.element = view.page.locator("section.sites")
        self.stage = self.element.locator(".stage")

    def rows(self):
        return [re.sub(r"[\s\u00a0]+", " ", row.inner_text()) for row in self.element.locator("tbody tr").all()]

    def words(self):
        return re.sub(r"[\s\u00a0]+", " ", self.element.inner_text())

    def told(self):
        return self.element.locator(".icicle .readout").inner_text().replace("\u00a0", " ")

    def press(self, key):
        self.stage.press(key)
        return self.told()

    def search(self, text):
        self.element.get_by_role("searchbox", name="Search places").fill(text)


@pytest.fixture
def card(report, look):
    return Card(look(report("profiled")))


def test_what_grew_most_is_first(card):
    first, *others = card.rows()
    assert re.match(r"remember \(profiled_service\.py:\d+\) \+\d+\.?\d* MiB \d+\.?\d* MiB \d", first), first
    model = next(row for row in others if row.startswith("load_model"))
    assert re.search(r" 0 48\.0 MiB ", model), model  # is kept and does not grow
    # Where a library allocates, the code of one's own that called it is told.
    parsed = next(row for row in others if row.startswith("raw_decode (decoder.py:"))
    assert re.match(r"raw_decode \(decoder\.py:\d+\) from parse \(profiled_service\.py:\d+\)", parsed), parsed
    assert "By tracemalloc: every allocation was counted." in card.words()
    assert card.view.said == [] and card.view.fits()


def test_the_picture_is_walked_by_keyboard_and_told_by_a_tip(card):
    assert re.match(r"all · \d+ MiB · 100 % of what is live · grew \+", card.press("Home"))
    assert card.press("ArrowDown").startswith("<module> (profiled_service.py:")
    below = card.press("ArrowDown")
    assert below.startswith("main (profiled_service.py:") and "/home/me/profiled_service.py:" in below
    assert card.press("Enter") == below and card.press("Escape").startswith("all")
    box = card.stage.bounding_box()
    card.view.page.mouse.move(box["x"] + 30, box["y"] + 30)
    expect(card.element.locator(".tip")).to_contain_text("<module>")
    card.element.get_by_label("Width").get_by_role("button", name="Grew", exact=True).click()
    walk = [card.press("Home"), *[card.press("ArrowDown") for _ in range(6)]]
    assert walk[-1].startswith("remember") and "of what grew" in walk[-1], walk


def test_a_search_filters_the_table_and_is_told_in_the_picture(card):
    card.search("RAW_decode")
    expect(card.element.locator("tbody tr")).to_have_count(1)
    assert re.fullmatch(r"1 found · [\d.]+ MiB", card.told()), card.told()
    card.search("json/decoder.py")  # by file
    expect(card.element.locator("tbody tr")).to_have_count(1)
    card.search("nobody is called that")
    expect(card.element).to_contain_text("No place is called that.")
    card.search("")
    assert len(card.rows()) > 3 and card.told() == ""


def test_growth_is_about_the_stretch_that_is_shown(card):
    page = card.view.page

    def grew():
        return float(re.search(r"\+([\d.]+) MiB", card.rows()[0]).group(1))

    whole = grew()
    assert "grown since 0:15, the first of" in card.words()
    page.locator(".plot").scroll_into_view_if_needed()
    box = page.locator(".u-over").bounding_box()
    # The chart goes on into the future.
    from_s, to_s = (box["x"] + box["width"] * second / json.loads(page.locator("#data").inner_text())["outlook"]["until"] for second in (40, 110))
    page.mouse.move(from_s, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(to_s, box["y"] + 100, steps=4)
    page.mouse.up()
    expect(card.element).not_to_contain_text("the first of")
    assert 0 < grew() < 0.6 * whole
    assert "Blocks" not in card.words()  # known as of the last profile only


def test_what_a_reader_looks_for_stays_when_another_profile_comes(tidegauge, report, look, tmp_path):
    server = Server(tidegauge, tmp_path)
    page = server.ask("/", token=False)[2]
    server.stop()
    head = {"key": "7-7", "pid": 7, "ended": False, "recording": None}
    early, late = ({"schema": "tidegauge/live/1", "job": head, "report": recordings.document_of(report("profiled", seconds))} for seconds in (90, 170))
    replay = Replay(page, {"/api/jobs/7-7/stream": early}, {})
    try:
        card = Card(look(f"{replay.address}&job=7-7"))
        card.search("raw_decode")
        width = card.element.get_by_label("Width").get_by_role("button", name="Grew", exact=True)
        width.click()
        expect(card.element).to_contain_text("as of 1:")
        replay.say("/api/jobs/7-7/stream", late)
        expect(card.element).to_contain_text("as of 2:")
        assert len(card.rows()) == 1 and width.get_attribute("aria-pressed") == "true"
        assert card.element.get_by_role("searchbox").input_value() == "raw_decode"
        assert card.view.said == []
    finally:
        replay.stop()


def test_text_and_markdown_have_the_same_table(tidegauge, tmp_path):
    recording = recordings.profiled().write(tmp_path / "service.jsonl")
    for form in ("--text", "--markdown"):
        text = subprocess.run([tidegauge, "report", recording, form], check=True, capture_output=True, text=True).stdout.replace("\u00a0", " ")
        assert "Where profiled_service.py allocates, and what grew from 15 s to" in text.replace("\\_", "_"), form
        places = re.findall(r"(remember|raw_decode|load_model) \(", text[text.index("allocates, and"):])
        assert places.index("remember") < places.index("raw_decode") < places.index("load_model"), form


def test_a_profile_without_sites_is_left_out(tidegauge, look, tmp_path):
    made = recordings.leak()
    made.lines.append({"kind": "profile", "t": 7000, "pid": 77, "start": 77, "sampler": "x", "sampled_every": 0, "places": [], "sites": []})
    recording = made.write(tmp_path / "leak.jsonl")
    subprocess.run([tidegauge, "report", recording, "-o", tmp_path / "leak.html"], check=True, capture_output=True)
    view = look(tmp_path / "leak.html")
    assert view.page.locator("section.sites").count() == 0 and view.said == []


def test_a_thousand_stacks_a_hundred_deep_are_shown_in_few_rows(tidegauge, look, tmp_path):
    made = recordings.leak()
    places = [{"function": f"f{i}", "file": f"/x/{i % 7}.py", "line": i + 1, "native": i % 3 == 0} for i in range(400)]
    for t in (1000, 7000):
        sites = [{"stack": [*range(90), 100 + i % 300, 100 + (i * 7) % 300], "live": 1000 + i * t / 100} for i in range(1000)]
        made.lines.append({"kind": "profile", "t": t, "pid": 77, "start": 77, "sampler": "x", "sampled_every": 512, "places": places, "sites": sites})
    recording = made.write(tmp_path / "deep.jsonl")
    subprocess.run([tidegauge, "report", recording, "-o", tmp_path / "deep.html"], check=True, capture_output=True)
    card = Card(look(tmp_path / "deep.html"))
    assert card.stage.bounding_box()["height"] < 600
    assert re.match(r"f0 \(0\.py:1\) … f89 \(5\.py:90\) · .*100 % of what is live", [card.press("Home"), card.press("ArrowDown")][-1])
    assert "One allocation" not in card.words() and "By x: one allocation in 512 KiB was looked at." in card.words()
    assert (tmp_path / "deep.html").stat().st_size < 900_000
    assert card.view.said == [] and card.view.fits()
