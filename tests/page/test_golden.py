# SPDX-License-Identifier: Apache-2.0
"""The page looks as it looked when somebody looked at it. TIDEGAUGE_WRITE_PICTURES=1 writes the pictures anew: look at them before you
store them. A picture that differs is left in out/page/."""
import io
import os
import pathlib

import numpy as np
import pytest
from PIL import Image, ImageFilter
from recordings import document_of
from server import Replay, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "tests" / "page" / "pictures"
# Held against each other in squares of so many pixels: within one, letters may be smoothed as another machine does it.
SQUARE = 4
DIFFERENT = 24  # of 255, in a channel of a square
MOST_DIFFERENT = 0.01  # of all squares

VIEWS = {
    "settled-light": (("incident",), {}, None),
    "settled-dark-by-kind": (("incident",), {"dark": True}, "By kind"),
    "settled-phone": (("incident",), {"phone": True}, None),
    "undecided-dark": (("incident", 190), {"dark": True}, None),
    "leak-light": (("leak",), {}, None),
    "killed-light": (("killed",), {}, None),
    "killed-phone-dark": (("killed",), {"phone": True, "dark": True}, None),
    "interrupted-by-process": (("interrupted",), {}, "By process"),
}
LIVE = {"live-dark": {"dark": True}, "live-phone": {"phone": True}}
SITES = {"sites-light": {}, "sites-dark": {"dark": True}, "sites-phone": {"phone": True}}
SIDES = {"sides-light": {}, "sides-phone-dark": {"phone": True, "dark": True}}


def difference(now, then):
    """The share of squares that differ."""
    small = [np.asarray(picture.resize((picture.width // SQUARE, picture.height // SQUARE), Image.Resampling.BOX), dtype=int) for picture in (now, then)]
    return (np.abs(small[0] - small[1]).max(axis=2) > DIFFERENT).mean()


def test_the_comparison_sees_what_moved_and_not_how_letters_are_smoothed():
    then = Image.open(PICTURES / "settled-light.png").convert("RGB")
    moved = Image.new("RGB", then.size, "white")
    moved.paste(then, (0, 12))
    assert difference(moved, then) > 5 * MOST_DIFFERENT
    assert difference(then.filter(ImageFilter.GaussianBlur(0.6)), then) < MOST_DIFFERENT


def check(view, name):
    """Holds what is on the screen against the stored picture."""
    now = Image.open(io.BytesIO(view.page.screenshot())).convert("RGB")
    path = PICTURES / f"{name}.png"
    if os.environ.get("TIDEGAUGE_WRITE_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        now.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    then = Image.open(path).convert("RGB")
    assert now.size == then.size
    differs = difference(now, then)
    if differs > MOST_DIFFERENT:
        out = ROOT / "out" / "page"
        out.mkdir(parents=True, exist_ok=True)
        now.save(out / f"{name}.png")
    assert differs <= MOST_DIFFERENT, f"{differs:.2%} of it differs, see out/page/{name}.png"


@pytest.mark.parametrize("name", VIEWS)
def test_looks_as_it_did(report, look, name):
    recording, how, cut = VIEWS[name]
    view = look(report(*recording), **how)
    if cut:
        view.choose(cut)
        view.page.mouse.move(0, 0)
        view.page.evaluate("document.activeElement.blur()")
        view.frame()
    check(view, name)


@pytest.mark.parametrize("name", SITES)
def test_sites_look_as_they_did(report, look, name):
    view = look(report("profiled"), **SITES[name])
    view.page.evaluate("document.querySelector('section.sites').scrollIntoView()")
    view.frame()
    check(view, name)


@pytest.mark.parametrize("name", SIDES)
def test_side_by_side_looks_as_it_did(sides, look, name):
    check(look(sides("incident", "on_demand"), **SIDES[name]), name)


def test_a_kill_side_by_side_looks_as_it_did(sides, look):
    check(look(sides("killed", "on_demand")), "killed-sides")


@pytest.fixture(scope="module")
def replay(tidegauge, report, tmp_path_factory):
    """The live page, of a job as it was after 190 s, and the list of jobs with it."""
    server = Server(tidegauge, tmp_path_factory.mktemp("replay"))
    page = server.ask("/", token=False)[2]
    server.stop()
    now, leak = document_of(report("incident", 190)), document_of(report("leak"))
    heads = [{"key": "494-494", "pid": 494, "ended": False, "recording": "train.tg"}, {"key": "77-77", "pid": 77, "ended": True, "recording": "serve.tg"}]
    rows = []
    for head, one in zip(heads, (now, leak)):
        words = one["verdicts"][0]["words"]
        total = next(kind for kind in one["kinds"] if kind["kind"] == "total")
        rows.append({**head, "title": one["title"], "seen": one["seen"], "class": one["verdicts"][0]["class"], "tone": words["tone"], "tag": words["tag"],
                     "headline": words["headline"], "bytes": total["last"], "floor": total["floor"], "peak": total["max"]})
    stored = [{"name": f"train-{i}.tg", "bytes": 40_000 * (i + 1), "written_unix_ms": 1_700_000_000_000 + 3_600_000 * i, "being_written": i == 2} for i in range(3)]
    made = Replay(page, {"/api/stream": {"schema": "tidegauge/jobs/1", "jobs": rows},
                         "/api/jobs/494-494/stream": {"schema": "tidegauge/live/1", "job": heads[0], "report": now}},
                  {"/api/recordings": {"schema": "tidegauge/recordings/1", "recordings": stored}})
    yield made
    made.stop()


@pytest.mark.parametrize("name", LIVE)
def test_the_live_page_looks_as_it_did(replay, look, name):
    view = look(f"{replay.address}&job=494-494", **LIVE[name])
    # How long ago the last news came is another number each time.
    view.page.evaluate("document.querySelector('.ago').style.visibility = 'hidden'")
    check(view, name)


def test_the_list_of_jobs_looks_as_it_did(replay, look):
    check(look(replay.address), "jobs-light")
