# SPDX-License-Identifier: Apache-2.0
"""The page looks as it looked when somebody looked at it. TIDEGAUGE_WRITE_PICTURES=1 writes the pictures anew: look at them before you
store them. A picture that differs is left in out/page/."""
import io
import os
import pathlib

import numpy as np
import pytest
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "tests" / "page" / "pictures"
DIFFERENT = 40  # of 255, in a channel: less is how another version smooths its edges
MOST_DIFFERENT = 0.01  # of all pixels

VIEWS = {
    "settled-light": (("incident",), {}, None),
    "settled-dark-by-kind": (("incident",), {"dark": True}, "By kind"),
    "settled-phone": (("incident",), {"phone": True}, None),
    "undecided-dark": (("incident", 190), {"dark": True}, None),
    "leak-light": (("leak",), {}, None),
    "interrupted-by-process": (("interrupted",), {}, "By process"),
}
SIDES = {"sides-light": {}, "sides-phone-dark": {"phone": True, "dark": True}}


def check(view, name):
    """Holds what is on the screen against the stored picture."""
    now = Image.open(io.BytesIO(view.page.screenshot())).convert("RGB")
    path = PICTURES / f"{name}.png"
    if os.environ.get("TIDEGAUGE_WRITE_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        now.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    then = Image.open(path).convert("RGB")
    assert now.size == then.size
    differs = (np.abs(np.asarray(now, dtype=int) - np.asarray(then, dtype=int)).max(axis=2) > DIFFERENT).mean()
    if differs > MOST_DIFFERENT:
        out = ROOT / "out" / "page"
        out.mkdir(parents=True, exist_ok=True)
        now.save(out / f"{name}.png")
    assert differs <= MOST_DIFFERENT, f"{differs:.2%} of the pixels differ, see out/page/{name}.png"


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


@pytest.mark.parametrize("name", SIDES)
def test_side_by_side_looks_as_it_did(sides, look, name):
    check(look(sides("incident", "on_demand"), **SIDES[name]), name)
