# SPDX-License-Identifier: Apache-2.0
"""The colours of style.css: enough contrast to read, and far enough apart for those who see fewer of them."""
import itertools
import pathlib
import re

import numpy as np
import pytest

STYLE = (pathlib.Path(__file__).resolve().parents[2] / "web" / "src" / "style.css").read_text(encoding="utf-8")
# Machado, Oliveira and Fernandes (2009), full severity; of linear light.
BLINDNESS = {
    "none": np.eye(3),
    "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritan": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}


def tokens(theme):
    blocks = re.findall(r":root(\[data-theme=\"dark\"\])? \{(.*?)\}", STYLE, re.S)
    values = {}
    for dark, body in blocks:
        if not dark or theme == "dark":
            values.update(re.findall(r"--([\w-]+): (#[0-9A-Fa-f]{6});", body))
    return values


def linear(colour):
    channels = np.array([int(colour[i:i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    light = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b)), reverse=True)
    return (light[0] + 0.05) / (light[1] + 0.05)


def lab(rgb):
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    f = np.where((r := xyz / [0.9505, 1, 1.089]) > 0.008856, np.cbrt(r), 7.787 * r + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(a, b, blindness):
    return float(np.linalg.norm(lab(BLINDNESS[blindness] @ linear(a)) - lab(BLINDNESS[blindness] @ linear(b))))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_contrast(theme):
    of = tokens(theme)
    for text, ground, least in [("ink", "card", 7), ("ink2", "card", 4.5), ("ink2", "bg", 4.5), ("ink", "soft", 7), ("ok", "ok-chip", 4.5), ("wait", "wait-chip", 4.5),
                                ("bad", "bad-chip", 4.5), ("bad", "card", 4.5), ("floor", "card", 4.5), ("phase-ink", "card", 4.5), ("wait-line", "card", 3),
                                ("above", "card", 3), *((f"run-{i}", "card", 4.5) for i in range(8))]:
        assert contrast(of[text], of[ground]) >= least, (text, ground)


# Apart enough to be told from each other where they may stand side by side. Verdicts and kinds have their words beside them as well.
GROUPS = {
    "verdicts": (["ok", "wait", "bad"], 12),
    "runs": (["run-0", "run-1", "run-2", "run-3"], 12),
    "kinds": (["kind-anon", "kind-file", "kind-shmem", "kind-hugetlb", "kind-rest"], 12),
}


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("group", GROUPS)
def test_colours_are_apart(theme, blindness, group):
    of = tokens(theme)
    names, least = GROUPS[group]
    for a, b in itertools.combinations(names, 2):
        assert distance(of[a], of[b], blindness) >= least, (a, b, distance(of[a], of[b], blindness))


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_neighbours_in_a_stack_are_apart(theme, blindness):
    of = tokens(theme)
    for i in range(7):
        assert distance(of[f"band-{i}"], of[f"band-{i + 1}"], blindness) >= 20, i


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_ramp_of_growth_climbs_and_is_written_on(theme, blindness):
    ramp = [tokens(theme)[f"ramp-{i}"] for i in range(5)]
    for a, b in itertools.pairwise(ramp):
        assert distance(a, b, blindness) >= 12, (a, b)
    lights = [lab(BLINDNESS[blindness] @ linear(colour))[0] for colour in ramp]
    assert lights == sorted(lights, reverse=theme == "light")
    for colour in ramp:
        assert max(contrast(colour, "#FFFFFF"), contrast(colour, "#0E1F29")) >= 4.5, colour


def test_the_check_finds_a_bad_pair():
    """Red and amber that look fine and are the same to a deuteranope."""
    assert distance("#AE2417", "#805300", "deutan") < 8
