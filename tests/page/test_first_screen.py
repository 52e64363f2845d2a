# SPDX-License-Identifier: Apache-2.0
"""A stranger reads what it is, what piles up and what helps within ten seconds: all of it is on the first screen, whole, and short."""
import pytest

SCREENS = [(1280, 800), (1440, 900), (390, 844)]
# What a reader has to take in, besides the chart: at 240 words a minute ten seconds are 40 words.
ANSWER = {"verdict": ".hero .tag", "headline": ".hero h1", "cause": ".fact-cause .value", "who holds it": ".fact-cause .detail", "remedy": ".fact-remedy .value"}
MOST_WORDS = 40


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", SCREENS, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_answer_is_on_the_first_screen(report, look, size, dark):
    view = look(report("incident"), size=size, dark=dark)
    for name, place in ANSWER.items():
        element = view.page.locator(place).first
        box = element.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= size[0], name
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1], name
        # Nor is a part of it cut off within its place.
        assert element.evaluate("(e) => e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth + 1 || getComputedStyle(e).display === 'inline'"), name
    assert view.page.evaluate("scrollY") == 0


def test_the_answer_is_read_within_ten_seconds(report, look):
    view = look(report("incident"))
    words = sum(len(view.page.locator(place).first.inner_text().split()) for place in ANSWER.values())
    assert words <= MOST_WORDS
